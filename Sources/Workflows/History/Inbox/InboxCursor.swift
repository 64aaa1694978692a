/// How far a workflow has come with the events of an inbox.
package struct InboxCursor: Sendable, Hashable {
    /// Every event before this position has its run, or needs none.
    package private(set) var settled: Int
    /// The settled ranges of later events, by their start.
    private(set) var later: [Int: Int] = [:]

    init(at position: Int) { settled = position }

    /// Settles a range; runs begin in another order than their events arrived.
    mutating func settle(_ range: Range<Int>) {
        guard range.upperBound > settled else { return }
        guard range.lowerBound <= settled else { return later[range.lowerBound] = range.upperBound }
        settled = range.upperBound
        while let next = later.removeValue(forKey: settled) { settled = next }
    }

    package func isSettled(_ position: Int) -> Bool {
        position < settled || later.contains { $0.key <= position && position < $0.value }
    }
}
