/// Decides which run begins next: the runs of a workflow in their order, and workflows in turn.
package final class RunQueue: Sendable {
    /// Begins a run; the promise is settled at the run's end.
    package typealias Start = @Sendable () -> Promise<Void>

    private struct Lane {
        var waiting: [Start] = []
        var activeCount = 0
        /// The number of the run that began last; 0 for none.
        var last = 0
    }

    private struct State {
        var lanes: [String: Lane] = [:]
        /// The names of the lanes in the order in which they came.
        var turns: [String] = []
        var active: [Int: Promise<Void>] = [:]
        var activeCount = 0
        var next = 0
        var isClosed = false
        var onIdle: [Resolver<Void>] = []
    }

    private let limit: Int
    private let limitPerWorkflow: Int
    private let state = Locked(State())

    package init(limit: Int, limitPerWorkflow: Int) {
        self.limit = limit
        self.limitPerWorkflow = min(limit, limitPerWorkflow)
    }

    package var activeCount: Int { state.withLock { $0.activeCount } }

    package var noneLeft: Promise<Void> {
        Promise { resolver in
            let isIdle = state.withLock { state in
                if state.activeCount > 0 { state.onIdle.append(resolver) }
                return state.activeCount == 0
            }
            if isIdle { resolver.fulfill(()) }
        }
    }

    package func add(_ workflow: String, _ start: @escaping Start) {
        state.withLock { state in
            guard !state.isClosed else { return }
            if state.lanes[workflow] == nil { state.turns.append(workflow) }
            state.lanes[workflow, default: Lane()].waiting.append(start)
        }
        beginDue()
    }

    /// Begins no more runs; waiting runs are dropped.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            for name in state.turns { state.lanes[name]?.waiting = [] }
        }
    }

    package func cancelAll() { for run in state.withLock({ Array($0.active.values) }) { run.cancel() } }

    private func beginDue() {
        while let (number, workflow, start) = state.withLock({ takeNext(from: &$0) }) {
            // Beginning a run waits for the disk, which must not block one of the few threads of the queues.
            SystemThread.start { [self] in
                let run = start()
                state.withLock { state in
                    if run.result == nil { state.active[number] = run }
                }
                run.finally { [self] _ in end(number, of: workflow) }
            }
        }
    }

    private func takeNext(from state: inout State) -> (number: Int, workflow: String, start: Start)? {
        guard state.activeCount < limit else { return nil }
        let due = state.turns.filter { name in
            guard let lane = state.lanes[name] else { return false }
            return !lane.waiting.isEmpty && lane.activeCount < limitPerWorkflow
        }
        // The workflow that has waited longest for its turn.
        let next = due.min { state.lanes[$0]?.last ?? 0 < state.lanes[$1]?.last ?? 0 }
        guard let workflow = next, let start = state.lanes[workflow]?.waiting.removeFirst() else { return nil }
        state.next += 1
        state.lanes[workflow]?.last = state.next
        state.lanes[workflow]?.activeCount += 1
        state.activeCount += 1
        return (state.next, workflow, start)
    }

    private func end(_ number: Int, of workflow: String) {
        let idle = state.withLock { state -> [Resolver<Void>] in
            state.active[number] = nil
            state.activeCount -= 1
            state.lanes[workflow]?.activeCount -= 1
            guard state.activeCount == 0 else { return [] }
            defer { state.onIdle = [] }
            return state.onIdle
        }
        for resolver in idle { resolver.fulfill(()) }
        beginDue()
    }
}
