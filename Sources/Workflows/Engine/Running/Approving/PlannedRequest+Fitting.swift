/// How a request of a run differs from its planned one within what the plan allows.
struct Fitting: Sendable, Hashable {
    /// The numbers of the attachments that are missing in the message, and have to be added to it.
    var added: Set<Int> = []
    var range: ContentRange?
}

extension PlannedRequest {
    /// How a request matches this one outside its slots; nil if it does not.
    func fitting(_ real: HTTPRequest) -> Fitting? {
        guard Slots.fit(method, isHTTP ? real.method.lowercased() : real.method) || Slots.fit(method, real.method),
            Slots.fit(address: url, real.url.absoluteString, repeatsItems: repeatsItems),
            hasHeaders(of: real)
        else { return nil }
        var fitting = Fitting()
        return hasBody(of: real, &fitting) ? fitting : nil
    }

    private var isHTTP: Bool { operation.name == "http" }

    /// Whether the call leaves out null values, and repeats a query item for each element of an array.
    private var repeatsItems: Bool { ["http", "graph", "mcp", "openapi"].contains(operation.name) }

    /// Whether it matches every range of a content.
    var isRange: Bool {
        url.first == .plain(UploadSession.example)
            && headers.contains { $0.name == "Content-Range" && $0.value.count > 1 }
    }

    private func hasHeaders(of real: HTTPRequest) -> Bool {
        var own: Set = ["client-request-id", "retry-attempt", HTTPRequest.sessionField.lowercased()]
        if isRange { own.insert("content-range") }
        // Only a run knows the fields of a single unknown; some may replace the call's own.
        if headers.contains(where: { $0.value.count == 1 && $0.value[0].isUnknown && $0.name == Value.drawn($0.value) })
        {
            return true
        }
        var left = real.headers.fields.filter { !own.contains($0.name.lowercased()) }
        for field in headers where !own.contains(field.name.lowercased()) {
            let isCredential = field.name.lowercased() == "authorization"
            let place = left.firstIndex { other in
                other.name.lowercased() == field.name.lowercased()
                    && (isCredential
                        ? Self.hasScheme(of: field.value, other.value) : Slots.fit(field.value, other.value))
            }
            if let place {
                left.remove(at: place)
            } else {
                // A null value is left out.
                guard repeatsItems, field.value.count == 1, field.value[0].isUnknown else { return false }
            }
        }
        // The credential decides how a call authenticates, and the service what its challenge asks for.
        return left.allSatisfy { $0.name.lowercased() == "authorization" }
    }

    /// Whether two values of `Authorization` have the same scheme: a plan says nothing of credentials.
    private static func hasScheme(of planned: [TextPart], _ real: String) -> Bool {
        guard case .plain(let text)? = planned.first else { return true }
        return text.prefix { $0 != " " }.lowercased() == real.prefix { $0 != " " }.lowercased()
    }

    private func hasBody(of real: HTTPRequest, _ fitting: inout Fitting) -> Bool {
        guard let body else { return real.body == nil && real.file == nil }
        if let file = real.file { return hasBody(of: real, in: file, body, &fitting) }
        guard let data = real.body else { return false }
        if isRange {
            guard let range = ContentRange(real.headers["Content-Range"]), range.bytes.count == data.count else {
                return false
            }
            fitting.range = range
            return true
        }
        switch body {
        case .bytes(_, let size, let sha256): return data.count == size && SHA256.hex(of: data) == sha256
        case .unknown: return true
        case .json(let planned):
            guard let value = try? Value(json: data) else { return false }
            if let mine = planned.object, let theirs = value.object {
                switch operation.name {
                case "sendMail": return Self.hasMail(mine, theirs, &fitting)
                case "createEvent": return Self.hasEvent(mine, theirs)
                default: break
                }
            }
            return Slots.fit(planned, value)
        case .text(let planned):
            guard let parts = planned.textParts ?? planned.unknown.map({ [.unknown($0)] }) else { return false }
            if parts.count == 1, parts[0].isUnknown { return true }
            guard let text = String(validating: real.redactedBody ?? data, as: UTF8.self) else { return false }
            let type = ContentType.essence(of: real.headers["Content-Type"] ?? "")
            if type == "application/x-www-form-urlencoded" {
                return Slots.fit(form: parts, text, repeatsItems: repeatsItems)
            }
            return Slots.fit(parts, text) && (!ContentType.isJSON(type) || parts.keepStructure(ofJSON: text))
        }
    }

    /// Whether a body that is too large for memory is the planned one.
    private func hasBody(
        of real: HTTPRequest, in file: FilePart, _ body: PlannedBody, _ fitting: inout Fitting
    ) -> Bool {
        switch body {
        case .bytes(_, let size, let sha256): file.size == size && (try? file.sha256()) == sha256
        case .unknown: true
        case .json, .text: (try? real.withBodyInMemory()).map { hasBody(of: $0, &fitting) } ?? false
        }
    }

    // MARK: - Mails and events

    /// Whether an event is the planned one, with an id derived from the run.
    private static func hasEvent(_ planned: Object, _ real: Object) -> Bool {
        guard real["transactionId"]?.string != nil else { return false }
        var (mine, theirs) = (planned, real)
        (mine["transactionId"], theirs["transactionId"]) = (nil, nil)
        return Slots.fit(.object(mine), .object(theirs))
    }

    /// Whether a message is the planned one, alone or with its delivery options.
    private static func hasMail(_ planned: Object, _ real: Object, _ fitting: inout Fitting) -> Bool {
        if let mine = planned["message"]?.object, let theirs = real["message"]?.object {
            var (rest, given) = (planned, real)
            (rest["message"], given["message"]) = (nil, nil)
            return hasMail(mine, theirs, &fitting) && Slots.fit(.object(rest), .object(given))
        }
        guard planned.contains("toRecipients") else { return Slots.fit(.object(planned), .object(real)) }
        var (mine, theirs) = (planned, real)
        // A run generates the key that it looks for later; it affects neither content nor recipients.
        if mine[Mail.Key.property] != nil, theirs[Mail.Key.property].map(Mail.Key.isKey) ?? false {
            (mine[Mail.Key.property], theirs[Mail.Key.property]) = (nil, nil)
        }
        // The default importance is not sent.
        if mine["importance"]?.unknown != nil, theirs["importance"] == nil { mine["importance"] = nil }
        if let body = mine["body"], let given = theirs["body"] {
            guard hasText(body, given) else { return false }
            (mine["body"], theirs["body"]) = (nil, nil)
        }
        guard hasAttachments(mine["attachments"], theirs["attachments"]?.array ?? [], &fitting) else { return false }
        (mine["attachments"], theirs["attachments"]) = (nil, nil)
        return Slots.fit(.object(mine), .object(theirs))
    }

    private static func hasText(_ planned: Value, _ real: Value) -> Bool {
        // A planned text may be an object with the text and its format.
        if let content = planned["content"], content.unknown.map({ $0.shape != .text }) ?? (content.object != nil) {
            return real.object?.count == 2 && real["content"]?.string != nil
                && ["html", "text"].contains(real["contentType"])
        }
        return Slots.fit(planned, real)
    }

    /// Whether a message has the planned attachments, except those that are added later because they do not fit.
    private static func hasAttachments(_ planned: Value?, _ real: [Value], _ fitting: inout Fitting) -> Bool {
        guard let planned, planned.unknown == nil else { return planned != nil || real.isEmpty }
        var rest = real[...]
        for (number, attachment) in (planned.array ?? [planned]).enumerated() {
            if let next = rest.first, Slots.fit(attachment, next) {
                rest.removeFirst()
            } else {
                fitting.added.insert(number)
            }
        }
        return rest.isEmpty
    }
}

/// The header field `Content-Range` of a request: `bytes 0-9/20`.
struct ContentRange: Hashable {
    let bytes: Range<Int>
    let total: Int

    init?(_ text: String?) {
        guard let match = text?.wholeMatch(of: #/bytes ([0-9]+)-([0-9]+)/([0-9]+)/#), let first = Int(match.1),
            let last = Int(match.2), let total = Int(match.3), first <= last, last < total
        else { return nil }
        bytes = first..<last + 1
        self.total = total
    }
}
