import Essentials

/// A message as a run sends it, with all its attachments.
struct PlannedMail {
    struct Attachment {
        let name: String
        let type: String
        let content: PlannedContent
    }

    /// The message without its attachments.
    private(set) var message = Object()
    private(set) var attachments: [Attachment] = []

    /// - Parameter planned: The message of the plan, as Graph describes one.
    init(_ planned: Object, _ reading: inout PlanReading) throws(Unsettled) {
        for (name, member) in planned {
            switch name {
            case "attachments":
                let all = member.unknown == nil ? member : try reading.settled(member)
                for attachment in all.array ?? (all.isNull ? [] : [all]) { try add(attachment, &reading) }
            case "importance":
                // The usual importance is not sent.
                let importance = try reading.settled(member)
                if ![.null, "normal"].contains(importance) { message[name] = importance }
            // A run makes the key that it then looks for; it says nothing of what is sent, or to whom.
            case Mail.Key.property: message[name] = Mail.Key.example
            case "body": message[name] = try Self.body(member, &reading)
            default: message[name] = try reading.settled(member)
            }
        }
    }

    /// Which attachments have room in the message; the others are added to it.
    func fit() throws(Unsettled) -> [Bool] {
        var sizes: [Int] = []
        for attachment in attachments {
            guard let size = attachment.content.size else { throw Unsettled(words: "an attachment has no known size") }
            sizes.append(Mail.Attachment.encodedSize(size, attachment.name, attachment.type))
        }
        return Mail.fit(sizes, into: .object(message))
    }

    /// Whether a message has all of this, with those attachments that have room.
    func isSame(as real: Object) -> Bool {
        var rest = real
        rest["attachments"] = nil
        if let key = rest[Mail.Key.property], Mail.Key.isKey(key) { rest[Mail.Key.property] = Mail.Key.example }
        guard let fits = try? fit(), rest == message else { return false }
        let inside = zip(attachments, fits).filter(\.1).map(\.0)
        let given = real["attachments"]?.array ?? []
        return given.count == inside.count
            && zip(inside, given).allSatisfy { attachment, value in
                guard let bytes = value["contentBytes"]?.string.flatMap({ Data(base64Encoded: $0) }) else {
                    return false
                }
                return value.object?.count == 4 && value["@odata.type"] == "#microsoft.graph.fileAttachment"
                    && value["name"]?.string == attachment.name && value["contentType"]?.string == attachment.type
                    && attachment.content.isAll(bytes)
            }
    }

    private mutating func add(_ planned: Value, _ reading: inout PlanReading) throws(Unsettled) {
        let content: PlannedContent
        let members = planned.object == nil ? try reading.settled(planned) : planned
        if let bytes = members["contentBytes"] {
            content = try Self.content(ofBase64: bytes, &reading)
        } else {
            content = try reading.content(of: members)
        }
        let type = try members["contentType"].map { value throws(Unsettled) in try reading.settled(value) }?.string
        guard let name = try reading.settled(members["name"] ?? .null).string, let type = type ?? content.type else {
            throw Unsettled(words: "an attachment has no name or type")
        }
        attachments.append(Attachment(name: name, type: type, content: content))
    }

    /// Content in base64, whose bytes may be those of an unknown.
    private static func content(ofBase64 value: Value, _ reading: inout PlanReading) throws(Unsettled) -> PlannedContent
    {
        var isText = value.unknown == nil
        if case .computed(let derivation)? = value.unknown?.origin { isText = derivation.expression == "@base64" }
        guard isText else { return try reading.content(of: value) }
        return try reading.content(of: ["base64": try reading.settled(value)])
    }

    private static func body(_ planned: Value, _ reading: inout PlanReading) throws(Unsettled) -> Value {
        var body = planned
        // An argument that is a text in the plan may be an object with the text and its form.
        if let inner = planned["content"]?.unknown, inner.shape != .text, let value = try? reading.value(of: inner),
            value["content"] != nil
        {
            body = value
        }
        let content = body["content"] ?? .null
        let isText = content.unknown == nil && content.object == nil
        let text =
            isText
            ? try reading.settled(content).string
            : try reading.content(of: content).bytes.flatMap { String(validating: $0, as: UTF8.self) }
        guard let text else { throw Unsettled(words: "the message's body is no text") }
        return ["contentType": body["contentType"] == "html" ? "html" : "text", "content": .string(text)]
    }
}
