/// The `@name` formats, which escape or encode a value for another language.
package enum Format: String, Sendable, CaseIterable {
    case text, json, html, uri, csv, tsv, sh, base64, base64d, base32, base32d, urid

    func apply(_ value: Value, _ evaluation: Evaluation) throws(Signal) -> String {
        switch self {
        case .text: return try value.text(evaluation)
        case .json: return try value.jsonText(evaluation)
        case .html: return try value.text(evaluation).replacing(Self.htmlEscape)
        case .uri: return try value.text(evaluation).percentEncoded()
        case .urid:
            let text = try value.text(evaluation)
            guard let decoded = text.percentDecoded else {
                throw .failure("\(Value.string(text).named) is not a valid uri encoding")
            }
            return decoded
        case .csv: return try row(value, separator: ",", evaluation)
        case .tsv: return try row(value, separator: "\t", evaluation)
        case .sh: return try shell(value, evaluation)
        case .base64: return Data(try value.text(evaluation).utf8).base64EncodedString()
        case .base64d: return try Self.base64Decoded(try value.text(evaluation), value)
        case .base32: return Base32.encode(Array(try value.text(evaluation).utf8))
        case .base32d:
            guard let bytes = Base32.decode(try value.text(evaluation)) else {
                throw .failure("\(value.named) is not valid base32 data")
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private static func htmlEscape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "<": "&lt;"
        case ">": "&gt;"
        case "&": "&amp;"
        case "'": "&apos;"
        case "\"": "&quot;"
        case "\0": "\\0"
        default: nil
        }
    }

    private func row(_ value: Value, separator: String, _ evaluation: Evaluation) throws(Signal) -> String {
        guard case .array(let elements) = value else {
            throw .failure("\(value.named) cannot be \(rawValue)-formatted, only array")
        }
        var fields: [String] = []
        for element in elements {
            try evaluation.step()
            switch element {
            case .null: fields.append("")
            case .double(let number, _) where number.isNaN: fields.append("")
            case .bool, .integer, .double: fields.append(try element.text(evaluation))
            case .string(let text):
                if self == .csv {
                    fields.append("\"" + text.replacing { $0 == "\"" ? "\"\"" : $0 == "\0" ? "\\0" : nil } + "\"")
                } else {
                    fields.append(text.replacing(Self.tabEscape))
                }
            default: throw .failure("\(element.named) is not valid in a csv row")
            }
        }
        return fields.joined(separator: separator)
    }

    private static func tabEscape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\t": "\\t"
        case "\n": "\\n"
        case "\r": "\\r"
        case "\\": "\\\\"
        case "\0": "\\0"
        default: nil
        }
    }

    private func shell(_ value: Value, _ evaluation: Evaluation) throws(Signal) -> String {
        var words: [String] = []
        for element in value.array ?? [value] {
            switch element {
            case .array, .object: throw .failure("\(element.named) can not be escaped for shell")
            case .string(let text):
                words.append("'" + text.replacing { $0 == "'" ? "'\\''" : $0 == "\0" ? "\\0" : nil } + "'")
            default: words.append(try element.text(evaluation))
            }
        }
        return words.joined(separator: " ")
    }

    private static func base64Decoded(_ text: String, _ value: Value) throws(Signal) -> String {
        // As in jq, padding may be missing, and text after it is ignored.
        let symbols = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        let isCut = symbols.count % 4 == 1
        let padding = String(repeating: isCut ? "A" : "=", count: (4 - symbols.count % 4) % 4)
        guard let bytes = Data(base64Encoded: Data(symbols) + Data(padding.utf8)), !symbols.isEmpty || text.isEmpty
        else { throw .failure("\(value.named) is not valid base64 data") }
        if isCut { throw .failure("\(value.named) trailing base64 byte found") }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    func replacing(_ replacement: (Unicode.Scalar) -> String?) -> String {
        var result = ""
        result.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            if let other = replacement(scalar) { result += other } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }
}

extension Value {
    func text(_ evaluation: Evaluation) throws(Signal) -> String {
        if case .string(let text) = self { return text }
        return try jsonText(evaluation)
    }

    func jsonText(_ evaluation: Evaluation) throws(Signal) -> String {
        try checkLevels(evaluation)
        let text = json()
        try evaluation.step(1 + text.utf8.count >> 6)
        try evaluation.allocate(text.utf8.count)
        return text
    }

    /// Rejects values nested too deeply for recursive functions, and charges the budget for traversing them.
    func checkLevels(_ evaluation: Evaluation) throws(Signal) {
        switch self {
        case .array(let elements):
            try evaluation.deeper { () throws(Signal) in
                try evaluation.step(1 + elements.count >> 2)
                for element in elements { try element.checkLevels(evaluation) }
            }
        case .object(let members):
            try evaluation.deeper { () throws(Signal) in
                try evaluation.step(1 + members.count >> 2)
                for member in members { try member.value.checkLevels(evaluation) }
            }
        default: break
        }
    }
}
