/// Formats of email addresses, host names, IP addresses and UUIDs.
enum AddressFormats {
    /// RFC 5321's mailbox: a dot-atom or quoted string, `@`, and a host name or an address in brackets.
    static func isEmail(_ text: [UInt8]) -> Bool {
        guard let at = text.lastIndex(of: UInt8(ascii: "@")), at > 0 else { return false }
        let domain = text[(at + 1)...]
        if domain.first == UInt8(ascii: "["), domain.last == UInt8(ascii: "]"), domain.count > 2 {
            let address = domain.dropFirst().dropLast()
            let isIPv6 = address.starts(with: "IPv6:".utf8) && Self.isIPv6(address.dropFirst(5))
            guard isIPv6 || isIPv4(address) else { return false }
        } else {
            guard isHostname(domain) else { return false }
        }
        let local = text[..<at]
        if local.first == UInt8(ascii: "\"") { return isQuoted(local) }
        return local.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty
                && atom.allSatisfy { $0 >= 0x80 || $0.isLetterOrDigit || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
        }
    }

    private static func isQuoted(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count >= 2, text.last == UInt8(ascii: "\"") else { return false }
        var isEscaped = false
        for byte in text.dropFirst().dropLast() {
            guard byte >= 0x20, byte != 0x7F else { return false }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return false
            }
        }
        return !isEscaped
    }

    /// An RFC 1123 host name: labels of letters, digits and inner hyphens.
    static func isHostname(_ text: ArraySlice<UInt8>) -> Bool {
        guard !text.isEmpty, text.count <= 253 else { return false }
        return text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
        }
    }

    static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0"),
                    part.allSatisfy({ $0.decimalDigit != nil })
                else { return false }
                return part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
            }
    }

    /// An IPv6 address (RFC 4291, section 2.2), without a zone.
    static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
        var groups = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard groups.count >= 3, groups.count <= 9 else { return false }
        var needed = 8
        if let last = groups.last, last.contains(UInt8(ascii: ".")) {
            guard isIPv4(last) else { return false }
            groups.removeLast()
            needed = 6
        }
        // A '::' appears as one empty group inside, or as two at either end.
        let empty = groups.indices.filter { groups[$0].isEmpty }
        let full = groups.count - empty.count
        guard groups.allSatisfy({ $0.count <= 4 && $0.allSatisfy { $0.hexadecimalDigit != nil } }) else { return false }
        guard !empty.isEmpty else { return full == needed }
        guard full < needed else { return false }
        let isAtStart = groups.first?.isEmpty == true
        let isAtEnd = needed == 8 && groups.last?.isEmpty == true
        switch (isAtStart, isAtEnd) {
        case (true, true): return groups.count == 3 && full == 0
        case (true, false): return groups.count >= 2 && groups[1].isEmpty && empty.count == 2
        case (false, true): return groups[groups.count - 2].isEmpty && empty.count == 2
        case (false, false): return empty.count == 1
        }
    }

    static func isUUID(_ text: [UInt8]) -> Bool {
        text.count == 36
            && text.indices.allSatisfy { position in
                [8, 13, 18, 23].contains(position)
                    ? text[position] == UInt8(ascii: "-") : text[position].hexadecimalDigit != nil
            }
    }
}

extension UInt8 {
    var isLetterOrDigit: Bool { decimalDigit != nil || (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= self | 0x20 }
}
