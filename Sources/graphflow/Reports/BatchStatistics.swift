import Essentials
import Workflows

/// What the ledgers of a batch say: how many items ended in which way, their errors, and the slowest ones.
///
/// Each item costs a few bytes, however many there are.
struct BatchStatistics {
    /// How many of the slowest items are kept.
    private static let mostSlow = 10

    private(set) var fold = BatchFold()
    private(set) var errors: BatchErrors
    /// The items that took longest, the slowest first.
    private(set) var slowest: [BatchEntry] = []

    /// Reads ledgers; a second time if not each of their lines counts.
    /// - Parameters:
    ///   - mostExamples: How many items of each kind of error are kept.
    ///   - read: Gives the lines about items of each ledger, in order, and the items that were dropped between them.
    init(
        mostExamples: Int = BatchErrors.fewExamples,
        _ read: (
            _ take: (_ entry: BatchEntry, _ line: Int, _ ledger: Int) -> Void, _ drop: (_ item: String) -> Void
        ) throws -> Void
    ) rethrows {
        var statistics = Self(errors: BatchErrors(mostExamples: mostExamples))
        try read(
            { entry, line, ledger in
                statistics.fold.take(entry, line: line, ledger: ledger)
                statistics.add(entry)
            }, { statistics.fold.drop($0) })
        if !statistics.fold.isPlain {
            (statistics.errors, statistics.slowest) = (BatchErrors(mostExamples: mostExamples), [])
            try read(
                { entry, line, ledger in
                    if statistics.fold.isFinal(entry, line: line, ledger: ledger) { statistics.add(entry) }
                }, { _ in })
        }
        self = statistics
    }

    private init(errors: BatchErrors) { self.errors = errors }

    /// The counts of a batch that has so many items.
    func counts(of total: Int) -> BatchCounts {
        var counts = fold.counts
        counts.total = total
        return counts
    }

    private mutating func add(_ entry: BatchEntry) {
        if entry.state != .completed { errors.add(entry) }
        guard slowest.count < Self.mostSlow || entry.duration > slowest.last?.duration ?? 0 else { return }
        let place = slowest.firstIndex { $0.duration < entry.duration } ?? slowest.count
        slowest.insert(entry, at: place)
        if slowest.count > Self.mostSlow { slowest.removeLast() }
    }
}
