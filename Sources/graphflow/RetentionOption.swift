import Promises
import Workflows

/// `--keep`: how many runs are kept, so that their folder does not grow forever.
enum RetentionOption {
    static let option = Option(
        name: "keep", argument: .required("N"),
        help: "Keep the newest N runs that have ended (default: 1000).\n"
            + "Runs that can be resumed are kept as well.")

    /// How many are kept unless the option says otherwise.
    static let usual = 1_000

    /// How many runs are kept; nil with `--no-journal`.
    static func count(_ arguments: ParsedArguments) throws(UsageError) -> Int? {
        guard arguments.has("no-journal") else { return try arguments.count("keep", from: 1) ?? usual }
        guard !arguments.has("keep") else {
            throw UsageError("'--keep' and '--no-journal' cannot be used together")
        }
        return nil
    }
}

/// Removes runs beyond a count, each time that a run has ended; a failure is only a warning.
struct Retention: Sendable {
    private let count: Int
    private let folder: RunsFolder
    private let console: Console
    /// What must be done before runs are removed.
    private let prepare: @Sendable () -> Bool
    /// Reading all journals after each run would keep a processor busy: those that are over do not change.
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

    /// Removes them now, or lets the call that is at work look again.
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
