extension String {
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
    /// Inserts a text into HTML, escaped for content and quoted attributes: `\(html: name)`.
    public mutating func appendInterpolation(html text: String) {
        appendLiteral(text.htmlEscaped)
    }
}
