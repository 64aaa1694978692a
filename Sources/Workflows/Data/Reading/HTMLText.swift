extension String {
    /// The text with the characters that mean something in HTML written as references.
    package var htmlEscaped: String {
        var escaped = ""
        escaped.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension String.StringInterpolation {
    /// Writes a text into HTML so that it is shown as it is, in content and in quoted attributes: `\(html: name)`.
    public mutating func appendInterpolation(html text: String) {
        appendLiteral(text.htmlEscaped)
    }
}
