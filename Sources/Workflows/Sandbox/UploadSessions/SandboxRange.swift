/// A request's range, from its `Content-Range`: `bytes 0-327679/1000000`.
struct SandboxRange: Equatable {
    var first: Int
    var last: Int
    var total: Int

    var count: Int { last - first + 1 }
    var isLast: Bool { last == total - 1 }

    /// Nil if the field is missing or not a range (RFC 9110, section 14.4).
    init?(parsing text: String?) {
        guard let text, text.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst("bytes ".count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            let total = Self.number(parts[1]), first <= last, last < total
        else { return nil }
        (self.first, self.last, self.total) = (first, last, total)
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}
