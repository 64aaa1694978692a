/// The active runs inside another run.
final class InnerRuns: Sendable {
    private struct Runs {
        var all: [(run: Run, task: JSONPointer)] = []
        var left: [(run: Run, end: Promise<Void>, cancel: @Sendable () -> Void)] = []
    }

    private let runs = Locked(Runs())
    /// The runs inside the outermost run: the active ones, and all that are inside a run of the same workflow.
    private let numbers: Locked<(atWork: Int, recursive: Int)>

    /// Creates a list for a run, which shares its numbers with the run around it.
    init(inside outer: InnerRuns? = nil) { numbers = outer?.numbers ?? Locked((0, 0)) }

    var countOfAll: Int { numbers.withLock { $0.atWork } }

    /// Counts a run inside one of the same workflow, and returns their number, including ended ones.
    func countRecursive() -> Int {
        numbers.withLock {
            $0.recursive += 1
            return $0.recursive
        }
    }

    func inside(_ task: JSONPointer) -> [Run] {
        runs.withLock { $0.all.filter { $0.task.tokens.starts(with: task.tokens) }.map(\.run) }
    }

    /// Adds a run; returns whether the run around it has no other.
    func add(_ run: Run, at task: JSONPointer) -> Bool {
        numbers.withLock { $0.atWork += 1 }
        return runs.withLock { runs in
            runs.all.append((run, task))
            return runs.all.count == 1
        }
    }

    func remove(_ run: Run) {
        let removed = runs.withLock { runs in
            let count = runs.all.count
            runs.all.removeAll { $0.run === run }
            runs.left.removeAll { $0.run === run }
            return count - runs.all.count
        }
        numbers.withLock { $0.atWork -= removed }
    }

    /// Adds a run that no task waits for; the outer run waits for it at its own end.
    func leave(_ run: Run, _ promise: Promise<Value>, at task: JSONPointer) {
        _ = add(run, at: task)
        let (end, resolver) = Promise<Void>.pending()
        runs.withLock { $0.left.append((run, end, { promise.cancel() })) }
        // Its errors are recorded in its own events.
        promise.done { _ in }.catch(policy: .allErrors) { _ in }.finally {
            self.remove(run)
            resolver.fulfill()
        }
    }

    var endOfLeft: Promise<Void> { when(fulfilled: runs.withLock { $0.left.map(\.end) }).map { _ in } }

    func cancelLeft() { for cancel in runs.withLock({ $0.left.map(\.cancel) }) { cancel() } }
}
