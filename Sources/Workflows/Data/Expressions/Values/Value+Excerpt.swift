extension Value {
    /// The value for messages: its type, and the start of its JSON in parentheses.
    var named: String { "\(typeName) (\(excerpt))" }

    /// The start of the value's JSON: 11 bytes followed by dots, as in jq.
    var excerpt: String {
        if case .marked = self { return json() }
        let text = boundedJSON(levels: 16)
        guard text.utf8.count > 14 else { return text }
        var bytes = Array(text.utf8.prefix(11))
        // A character split by the cut is dropped.
        while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
        if let last = bytes.last, last & 0x80 != 0 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self) + "..."
    }

    /// The value's JSON, or at least the part that an excerpt shows, without traversing a large value.
    private func boundedJSON(levels: Int) -> String {
        switch self {
        case .array where levels == 0, .object where levels == 0: ""
        case .array(let elements): "[" + Self.joined(elements.lazy.map { $0.boundedJSON(levels: levels - 1) }) + "]"
        case .object(let members):
            "{"
                + Self.joined(
                    members.lazy.map {
                        Value.string($0.key).json() + ":" + $0.value.boundedJSON(levels: levels - 1)
                    }) + "}"
        case .string(let string) where string.utf8.count > 64:
            Value.string(String(string.unicodeScalars.prefix(32))).json()
        default: json()
        }
    }

    private static func joined(_ parts: some Sequence<String>) -> String {
        var text = ""
        for part in parts {
            if !text.isEmpty { text += "," }
            text += part
            if text.utf8.count > 16 { break }
        }
        return text
    }
}
