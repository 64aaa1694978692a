extension String {
    /// The text as services write it, except for escaped characters and base64.
    var encodings: [String] {
        let hex = utf8.hex
        return [
            self, hex, hex.uppercased(),
            // In a one-line message, line breaks became blanks.
            PlainText.line(self, limit: .max),
            // A request's method is in capitals, and a host in small letters.
            uppercased(), lowercased(),
            // A word of a shell.
            replacing("'", with: "'\\''"),
        ]
    }

    /// The base64 of the text, plain or escaped, including what the program itself encodes.
    var base64Encodings: [String] { Set([self] + escaped).flatMap(\.base64Cores) }

    private var escaped: [String] {
        let json = String(Value.string(self).json().dropFirst().dropLast())
        let percent = percentEncoded()
        return [
            json, json.replacing("/", with: "\\/"), asciiJSON(digits: "0123456789abcdef"),
            asciiJSON(digits: "0123456789ABCDEF"), percent, percent.inLowerCaseEscapes,
            percent.replacing("%20", with: "+"), percent.inLowerCaseEscapes.replacing("%20", with: "+"), htmlEscaped,
            htmlEscaped.replacing("&#39;", with: "&apos;").replacing("&quot;", with: "&#34;"),
            htmlEscaped.replacing("&#39;", with: "&#x27;"), htmlEscaped.replacing("&quot;", with: "&#34;"),
        ]
    }

    private var inLowerCaseEscapes: String { replacing(/%[0-9A-F]{2}/) { $0.output.lowercased() } }

    /// The text as a JSON string without its quotes, with only ASCII characters.
    private func asciiJSON(digits: String) -> String {
        let digits = Array(digits)
        return String(Value.string(self).json().dropFirst().dropLast()).utf16.reduce(into: "") { text, unit in
            if let scalar = Unicode.Scalar(unit), scalar.isASCII {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u"
                for shift in [12, 8, 4, 0] { text.append(digits[Int(unit >> shift) & 15]) }
            }
        }
    }

    /// The parts of the text's base64 that do not depend on the surrounding text, for each alignment and alphabet.
    private var base64Cores: [String] {
        (0..<3).flatMap { shift -> [String] in
            let encoded = Data(repeatElement(0, count: shift) + Array(utf8)).base64EncodedString()
            // Each character has 6 bits.
            let first = (shift * 8 + 5) / 6
            let end = (shift + utf8.count) * 8 / 6
            let core = String(encoded.prefix(end).dropFirst(first))
            return [core, core.replacing("+", with: "-").replacing("/", with: "_")]
        }
    }
}
