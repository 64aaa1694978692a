extension Approval {
    /// Restores what a run found out and did before it was interrupted.
    ///
    /// The requests of a call that ended are used up. An interrupted call is made again, with the requests that can be
    /// repeated; of a mail whose draft was created, only the rest.
    /// - Throws: ``PlanMismatch`` if the plan does not have this.
    func recall(
        _ events: [Event], _ replay: JournalReplay, _ resumption: Event.Resumption,
        assuming assumption: Runner.Assumption?
    ) throws(PlanMismatch) {
        let counting = events.counting(of: replay.run, resumedAs: resumption)
        let lineage = ExecutionLineage(events[...], counting, of: replay.run)
        for (event, counts) in zip(events, counting) where counts {
            if case .workflowStarted = event.kind, let parent = event.parent.map(lineage.shown),
                !places.matching(parent.task, parent.occurrence).isEmpty
            {
                // What the task reads first, such as the document of a function, is read again if it resumes.
                try add(parent) { request in (request?.isOnce ?? true ? 1 : 0, false) }
            }
            guard let place = event.executionPlace else { continue }
            let task = lineage.shown(place)
            switch event.kind {
            case .callEnded(_, .completed(let result)):
                if let why = difference(task, result) { throw Self.mismatch(why) }
                try useUp(task)
            case .taskCompleted: try useUp(task)
            default: break
            }
        }
        for (run, task, call) in replay.unsettled {
            let task = lineage.shown(Event.Parent(run: run, task: task.task, occurrence: task.occurrence))
            if assumption == .sent {
                try useUp(task)
            } else if call.draft != nil {
                // It may send the draft, and create another one if this one is gone.
                try add(task) { request in
                    let isOpen = assumption == .notSent || request?.isOnce ?? true
                    return isOpen ? (attempts: 0, hasSucceeded: false) : (attempts: 1, hasSucceeded: true)
                }
            }
        }
    }

    private func useUp(_ task: TaskExecution) throws(PlanMismatch) {
        try add(task) { _ in (attempts: 1, hasSucceeded: true) }
    }

    /// Adds what a task did; `standing` are the attempts of a step, and whether one of them succeeded.
    private func add(
        _ task: TaskExecution, _ standing: (PlannedRequest?) -> (attempts: Int, hasSucceeded: Bool)
    ) throws(PlanMismatch) {
        let occurrence = PlannedPlaces.parts(task.occurrence)
        let candidates = places.matching(task.task, task.occurrence)
        guard !candidates.isEmpty else { throw Self.mismatch("the plan does not have the task '\(task.task)'") }
        func position(_ place: Int, _ step: Int) -> PlannedPlaces.Position {
            PlannedPlaces.Position(
                path: places.all[place].path + [.position(0), .position(step)], occurrence: occurrence)
        }
        let isInOrder = state.withLock { state in
            let isKnown = candidates.contains { !state.done.indices(of: $0, occurrence).isEmpty }
            let doing = candidates.filter { !places.all[$0].task.steps.isEmpty }
            guard !isKnown, !doing.isEmpty else { return true }
            guard let place = doing.first(where: { state.done.isInOrder(position($0, 0)) }) else { return false }
            for (number, step) in places.all[place].task.steps.enumerated() {
                var request: PlannedRequest?
                if case .request(let planned) = step { request = planned }
                let (attempts, hasSucceeded) = standing(request)
                state.done.append(
                    Done(
                        place: place, step: number, position: position(place, number), attempts: attempts,
                        hasSucceeded: hasSucceeded))
            }
            return true
        }
        guard isInOrder else { throw Self.mismatch("'\(task.task)' was performed in another order") }
    }

    private static func mismatch(_ what: String) -> PlanMismatch {
        PlanMismatch([
            "the run cannot continue with this plan, because what it did before differs from it: \(what)"
        ])
    }
}
