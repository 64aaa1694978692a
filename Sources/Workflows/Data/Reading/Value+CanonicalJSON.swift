extension Value {
    /// The canonical form of JSON (RFC 8785), for hashes that are equal on every machine.
    ///
    /// Names are sorted by UTF-16 code units and numbers written as in ECMAScript. The RFC does not cover an integer
    /// that no double can hold; it keeps all its digits, so two such integers always differ.
    package var canonicalJSON: [UInt8] {
        var writer = JSONWriter(canonical: ())
        writer.write(self)
        return writer.bytes
    }

    /// Whether it has a number with digits that its canonical form drops, so that the form of another number is equal.
    package var losesDigits: Bool {
        var rest = [self]
        while let value = rest.popLast() {
            switch value {
            case .double(let double, let written?):
                guard double.isFinite, WrittenNumber.compare(written.text, Value.jsonNumber(double)) == 0 else {
                    return true
                }
            case .array(let elements): rest += elements
            case .object(let members): rest += members.values
            default: break
            }
        }
        return false
    }
}

extension JSONWriter {
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

    /// Orders names by UTF-16 code units: characters beyond U+FFFF come before U+E000 to U+FFFF, unlike in UTF-8.
    static func precedesCanonically(_ left: String, _ right: String) -> Bool {
        func weight(_ byte: UInt8) -> UInt8 { byte == 0xEE || byte == 0xEF ? byte + 0x10 : byte }
        return left.utf8.lexicographicallyPrecedes(right.utf8) { weight($0) < weight($1) }
    }
}
