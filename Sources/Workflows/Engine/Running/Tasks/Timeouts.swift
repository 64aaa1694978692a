extension Run {
    /// Performs work with a time limit, and interrupts it when the limit is reached.
    ///
    /// `start` is when the work began before a resumption; `what` names the limit in the task's decisions. The error
    /// has the kind `timeout`, or `unknown-outcome` if an effect that must happen once was pending.
    func within<Result: Sendable>(
        _ timeout: DurationSource?, since start: Date?, as what: String = "timeout", input: Value, scope: Scope,
        _ work: (Scope) throws -> Promise<Result>
    ) throws -> Promise<Result> {
        guard let timeout, world.limitsTime else { return try work(scope) }
        let place = scope.owner
        let limit = try decide(what, in: place, timeout, input, scope)
        let rest = start.map { limit - .seconds(max(0, runner.now().timeIntervalSince($0))) } ?? limit
        guard rest > .zero || start == nil else {
            let error = overrun(limit, of: place)
            recordInterruption(inside: place)
            throw error
        }
        let begun = runner.clock.now
        let isOverdue = { @Sendable [clock = runner.clock] in clock.now - begun > rest }
        var inner = scope
        let interrupt = Interrupt(inside: scope.interrupt, when: isOverdue)
        inner.interrupt = interrupt
        let promise: Promise<Result>
        do { promise = try work(inner) } catch {
            guard error.isInterruption, isOverdue() else { throw error }
            promise = Promise(error: error)
        }
        // The work may have blocked this thread for some time.
        let left = rest - (runner.clock.now - begun)
        let isOver = left <= .zero && rest > .zero
        // The limit and the end of the work may meet, and the first of them decides.
        let isDecided = Locked(false)
        let decides = { @Sendable in
            isDecided.withLock { isDecided in
                defer { isDecided = true }
                return !isDecided
            }
        }
        return Promise { resolver in
            let expire = { @Sendable in
                guard decides() else { return }
                // Evaluated before the work is interrupted: afterwards no call is unsettled.
                let error = self.overrun(limit, of: place)
                self.recordInterruption(inside: place)
                interrupt.request()
                // Before what follows begins, so that it finds what is being ended: the name of a container is not free.
                promise.cancel()
                resolver.reject(error)
            }
            let alarm = isOver ? ScheduledWork {} : runner.clock.schedule(after: left, expire)
            resolver.onCancel {
                promise.cancel()
                alarm.cancel()
            }
            if isOver { expire() }
            promise.finally { outcome in
                if case .failure(let error) = outcome, error.isInterruption, isOverdue() {
                    expire()
                } else if decides() {
                    resolver.resolve(outcome)
                }
                alarm.cancel()
            }
        }
    }

    /// What is pending when the limit is reached.
    private enum Unsettled: Int, Comparable {
        case nothing
        /// A request of a standard call, for which the standard defines no error but the timeout.
        case request
        /// An effect that must happen once.
        case effect

        static func < (left: Unsettled, right: Unsettled) -> Bool { left.rawValue < right.rawValue }
    }

    private func unsettled(in place: TaskExecution) -> Unsettled {
        let own = unsettledCalls(in: place).map { Self.unsettled(by: $0.task, of: workflow) }
        return (own + innerRuns.inside(place.task).map { $0.unsettled(in: .run) }).max() ?? .nothing
    }

    private static func unsettled(by task: JSONPointer, of workflow: Workflow) -> Unsettled {
        // A program ends with its task, as the author of its timeout expects.
        guard let function = workflow.document.value[task]?["call"]?.string else { return .nothing }
        return Catalog.standard[function] == nil || function == Function.mcp.name ? .effect : .request
    }

    /// The tasks in a place and in its inner runs with a pending effect that must happen once.
    func effectsOnTheWay(in place: TaskExecution) -> [JSONPointer] {
        unsettledCalls(in: place).map(\.task).filter { Self.unsettled(by: $0, of: workflow) == .effect }
            + innerRuns.inside(place.task).flatMap { $0.effectsOnTheWay(in: .run) }
    }

    /// The tasks in a place of a resumed run's journal where such an effect was interrupted.
    func effectsLeft(in place: TaskExecution) -> [JSONPointer] {
        journal.replay?.unsettledCalls(of: id, inside: place).compactMap { task, inner in
            let definition = inner.map { try? library.workflow($0) } ?? workflow
            return definition.map { Self.unsettled(by: task, of: $0) == .effect } ?? true ? task : nil
        } ?? []
    }

    private func overrun(_ limit: Duration, of place: TaskExecution) -> WorkflowError {
        let what = place == .run ? "the workflow" : "the task"
        let overrun = "\(what) took longer than \(limit.seconds) s"
        switch unsettled(in: place) {
        case .nothing: return WorkflowError(.timeout, detail: overrun, instance: place.task)
        case .request:
            return WorkflowError(
                .timeout,
                detail: "\(overrun), and was interrupted during a request that may have been processed",
                instance: place.task)
        case .effect:
            return WorkflowError(
                .unknownOutcome,
                detail: "\(overrun), and was interrupted during an effect that must happen once: check "
                    + "whether it happened before running the workflow again",
                instance: place.task)
        }
    }
}

extension Error {
    fileprivate var isInterruption: Bool { (self as? WorkflowError)?.cause is ComputationInterrupted }
}
