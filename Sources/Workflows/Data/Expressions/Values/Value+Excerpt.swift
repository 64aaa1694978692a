extension Value {
    /// The value for messages: its type, and the start of its JSON in parentheses.
    var named: String { "\(typeName) (\(excerpt))" }

    /// The value's JSON as jq shortens it: 29 bytes in all, with dots before the final quote or bracket.
    var excerpt: String {
        if case .marked = self { return json() }
        let text = boundedJSON(levels: 16)
        guard text.utf8.count > 29 else { return text }
        let end =
            switch self {
            case .string: "...\""
            case .array: "...]"
            case .object: "...}"
            default: "..."
            }
        // A character split by the cut is dropped.
        var cut = text.utf8.index(text.startIndex, offsetBy: 29 - end.utf8.count)
        while text.utf8[cut] & 0xC0 == 0x80 { text.utf8.formIndex(before: &cut) }
        return text[..<cut] + end
    }

    /// At least the part of the value's JSON that an excerpt shows, without traversing a large value.
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
            if text.utf8.count > 32 { break }
        }
        return text
    }
}
