/// When a planned call sends a request that it does not always send, because that depends on what only a run knows.
package struct PlannedCondition: Sendable, Hashable {
    /// The condition in words: `if the content has more than 10 MiB`.
    package var words: String
    /// The numbers of the kinds of requests, one of which a run sends, from the outermost decision to the innermost.
    package var kinds: [Int]
    /// Whether the request comes on top of those that are counted: a further page, or one in place of a refused one.
    package var isExtra: Bool

    package init(words: String, kinds: [Int] = [], isExtra: Bool = false) {
        self.words = words
        self.kinds = kinds
        self.isExtra = isExtra
    }

    /// Both conditions: this one, and another one inside it.
    package func and(_ words: String, kind: Int?, isExtra: Bool = false) -> PlannedCondition {
        let inner = words.hasPrefix("if ") ? String(words.dropFirst(3)) : words
        return PlannedCondition(
            words: "\(self.words) and \(inner)", kinds: kinds + (kind.map { [$0] } ?? []),
            isExtra: self.isExtra || isExtra)
    }
}
