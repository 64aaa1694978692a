/// When a planned call sends a request that it does not always send, because that depends on what only a run knows.
package struct PlannedCondition: Sendable, Hashable {
    /// The condition in words: `if the content has more than 10 MiB`.
    package var words: String
    /// The numbers of the kinds of requests, one of which a run sends, from the outermost decision to the innermost.
    package var kinds: [Int]
    /// Whether the request comes on top of those that are counted: a further page, or one in place of a refused one.
    package var isExtra: Bool
    /// What is true in a run that sends the request, as far as the run can tell before it does.
    package var holds: [Value]

    package init(words: String, kinds: [Int] = [], isExtra: Bool = false, holds: [Value] = []) {
        self.words = words
        self.kinds = kinds
        self.isExtra = isExtra
        self.holds = holds
    }

    /// Both conditions: this one, and another one inside it.
    package func and(_ inner: PlannedCondition) -> PlannedCondition {
        PlannedCondition(
            words: "\(words) and \(inner.words.hasPrefix("if ") ? String(inner.words.dropFirst(3)) : inner.words)",
            kinds: kinds + inner.kinds, isExtra: isExtra || inner.isExtra, holds: holds + inner.holds)
    }
}
