extension String {
    /// Percent-encodes each UTF-8 byte that is neither unreserved nor kept.
    ///
    /// Specification: RFC 3986, section 2.
    /// - Parameter kept: The characters to keep in addition to the unreserved ones.
    package func percentEncoded(keeping kept: String = "") -> String {
        let kept = Array(kept.utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(utf8.count)
        for byte in Array(utf8) {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.append(byte)
            case _ where kept.contains(byte): encoded.append(byte)
            default:
                encoded.append(UInt8(ascii: "%"))
                encoded.append(digits[Int(byte >> 4)])
                encoded.append(digits[Int(byte & 15)])
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Encodes what the path and the query of an address cannot have, `#` as well; complete escapes stay.
    package func encodedForAddress(keeping kept: String = "") -> String {
        let parts = split(separator: "%", omittingEmptySubsequences: false)
        let encoded = parts.map { $0.description.percentEncoded(keeping: "/?:@!$&'()*+,;=" + kept) }
        guard let first = encoded.first else { return "" }
        return zip(parts, encoded).dropFirst().reduce(into: first) { text, part in
            text += (part.0.utf8.prefix(2).count { $0.hexadecimalDigit != nil } == 2 ? "%" : "%25") + part.1
        }
    }

    /// Whether a segment of an address is `.` or `..`, encoded or not.
    package var isDotSegment: Bool { utf8.count <= 6 && [".", ".."].contains(percentDecoded ?? "") }
}

extension StringProtocol {
    /// The decoded text; nil if an escape is incomplete, or the bytes are not UTF-8.
    package var percentDecoded: String? {
        percentDecodedBytes.flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Nil if an escape is incomplete.
    var percentDecodedBytes: [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        var rest = Array(utf8).makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next()?.hexadecimalDigit, let low = rest.next()?.hexadecimalDigit else { return nil }
            bytes.append(UInt8(high * 16 + low))
        }
        return bytes
    }
}
