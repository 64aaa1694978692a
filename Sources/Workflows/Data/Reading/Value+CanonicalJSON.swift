extension Value {
    /// The value in the canonical form of JSON (RFC 8785), the same bytes on every machine, for hashes.
    ///
    /// Names are sorted by their UTF-16 code units and numbers written as in ECMAScript. An integer that no double
    /// holds, of which the RFC says nothing, keeps all its digits, so that two such integers are never the same.
    package var canonicalJSON: [UInt8] {
        var writer = JSONWriter(canonical: ())
        writer.write(self)
        return writer.bytes
    }
}

extension JSONWriter {
    /// Writes a number as ECMAScript's `Number::toString` does.
    mutating func writeCanonical(_ double: Double) {
        if double < 0 { bytes.append(UInt8(ascii: "-")) }
        let (digits, point) = Self.digits(of: double.magnitude)
        switch point {
        case digits.count...21:
            bytes += digits
            bytes += repeatElement(UInt8(ascii: "0"), count: point - digits.count)
        case 1...21:
            bytes += digits[..<point] + [UInt8(ascii: ".")] + digits[point...]
        case -5...0:
            bytes += "0.".utf8
            bytes += repeatElement(UInt8(ascii: "0"), count: -point)
            bytes += digits
        default:
            bytes.append(digits[0])
            if digits.count > 1 { bytes += [UInt8(ascii: ".")] + digits[1...] }
            bytes += "e\(point < 1 ? "-" : "+")\(abs(point - 1))".utf8
        }
    }

    /// Whether a name comes before another by UTF-16 code units, of which those of characters beyond U+FFFF are less
    /// than those of U+E000 to U+FFFF; their first bytes are not.
    static func precedesCanonically(_ left: String, _ right: String) -> Bool {
        func weight(_ byte: UInt8) -> UInt8 { byte == 0xEE || byte == 0xEF ? byte + 0x10 : byte }
        return left.utf8.lexicographicallyPrecedes(right.utf8) { weight($0) < weight($1) }
    }
}
