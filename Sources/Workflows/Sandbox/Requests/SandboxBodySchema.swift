enum SandboxBodySchema: String, CaseIterable {
    case sendMail
    case createLink
    case createUploadSession
    case driveItem
    case copy
    case message
    case attachment
    case createAttachmentSession
    case group
    case user
    case reference
    case reply
    case move
    case mailFolder
    case event
    case assignLicense
    case subscription
    case batch

    private static let mimeLimit = 4 << 20

    private var isOptional: Bool { [.createUploadSession, .copy, .reply].contains(self) }

    func read(_ request: HTTPRequest) throws(SandboxError) -> Value {
        let body = request.body ?? Data()
        if isOptional, body.isEmpty { return [:] }
        let type = ContentType.essence(of: request.headers["Content-Type"] ?? "")
        if type == "text/plain", request.method == "POST", self == .sendMail || self == .message {
            guard body.count <= Self.mimeLimit else { throw .tooLargeForMailbox }
            let message = try SandboxMIME.message(base64: body)
            return self == .sendMail ? ["message": message] : message
        }
        guard ContentType.isJSON(request.headers["Content-Type"] ?? "application/json") else {
            throw .unreadableBody
        }
        guard !Self.isTooDeep(body), let value = try? Value(json: body), value.object != nil else {
            throw .unreadableBody
        }
        let normal: Value =
            switch self {
            case .sendMail: Self.normalized(mail: value)
            case .event: .object(Self.normalized(event: value.object ?? [:]))
            case .message: .object(Self.normalized(message: value.object ?? [:]))
            case .createAttachmentSession: Self.normalized(session: value)
            default: value
            }
        guard let schema = try Self.schemas.get()[self] else { return normal }
        guard let violation = schema.validate(normal).first else { return normal }
        throw .badRequest("Invalid value at '\(violation.instance)': \(violation.message).", code: "RequestBodyRead")
    }

    /// Whether brackets are nested deeper than in any body of Graph, counted without recursion.
    static func isTooDeep(_ json: Data) -> Bool {
        unsafe json.withUnsafeBytes { bytes in
            var (depth, isInText, isEscaped) = (0, false, false)
            // A 'while' over the bytes in place is also fast in debug builds.
            var offset = 0
            while offset < bytes.count, depth <= 100 {
                switch unsafe bytes[offset] {
                case _ where isEscaped: isEscaped = false
                case UInt8(ascii: "\\") where isInText: isEscaped = true
                case UInt8(ascii: "\""): isInText.toggle()
                case _ where isInText: break
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                default: break
                }
                offset += 1
            }
            return depth > 100
        }
    }

    /// Spells the body as the description does; the service reads `HTML` as `html`, and the text `"false"` as false.
    private static func normalized(mail: Value) -> Value {
        var result = Object()
        for (key, value) in mail.object ?? [:] {
            switch key.lowercased() {
            case "message": result["message"] = value
            case "savetosentitems":
                switch value.string?.lowercased() {
                case "true": result["saveToSentItems"] = true
                case "false": result["saveToSentItems"] = false
                default: result["saveToSentItems"] = value
                }
            default: result[key] = value
            }
        }
        guard let message = result["message"]?.object else { return .object(result) }
        result["message"] = .object(normalized(message: message))
        return .object(result)
    }

    private static func normalized(message: Object) -> Object {
        var message = message
        if var body = message["body"]?.object, let type = body["contentType"]?.string {
            body["contentType"] = .string(type.lowercased())
            message["body"] = .object(body)
        }
        if let importance = message["importance"]?.string { message["importance"] = .string(importance.lowercased()) }
        return message
    }

    /// The service also accepts Booleans as texts.
    private static func normalized(event: Object) -> Object {
        var event = normalized(message: event)
        for name in ["isOnlineMeeting", "isAllDay", "isReminderOn", "responseRequested", "allowNewTimeProposals"] {
            guard let text = event[name]?.string?.lowercased(), ["true", "false"].contains(text) else { continue }
            event[name] = .bool(text == "true")
        }
        return event
    }

    /// The service also accepts `attachmentItem` for `AttachmentItem`.
    private static func normalized(session: Value) -> Value {
        .object(
            Object(
                (session.object ?? [:]).map { key, value in
                    (key.lowercased() == "attachmentitem" ? "AttachmentItem" : key, value)
                }))
    }

    /// Read on first use; a failure is a mistake in the embedded description.
    private static let schemas: Result<[SandboxBodySchema: JSONSchema], SandboxError> = {
        do {
            let root = try Value(json: Data(PackageResources.request_bodies_json))
            return .success(
                Dictionary(
                    uniqueKeysWithValues: try allCases.map { name in
                        let schema = root["bodies"]?[name.rawValue] ?? .null
                        return (name, try JSONSchema(schema, dialect: .openAPI30, root: root))
                    }))
        } catch {
            return .failure(SandboxError(status: 500, code: "generalException", message: "\(error)"))
        }
    }()
}
