/// Finds secrets in texts, including encoded ones: base64, hexadecimal, and escaped characters.
///
/// A message can be cut before it gets here. ``PlainText`` and the messages of jq leave a mark at the cut; the start of
/// a secret before it is found.
package struct SecretSearch: Sendable {
    /// Shorter texts are not searched for: they would be found everywhere.
    static let shortest = 4
    /// The maximum number of bytes for a byte of a pattern, with escaped characters and line breaks.
    private static let widest = 8

    private struct Pattern {
        var bytes: [UInt8]
        var isBase64: Bool
        var names: [String]
        var hasEscape: Bool

        init(bytes: [UInt8], isBase64: Bool, names: [String]) {
            (self.bytes, self.isBase64, self.names) = (bytes, isBase64, names)
            hasEscape = bytes.contains(where: EscapedCharacter.canBegin)
        }

        /// Whether a byte outside the pattern can occur in it: of an escaped character, a break or a cut.
        func canContinue(with byte: UInt8) -> Bool {
            byte >= 0x80 || byte == UInt8(ascii: ".") || EscapedCharacter.canBegin(with: byte)
                || isBase64 && byte.isBreak
        }
    }

    struct Finding {
        var range: Range<Int>
        var names: [String]
    }

    /// The patterns by their first byte, the longest first.
    private var patterns = [[Pattern]](repeating: [], count: 256)
    /// The maximum expected length of a secret in a text, in bytes.
    package private(set) var longest = 0
    private var begins = [Bool](repeating: false, count: 256)
    var isEmpty: Bool { longest == 0 }

    package init() {}

    /// Adds a text to search for, with its encodings; a known text keeps its names.
    mutating func add(_ text: String, of names: [String]) {
        guard text.utf8.count >= Self.shortest else { return }
        for written in text.encodings { add(bytes: Array(written.utf8), names) }
        for written in text.base64Encodings { add(bytes: Array(written.utf8), isBase64: true, names) }
    }

    mutating func add(exactly text: String, of names: [String]) { add(bytes: Array(text.utf8), names) }

    private mutating func add(bytes: [UInt8], isBase64: Bool = false, _ names: [String]) {
        guard bytes.count >= Self.shortest else { return }
        let first = Int(bytes[0])
        guard !patterns[first].contains(where: { $0.bytes == bytes }) else { return }
        let place = patterns[first].firstIndex { $0.bytes.count < bytes.count } ?? patterns[first].endIndex
        patterns[first].insert(Pattern(bytes: bytes, isBase64: isBase64, names: names), at: place)
        longest = max(longest, bytes.count * Self.widest)
        begins[first] = true
        for byte in "%\\&+".utf8 { begins[Int(byte)] = true }
    }

    /// The parts of a text that contains a secret; nil if it contains none.
    /// - Complexity: O(n), times the number of patterns with the same first byte.
    package func parts(of text: String) -> [TextPart]? {
        guard !isEmpty, text.utf8.count >= Self.shortest else { return nil }
        let bytes = Array(text.utf8)
        let findings = findings(in: bytes)
        guard !findings.isEmpty else { return nil }
        func piece(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        var parts: [TextPart] = []
        var taken = 0
        for finding in findings {
            if taken < finding.range.lowerBound { parts.append(.plain(piece(taken..<finding.range.lowerBound))) }
            parts.append(.secret(Confidential(.string(piece(finding.range)), of: finding.names)))
            taken = finding.range.upperBound
        }
        if taken < bytes.count { parts.append(.plain(piece(taken..<bytes.count))) }
        return parts
    }

    func findings(in bytes: [UInt8]) -> [Finding] {
        guard !isEmpty else { return [] }
        var findings: [Finding] = []
        var place = 0
        while place + Self.shortest <= bytes.count {
            guard begins[Int(bytes[place])], let finding = finding(at: place, in: bytes) else {
                place += 1
                continue
            }
            findings.append(finding)
            place = finding.range.upperBound
        }
        return findings
    }

    private func finding(at place: Int, in bytes: [UInt8]) -> Finding? {
        var cut: (finding: Finding, read: Int)?
        func look(_ candidates: [Pattern]) -> Finding? {
            for pattern in candidates {
                guard let match = Self.match(pattern, at: place, in: bytes) else { continue }
                let finding = Finding(range: place..<match.end, names: pattern.names)
                if match.read == pattern.bytes.count { return finding }
                if match.read > cut?.read ?? 0 { cut = (finding, match.read) }
            }
            return nil
        }
        if let whole = look(patterns[Int(bytes[place])]) { return whole }
        if EscapedCharacter.canBegin(with: bytes[place]), let character = EscapedCharacter(bytes, at: place),
            let whole = look(patterns[Int(character[0])])
        {
            return whole
        }
        return cut?.finding
    }

    /// The end of a pattern at a place, and how many of its bytes are there; nil if it does not begin there.
    private static func match(_ pattern: Pattern, at start: Int, in bytes: [UInt8]) -> (end: Int, read: Int)? {
        // Most texts have the pattern unchanged, or not at all.
        let count = pattern.bytes.count
        var read = 0
        while read < count, start + read < bytes.count, bytes[start + read] == pattern.bytes[read] { read += 1 }
        guard read < count else { return (start + read, read) }
        guard pattern.hasEscape || start + read < bytes.count && pattern.canContinue(with: bytes[start + read]) else {
            return nil
        }
        let cut = cutMatch(at: start + read, in: bytes, after: start, read)
        let lenient = lenientMatch(pattern, at: start, in: bytes)
        guard let cut, cut.read > lenient?.read ?? 0 else { return lenient }
        return cut
    }

    /// As ``match(_:at:in:)``, with escaped characters, line breaks and the mark of a cut.
    private static func lenientMatch(_ pattern: Pattern, at start: Int, in bytes: [UInt8]) -> (end: Int, read: Int)? {
        var (place, read) = (start, 0)
        var cut: (end: Int, read: Int)?
        while read < pattern.bytes.count {
            guard place < bytes.count else { return cut }
            // The first byte of a cut character can be the secret's next one as well.
            if EscapedCharacter.canBegin(with: bytes[place]) {
                cut = cutMatch(at: place, in: bytes, after: start, read) ?? cut
            }
            if let character = EscapedCharacter(bytes, at: place), pattern.bytes.has(character, at: read) {
                (place, read) = (character.end, read + character.count)
            } else if bytes[place] == pattern.bytes[read] {
                (place, read) = (place + 1, read + 1)
            } else if pattern.isBase64, read > 0, let end = bytes.endOfBreak(at: place) {
                place = end
            } else {
                return cutMatch(at: place, in: bytes, after: start, read) ?? cut
            }
        }
        return (place, read)
    }

    /// The end of a pattern that was cut at a place; nil if there is no cut, or too little before it.
    private static func cutMatch(
        at place: Int, in bytes: [UInt8], after start: Int, _ read: Int
    ) -> (end: Int, read: Int)? {
        // The mark and the secret can share their first bytes.
        for back in 0..<3 where place - back > start && read - back >= shortest && place - back < bytes.count {
            if let end = bytes.cut(near: place - back) { return (end, read - back) }
        }
        return nil
    }
}

extension [UInt8] {
    private static let cuts = [Array(PlainText.cutMark.utf8), Array("...".utf8)]
    /// A cut escaped character is shorter.
    private static let mostOfCharacter = 12

    fileprivate func has(_ character: EscapedCharacter, at place: Int) -> Bool {
        place + character.count <= count && (0..<character.count).allSatisfy { self[place + $0] == character[$0] }
    }

    /// The index after a line break or a blank, which can be escaped.
    fileprivate func endOfBreak(at place: Int) -> Int? {
        if self[place].isBreak { return place + 1 }
        guard let character = EscapedCharacter(self, at: place), character.isBreak else { return nil }
        return character.end
    }

    /// The index of the mark of a cut at a place, or after a cut escaped character; nil if there is none.
    fileprivate func cut(near place: Int) -> Int? {
        if isCut(at: place) { return place }
        guard EscapedCharacter.canBegin(with: self[place]) else { return nil }
        return (place + 1..<Swift.min(count, place + Self.mostOfCharacter)).first { isCut(at: $0) }
    }

    private func isCut(at place: Int) -> Bool { Self.cuts.contains { self[place...].starts(with: $0) } }
}
