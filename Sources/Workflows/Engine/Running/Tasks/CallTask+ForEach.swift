extension Run {
    /// Calls `forEach`; a resumed run takes the arguments from the journal.
    func performItems(_ call: Workflow.Call, _ function: Function, _ task: ActiveTask) throws -> Promise<Outcome> {
        guard call.authentication == nil else {
            throw WorkflowError(
                .configuration,
                detail: "'\(Workflow.Call.forEach)' cannot authenticate: its workflow sends the requests",
                instance: task.reference)
        }
        let recorded = memory(of: task.execution)?.decisions[Workflow.Call.forEach]
        let given = try recorded ?? arguments(of: call, task.input, task.scope)
        let plain = try function.arguments(sent(given))
        // The given arguments, with their unknowns and secrets.
        let known = Value.object(
            Object((given.object ?? [:]).filter { plain[$0.key] != nil }.map { ($0.key, $0.value) }))
        return try performer.performItems(known, task)
    }

    /// How the run of an item ended before this run was resumed; nil if it continues, or begins.
    func recordedEnd(ofItem index: Int, _ task: ActiveTask) -> RunState.End? {
        guard isResumed, let replay = journal.replay else { return nil }
        return replay.inner(of: id, at: task.execution.item(String(index))).flatMap { replay.states[$0.run]?.end }
    }

    func perform(_ index: Int, as number: String, of loop: ForEach, _ task: ActiveTask) throws -> Promise<Value> {
        try perform(
            loop.workflow, loop.reference, at: task.execution.item(number), isAwaited: true, task
        ) {
            try loop.input(of: index, in: self, task)
        }.map(\.value)
    }
}

extension LiveTaskPerformer {
    /// Runs the workflow for each item: at most `concurrency` at a time, in the order of the list.
    ///
    /// A failure that stops the others lets those in progress end, including those of a resumed run's journal.
    func performItems(_ given: Value, _ task: ActiveTask) throws -> Promise<Outcome> {
        let loop = try ForEach(given, given["in"]?.array ?? [], of: run, task)
        if run.memory(of: task.execution)?.decisions[Workflow.Call.forEach] == nil {
            try loop.check(in: run, task)
            run.record(.decided(task.reference, what: Workflow.Call.forEach, value: given), task.occurrence)
        }
        let progress = Locked(ForEach.Progress(loop, of: run, task))
        let lanes = (0..<min(loop.concurrency ?? 1, loop.items.count)).map { _ in lane(of: loop, progress, task) }
        return when(fulfilled: lanes).map { _ in
            let results = progress.withLock { $0.results }
            if loop.failure == .stop {
                for (index, result) in results.enumerated() {
                    if case .failed(let error) = result { throw loop.error(error, of: index, in: run, task) }
                }
            }
            return Outcome(value: loop.output(results), flow: task.then)
        }
    }

    /// Runs the workflow for one item after the other, until none is left.
    private func lane(of loop: ForEach, _ progress: Locked<ForEach.Progress>, _ task: ActiveTask) -> Promise<Void> {
        repeating(()) { _ -> Promise<Step<Void, Void>> in
            guard let index = progress.withLock({ $0.next() }) else { return .value(.done(())) }
            return firstly { try run.perform(index, as: String(index), of: loop, task) }.map { output in
                progress.withLock { $0.results[index] = .completed(output) }
                return .again(())
            }.recover { error -> Promise<Step<Void, Void>> in
                let error = WorkflowError(error, at: task.reference)
                guard !error.is(.cancelled) else { throw error }
                progress.withLock { $0.fail(index, error) }
                return .value(.again(()))
            }
        }
    }
}

extension ForEach {
    struct Progress: Sendable {
        /// The results so far; nil for items that have not ended.
        var results: [Result?]
        private var position = 0
        /// The items that a resumed run has begun before.
        private var begun: Set<Int> = []
        private var hasStopped = false
        private let failure: Failure

        init(_ loop: ForEach, of run: Run, _ task: ActiveTask) {
            results = Array(repeating: nil, count: loop.items.count)
            failure = loop.failure
            guard let replay = run.journal.replay, run.memory(of: task.execution) != nil else { return }
            for index in loop.items.indices {
                guard replay.inner(of: run.id, at: task.execution.item(String(index))) != nil else { continue }
                begun.insert(index)
                if case .failed? = run.recordedEnd(ofItem: index, task) { stop() }
            }
        }

        mutating func next() -> Int? {
            while results.indices.contains(position) {
                defer { position += 1 }
                if !hasStopped || begun.contains(position) { return position }
            }
            return nil
        }

        mutating func fail(_ index: Int, _ error: WorkflowError) {
            results[index] = .failed(error)
            stop()
        }

        private mutating func stop() { hasStopped = failure == .stop }
    }
}
