/// An id that sorts by creation time: 48 bits of milliseconds and 80 random bits, in 26 characters.
///
/// Source: the ULID specification, with Crockford's base 32.
package struct ULID: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    package init(at date: Date = Date()) {
        var generator = SystemRandomNumberGenerator()
        self.init(at: date, using: &generator)
    }

    package init(at date: Date, using generator: inout some RandomNumberGenerator) {
        let time = UInt64(max(0, date.timeIntervalSince1970 * 1_000)) & 0xFFFF_FFFF_FFFF
        let high = UInt64.random(in: 0..<(1 << 40), using: &generator)
        let low = UInt64.random(in: 0..<(1 << 40), using: &generator)
        description =
            Self.encode(time, characters: 10) + Self.encode(high, characters: 8) + Self.encode(low, characters: 8)
    }

    package init(at date: Date, suffix: String) {
        let time = UInt64(max(0, date.timeIntervalSince1970 * 1_000)) & 0xFFFF_FFFF_FFFF
        description = Self.encode(time, characters: 10) + suffix
    }

    /// The suffix of the name of the run that a cause starts.
    package static func suffix(of cause: String) -> String { suffix(of: SHA256.hash(of: Data(cause.utf8))) }

    /// Replaces the random bits: the first 80 bits of a hash.
    package static func suffix(of hash: [UInt8]) -> String {
        [hash[0..<5], hash[5..<10]].map { half in
            encode(half.reduce(0) { $0 << 8 | UInt64($1) }, characters: 8)
        }.joined()
    }

    static func date(of text: String) -> Date? {
        guard text.utf8.count == 26 else { return nil }
        var time: UInt64 = 0
        for character in text.prefix(10) {
            guard let digit = alphabet.firstIndex(of: character) else { return nil }
            time = time << 5 | UInt64(digit)
        }
        return Date(timeIntervalSince1970: Double(time) / 1_000)
    }

    private static func encode(_ number: UInt64, characters: Int) -> String {
        String(
            (0..<characters).reversed().map { (position: Int) -> Character in
                let digit = number >> (5 * UInt64(position)) & 31
                return alphabet[Int(digit)]
            })
    }
}
