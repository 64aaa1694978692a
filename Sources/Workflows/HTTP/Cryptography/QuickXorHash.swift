/// The hash of file contents in OneDrive for Business.
///
/// It adds each byte to 160 bits, 11 bits after the previous one, and finally adds the number of bytes.
/// Source: Microsoft's description of QuickXorHash.
package enum QuickXorHash {
    /// The positions repeat after 160 bytes, because 11 and 160 have no common divisor.
    private static let period = 160

    package static func base64(of data: Data) -> String {
        var words = [UInt64](repeating: 0, count: period / 8)
        unsafe data.withUnsafeBytes { bytes in
            let whole = bytes.count / 8 * 8
            var word = 0
            for offset in stride(from: 0, to: whole, by: 8) {
                words[word] ^= unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                word = word + 1 == words.count ? 0 : word + 1
            }
            for offset in whole..<bytes.count {
                words[word] ^= unsafe UInt64(bytes[offset]) << (8 * (offset - whole))
            }
        }
        var hash = [UInt8](repeating: 0, count: 20)
        for place in 0..<period {
            let byte = UInt8(truncatingIfNeeded: words[place / 8] >> (8 * (place % 8)))
            let bit = place * 11 % 160
            hash[bit / 8] ^= byte << (bit % 8)
            hash[(bit / 8 + 1) % 20] ^= UInt8(truncatingIfNeeded: UInt16(byte) >> (8 - bit % 8))
        }
        for place in 0..<8 { hash[12 + place] ^= UInt8(truncatingIfNeeded: data.count >> (8 * place)) }
        return Data(hash).base64EncodedString()
    }
}
