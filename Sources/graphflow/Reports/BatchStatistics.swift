/// The contents of a batch's ledgers: how many items ended in which state, their errors, and the slowest items.
///
/// The memory for each item is a few bytes.
struct BatchStatistics {
    private static let mostSlow = 10

    private(set) var fold = BatchFold()
    private(set) var errors: BatchErrors
    private(set) var slowest: [BatchEntry] = []

    /// Reads ledgers; a second time if some of their lines do not count.
    /// - Parameters:
    ///   - mostExamples: How many items of each kind of error are kept.
    ///   - read: Passes the lines about items of each ledger, in order, and the items that were dropped between them.
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

    /// The counts of a batch with so many items.
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
