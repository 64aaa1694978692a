/// `--no-journal` and `--keep`: how many runs are kept, so that their folder does not grow forever.
struct RetentionOption: OptionGroup {
    static let usual = 1_000

    @Flag private var isWithoutJournal: Bool
    @Option(
        "keep", "N",
        "Keep the newest N runs that have ended (default: 1000).\nRuns that can be resumed are kept as well.",
        as: .count(from: 1))
    private var given: Int?

    /// - Parameter help: The help of `--no-journal`.
    init(withoutJournal help: String) { _isWithoutJournal = Flag("no-journal", help) }

    func validate() throws(UsageError) { try exclude($given, $isWithoutJournal) }

    /// How many runs are kept; nil with `--no-journal`.
    var count: Int? { isWithoutJournal ? nil : given ?? Self.usual }
}

/// Removes the oldest runs beyond a count whenever a run has ended; failing to do so is only a warning.
struct Retention: Sendable {
    private let count: Int
    private let folder: RunsFolder
    private let console: Console
    /// Is called before runs are removed; false keeps them.
    private let prepare: @Sendable () -> Bool
    /// The finished runs that are known, which do not change: reading all journals after each run would take too long.
    private let state = Locked((over: Set<String>(), isAtWork: false, isDue: false))

    init(
        keeping count: Int, in folder: RunsFolder, _ console: Console,
        after prepare: @escaping @Sendable () -> Bool = { true }
    ) {
        self.prepare = prepare
        self.count = count
        self.folder = folder
        self.console = console
    }

    /// Removes the runs now, or lets a call in progress check again.
    func prune() {
        guard var over = begin() else { return }
        repeat {
            do throws(JournalError) {
                try folder.prune(keeping: count, over: &over, after: prepare)
            } catch {
                console.complain("warning: old runs cannot be removed: \(error)")
            }
        } while !end(knowing: over)
    }

    private func begin() -> Set<String>? {
        state.withLock { state in
            state.isDue = state.isAtWork
            guard !state.isAtWork else { return nil }
            state.isAtWork = true
            return state.over
        }
    }

    /// Whether no run has ended meanwhile.
    private func end(knowing over: Set<String>) -> Bool {
        state.withLock { state in
            defer { state.isDue = false }
            guard !state.isDue else { return false }
            (state.over, state.isAtWork) = (over, false)
            return true
        }
    }
}
