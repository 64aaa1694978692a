/// Finds secrets in texts, also as services write them: in base64, percent-encoded, escaped, in hexadecimal.
struct SecretSearch: Sendable {
    /// Shorter texts are not searched for: they would be found everywhere.
    static let shortest = 4

    private struct Pattern {
        var bytes: [UInt8]
        var names: [String]
    }

    /// The patterns by their first byte, the longest first.
    private var patterns = [[Pattern]](repeating: [], count: 256)
    private(set) var isEmpty = true

    /// Adds a text to search for, with its encodings; a text that is known keeps its names.
    mutating func add(_ text: String, of names: [String]) {
        guard text.utf8.count >= Self.shortest else { return }
        for written in [text] + text.encodings { add(exactly: written, of: names) }
    }

    /// Adds a text to search for as it is.
    mutating func add(exactly text: String, of names: [String]) { add(bytes: Array(text.utf8), names) }

    private mutating func add(bytes: [UInt8], _ names: [String]) {
        guard bytes.count >= Self.shortest else { return }
        let first = Int(bytes[0])
        guard !patterns[first].contains(where: { $0.bytes == bytes }) else { return }
        let place = patterns[first].firstIndex { $0.bytes.count < bytes.count } ?? patterns[first].endIndex
        patterns[first].insert(Pattern(bytes: bytes, names: names), at: place)
        isEmpty = false
    }

    /// The parts of a text in which there is a secret; nil if there is none.
    /// - Complexity: O(n), times the number of patterns with the same first byte.
    func parts(of text: String) -> [TextPart]? {
        guard !isEmpty, text.utf8.count >= Self.shortest else { return nil }
        let bytes = Array(text.utf8)
        var parts: [TextPart] = []
        var (place, taken) = (0, 0)
        while place + Self.shortest <= bytes.count {
            guard let pattern = pattern(at: place, in: bytes) else {
                place += 1
                continue
            }
            if taken < place { parts.append(.plain(String(decoding: bytes[taken..<place], as: UTF8.self))) }
            let end = place + pattern.bytes.count
            parts.append(
                .secret(
                    Confidential(.string(String(decoding: bytes[place..<end], as: UTF8.self)), of: pattern.names)))
            (place, taken) = (end, end)
        }
        guard !parts.isEmpty else { return nil }
        if taken < bytes.count { parts.append(.plain(String(decoding: bytes[taken...], as: UTF8.self))) }
        return parts
    }

    private func pattern(at place: Int, in bytes: [UInt8]) -> Pattern? {
        let candidates = patterns[Int(bytes[place])]
        guard !candidates.isEmpty else { return nil }
        return candidates.first { pattern in
            guard place + pattern.bytes.count <= bytes.count else { return false }
            for offset in 0..<pattern.bytes.count where bytes[place + offset] != pattern.bytes[offset] { return false }
            return true
        }
    }
}
