import Essentials
import Promises

extension Approval {
    /// Takes over what a run found out and did before it was interrupted.
    ///
    /// The requests of a call that ended are used up. A call that was at work is made again, with requests that can be
    /// repeated; of a mail whose draft was created, only the rest.
    /// - Parameters:
    ///   - events: The run's events, with their secrets.
    ///   - replay: What the journal knows of the run.
    /// - Throws: ``PlanMismatch`` if this is not what the plan has.
    func recall(
        _ events: [Event], _ replay: JournalReplay, _ resumption: Event.Resumption,
        assuming assumption: Runner.Assumption?
    ) throws(PlanMismatch) {
        let counting = events.counting(of: replay.run, resumedAs: resumption)
        let lineage = ExecutionLineage(events[...], counting, of: replay.run)
        var results: [TaskExecution: Value] = [:]
        var contexts: [String: Value] = [:]
        for (event, counts) in zip(events, counting) where counts {
            switch event.kind {
            case .workflowStarted(_, let context), .taskCompleted(_, _, let context?, _),
                .iterationCompleted(_, _, _, let context?, _):
                contexts[event.run] = context
            default: break
            }
            if case .workflowStarted = event.kind, let parent = event.parent.map(lineage.shown),
                !places.matching(parent.task, parent.occurrence).isEmpty
            {
                // What it reads first, such as the document of a function, is read before, and once more if it resumes.
                try add(parent) { request in (request?.isOnce ?? true ? 1 : 0, false) }
            }
            guard let place = event.executionPlace else { continue }
            switch event.kind {
            case .taskStarted:
                guard let context = contexts[event.run] else { continue }
                try take(lineage.shown(place), "the context of") { planned in [(planned.context, context)] }
            case .callEnded(_, .completed(let result)):
                let task = lineage.shown(place)
                results[task] = result
                try useUp(task)
            case .taskCompleted(_, let output, _, _):
                let task = lineage.shown(place)
                let result = results.removeValue(forKey: task)
                try take(task, "the output of") { planned in
                    [(planned.rawOutput, result), (planned.markedOutput, output)]
                }
                try useUp(task)
            default: break
            }
        }
        for (run, task, call) in replay.unsettled {
            let task = lineage.shown(Event.Parent(run: run, task: task.task, occurrence: task.occurrence))
            if assumption == .sent {
                try useUp(task)
            } else if let draft = call.draft {
                try take(task, draft: draft.id, draft.internetMessageID, isGone: assumption == .notSent)
            }
        }
    }

    /// Compares the data of a task with the plan's, those that both have.
    private func take(
        _ task: TaskExecution, _ what: String, _ pairs: (PlannedTask) -> [(planned: Value?, real: Value?)]
    ) throws(PlanMismatch) {
        let occurrence = PlannedPlaces.parts(task.occurrence)
        var (why, isFound) = (nil as Unsettled?, false)
        for place in places.matching(task.task, task.occurrence) {
            do throws(Unsettled) {
                let pairs = pairs(places.all[place].task).compactMap { planned, real in
                    planned.flatMap { planned in real.map { (planned: planned, real: $0) } }
                }
                keep(try found(at: place, occurrence, pairs, isRecalling: true))
                isFound = true
            } catch {
                why = why ?? error
            }
        }
        guard !isFound else { return }
        throw Self.mismatch(why.map { "\(what) '\(task.task)' differs: \($0.words)" } ?? Self.missing(task))
    }

    /// Records that a task has sent and started everything that the plan has for it.
    private func useUp(_ task: TaskExecution) throws(PlanMismatch) {
        try add(task) { _ in (attempts: 1, hasSucceeded: true) }
    }

    /// Records that a task has created a draft, which it may send.
    /// - Parameter isGone: Whether it may create another one if this one is not there any more.
    private func take(
        _ task: TaskExecution, draft id: String, _ internetMessageID: String?, isGone: Bool
    ) throws(PlanMismatch) {
        let answer = Value.members([
            ("id", .string(id)), ("internetMessageId", internetMessageID.map(Value.string)),
        ])
        let place = try add(task) { request in
            let isOpen = isGone || request?.isOnce ?? true
            return isOpen ? (attempts: 0, hasSucceeded: false) : (attempts: 1, hasSucceeded: true)
        }
        guard let place else { return }
        let requests = places.all[place].task.steps.requests
        guard let known = requests.first(where: \.createsDraft)?.answer else { return }
        var reading = PlanReading(self, at: place, PlannedPlaces.parts(task.occurrence), findings: Findings())
        reading.learn(answer, as: known)
        keep(reading.added)
    }

    /// Adds what a task did, if it is not known yet.
    /// - Parameter standing: The attempts of a step, and whether one of them succeeded; nil for a program.
    /// - Returns: The place of the task in the plan; nil if it was known, or nothing is sent or started there.
    @discardableResult private func add(
        _ task: TaskExecution, _ standing: (PlannedRequest?) -> (attempts: Int, hasSucceeded: Bool)
    ) throws(PlanMismatch) -> Int? {
        let occurrence = PlannedPlaces.parts(task.occurrence)
        let candidates = places.matching(task.task, task.occurrence)
        guard !candidates.isEmpty else { throw Self.mismatch(Self.missing(task)) }
        func position(_ place: Int, _ step: Int) -> PlannedPlaces.Position {
            PlannedPlaces.Position(
                path: places.all[place].path + [.position(0), .position(step)], occurrence: occurrence)
        }
        let (place, isKnown) = state.withLock { state -> (Int?, Bool) in
            let isKnown = candidates.contains { !state.done.indices(of: $0, occurrence).isEmpty }
            let doing = candidates.filter { !places.all[$0].task.steps.isEmpty }
            guard !isKnown, !doing.isEmpty else { return (nil, true) }
            guard let place = doing.first(where: { state.done.isInOrder(position($0, 0)) }) else { return (nil, false) }
            for (number, step) in places.all[place].task.steps.enumerated() {
                var request: PlannedRequest?
                if case .request(let planned) = step { request = planned }
                let (attempts, hasSucceeded) = standing(request)
                // No range of a content follows the last one.
                state.done.append(
                    Done(
                        place: place, step: number, position: position(place, number), attempts: attempts,
                        hasSucceeded: hasSucceeded, end: -1))
            }
            return (place, false)
        }
        guard place != nil || isKnown else { throw Self.mismatch("'\(task.task)' was performed in another order") }
        return place
    }

    private static func missing(_ task: TaskExecution) -> String { "the plan does not have the task '\(task.task)'" }

    private static func mismatch(_ what: String) -> PlanMismatch {
        PlanMismatch([
            "what the run did before it was interrupted is not as in the plan, so that it cannot go on with it: \(what)"
        ])
    }
}

extension PlannedRequest {
    /// Whether it saves a message as a draft.
    fileprivate var createsDraft: Bool {
        operation.name == "sendMail" && operation.effect == .idempotent && request.method == "POST"
            && request.url.path().hasSuffix("/messages")
    }
}
