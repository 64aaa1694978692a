/// An event of CloudEvents 1.0: attributes and data.
///
/// Specification: CloudEvents 1.0.2, with its JSON format and its HTTP binding in structured and binary mode.
public struct CloudEvent: Sendable, Hashable {
    /// The attributes: `specversion`, `id`, `source`, `type` and any others.
    public private(set) var attributes: Object
    /// The data; bytes that are neither JSON nor text are in base64.
    public private(set) var data: Value?
    private var isBinary = false
    /// The data as received; nil if they were part of the event's JSON.
    private(set) var text: String?

    /// The event's id, unique together with its source.
    public var id: String { attributes["id"]?.string ?? "" }
    /// Where the event came from.
    public var source: String { attributes["source"]?.string ?? "" }
    /// The event's type.
    public var type: String { attributes["type"]?.string ?? "" }

    /// The whole event in CloudEvents' JSON format.
    public var envelope: Value {
        var envelope = attributes
        if let data { envelope[isBinary ? "data_base64" : "data"] = data }
        return .object(envelope)
    }

    /// The data as text: JSON, text as received, or base64.
    public var rawData: String {
        if let text { return text }
        guard let data else { return "" }
        return isBinary ? data.string ?? "" : data.json()
    }

    /// The data as text; all of it is secret if a part of it is.
    package var raw: Value {
        guard let data, data.holdsSecret else { return .string(rawData) }
        let plain = data.revealed
        return .secret(
            .string(isBinary ? plain.string ?? "" : plain.json()), of: data.secrets.flatMap(\.names))
    }

    /// An attribute by name, or the data for the name `data`.
    package subscript(name: String) -> Value? { name == "data" ? data : attributes[name] }

    /// Creates an event from its JSON format.
    /// - Throws: ``CloudEventError`` if it is not a CloudEvents 1.0 event.
    public init(_ envelope: Value) throws(CloudEventError) {
        guard var members = envelope.object else { throw CloudEventError("an event must be an object") }
        let data = members["data"]
        let bytes = members["data_base64"]
        members["data"] = nil
        members["data_base64"] = nil
        guard data == nil || bytes == nil else {
            throw CloudEventError("an event cannot have both 'data' and 'data_base64'")
        }
        if let bytes {
            guard let text = bytes.revealed.string, Data(base64Encoded: text) != nil else {
                throw CloudEventError("'data_base64' must be in base64")
            }
        }
        attributes = members
        self.data = data ?? bytes
        isBinary = bytes != nil
        try check()
    }

    init(_ envelope: Value, text: String?) throws(CloudEventError) {
        try self.init(envelope)
        self.text = text
    }

    /// Creates an event as a journal has it, with drawings of secrets in any of its attributes.
    init(recorded envelope: Value, text: String?) throws(CloudEventError) {
        guard var members = envelope.object else { throw CloudEventError("an event must be an object") }
        isBinary = members["data_base64"] != nil
        data = members["data"] ?? members["data_base64"]
        members["data"] = nil
        members["data_base64"] = nil
        attributes = members
        self.text = text
    }

    /// Creates an event from an HTTP message in binary mode: attributes in header fields, data in the body.
    /// - Throws: ``CloudEventError`` if it is not a CloudEvents 1.0 event.
    package init(headers: HTTPHeaders, body: Data) throws(CloudEventError) {
        attributes = Object()
        for field in headers.fields where field.name.lowercased().hasPrefix("ce-") {
            let name = String(field.name.dropFirst(3)).lowercased()
            guard attributes[name] == nil else { throw CloudEventError("the attribute '\(name)' is given twice") }
            attributes[name] = .string(field.value.percentDecoded ?? field.value)
        }
        let contentType = headers["Content-Type"]
        if let contentType { attributes["datacontenttype"] = .string(contentType) }
        if !body.isEmpty {
            if Self.isJSON(contentType) {
                guard let value = try? Value(json: body) else { throw CloudEventError("the event's data are not JSON") }
                data = value
                text = String(decoding: body, as: UTF8.self)
            } else if let string = String(data: body, encoding: .utf8), contentType?.hasPrefix("text/") ?? false {
                data = .string(string)
                text = string
            } else {
                data = .string(body.base64EncodedString())
                isBinary = true
            }
        }
        try check()
    }

    /// Whether the content type is JSON, which is also the default.
    private static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        let essence = ContentType.essence(of: contentType)
        return essence.hasSuffix("/json") || essence.hasSuffix("+json")
    }

    package func mapping(_ values: (Value) -> Value, _ texts: (String) -> String) -> CloudEvent {
        var event = self
        event.attributes = values(.object(attributes)).object ?? attributes
        event.data = data.map(values)
        event.text = text.map(texts)
        return event
    }

    private func check() throws(CloudEventError) {
        guard attributes["specversion"] == "1.0" else {
            throw CloudEventError("the event's 'specversion' must be '1.0'")
        }
        for name in ["specversion", "id", "source", "type", "time"] where attributes[name]?.holdsSecret ?? false {
            throw CloudEventError("the event's '\(name)' cannot be secret")
        }
        for name in ["id", "source", "type"] where attributes[name]?.holdsUnknown != true {
            guard let text = attributes[name]?.string, !text.isEmpty else {
                throw CloudEventError("an event needs the attribute '\(name)', a string")
            }
        }
        for (name, value) in attributes {
            guard name.isEventAttribute else {
                throw CloudEventError(
                    "'\(PlainText.exact(name, limit: 100))' cannot be the name of an event's attribute")
            }
            switch value {
            case .string, .bool, .integer: break
            case .marked where value.holdsUnknown || value.revealed.string != nil || value.revealed.integer != nil:
                break
            default:
                throw CloudEventError("the event's attribute '\(name)' must be a string, a boolean or an integer")
            }
        }
        if let time = attributes["time"], !time.holdsUnknown {
            guard let text = time.string, SchemaFormat.dateTime.accepts(text) else {
                throw CloudEventError("the event's 'time' must be a date and time such as '2026-01-31T12:00:00Z'")
            }
        }
    }
}

/// Why something is not a CloudEvents 1.0 event.
public struct CloudEventError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem, in one sentence without a full stop.
    public let description: String

    init(_ description: String) { self.description = description }
}
