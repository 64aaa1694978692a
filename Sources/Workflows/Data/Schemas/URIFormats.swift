/// URIs (RFC 3986) and URI templates (RFC 6570).
enum URIFormats {
    /// Whether this is a URI or, if allowed, a relative reference.
    static func isReference(_ text: [UInt8], needsScheme: Bool) -> Bool {
        var rest = text[...]
        var hasScheme = false
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")),
            !rest[..<colon].contains(where: { "/?#".utf8.contains($0) })
        {
            let scheme = rest[..<colon]
            guard let first = scheme.first, first.decimalDigit == nil, first.isLetterOrDigit,
                scheme.allSatisfy({ $0.isLetterOrDigit || "+-.".utf8.contains($0) })
            else { return false }
            rest = rest[(colon + 1)...]
            hasScheme = true
        }
        guard hasScheme || !needsScheme else { return false }
        if let mark = rest.firstIndex(of: UInt8(ascii: "#")) {
            guard isText(rest[(mark + 1)...], and: "/?") else { return false }
            rest = rest[..<mark]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            guard isText(rest[(mark + 1)...], and: "/?") else { return false }
            rest = rest[..<mark]
        }
        guard rest.starts(with: "//".utf8) else { return isText(rest, and: "/") }
        rest = rest.dropFirst(2)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        return isAuthority(authority) && isText(rest.dropFirst(authority.count), and: "/")
    }

    private static func isAuthority(_ text: ArraySlice<UInt8>) -> Bool {
        var host = text
        if let at = host.lastIndex(of: UInt8(ascii: "@")) {
            guard isText(host[..<at], and: ""), !host[..<at].contains(UInt8(ascii: "@")) else { return false }
            host = host[(at + 1)...]
        }
        if host.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { return false }
            guard isLiteral(host[(host.startIndex + 1)..<end]) else { return false }
            let port = host[(end + 1)...]
            return port.isEmpty
                || (port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy { $0.decimalDigit != nil })
        }
        if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
            guard host[(colon + 1)...].allSatisfy({ $0.decimalDigit != nil }) else { return false }
            host = host[..<colon]
        }
        return isText(host, and: "") && !host.contains(UInt8(ascii: "@"))
    }

    /// The inside of `[…]`: an IPv6 address, or one of a future version.
    private static func isLiteral(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, first | 0x20 == UInt8(ascii: "v") else { return AddressFormats.isIPv6(text) }
        let version = text.dropFirst().prefix { $0.hexadecimalDigit != nil }
        let rest = text.dropFirst(1 + version.count)
        return !version.isEmpty && rest.count > 1 && rest.first == UInt8(ascii: ".")
            && isText(rest.dropFirst(), and: "")
    }

    /// Whether all characters are valid in a path segment or listed, with complete percent escapes.
    private static func isText(_ text: ArraySlice<UInt8>, and others: String) -> Bool {
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.popFirst()?.hexadecimalDigit != nil, rest.popFirst()?.hexadecimalDigit != nil else {
                    return false
                }
                continue
            }
            guard byte.isLetterOrDigit || "-._~!$&'()*+,;=:@".utf8.contains(byte) || others.utf8.contains(byte) else {
                return false
            }
        }
        return true
    }

    /// A URI template (RFC 6570, section 2).
    static func isTemplate(_ text: String) -> Bool {
        var rest = Array(text.unicodeScalars)[...]
        while let character = rest.popFirst() {
            switch character {
            case "{":
                guard let end = rest.firstIndex(of: "}"), isExpression(rest[..<end]) else { return false }
                rest = rest[(end + 1)...]
            case "%":
                guard rest.count >= 2, rest.prefix(2).allSatisfy(\.properties.isASCIIHexDigit) else { return false }
            case "}", "\"", "'", "<", ">", "\\", "^", "`", "|": return false
            default:
                if character.value <= 0x20 || character.value == 0x7F { return false }
            }
        }
        return true
    }

    private static func isExpression(_ expression: ArraySlice<Unicode.Scalar>) -> Bool {
        var names = expression
        if let first = names.first, "+#./;?&=,!@|".unicodeScalars.contains(first) { names = names.dropFirst() }
        return names.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { specification in
            var name = specification
            if name.last == "*" {
                name = name.dropLast()
            } else if let colon = name.lastIndex(of: ":") {
                let length = name[(colon + 1)...]
                guard (1...4).contains(length.count), length.first != "0",
                    length.allSatisfy({ ("0"..."9") ~= $0 })
                else { return false }
                name = name[..<colon]
            }
            return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { isName(Array($0)) }
        }
    }

    private static func isName(_ name: [Unicode.Scalar]) -> Bool {
        var position = 0
        guard !name.isEmpty else { return false }
        while position < name.count {
            if name[position] == "%" {
                guard position + 2 < name.count,
                    name[(position + 1)...(position + 2)].allSatisfy(\.properties.isASCIIHexDigit)
                else { return false }
                position += 3
            } else {
                guard name[position] == "_" || (name[position].isASCII && UInt8(name[position].value).isLetterOrDigit)
                else {
                    return false
                }
                position += 1
            }
        }
        return true
    }
}
