extension Run {
    func result(of end: Event.CallEnd) -> Promise<Value> {
        switch end {
        case .completed(let result): .value(result)
        case .failed(let error): Promise(error: error)
        }
    }

    /// The assumed result of a call that must be made once and has no recorded outcome.
    ///
    /// It is `output` if the user states that the call was made, and nil if the call has to be made or can be looked
    /// up.
    func assumption(
        of call: RunState.Call, _ task: ActiveTask, whenSent output: Value
    ) -> Promise<Value>? {
        guard call.isUnsettled else { return nil }
        switch journal.assumption {
        case .sent:
            var output = output
            if let draft = call.draft, case .object(var members) = output {
                members["messageId"] = .string(draft.id)
                output = .object(members)
            }
            account(memory(of: task.execution)?.begun ?? [], .done, task, sending: .null)
            record(.callEnded(task.reference, .completed(output)), task.occurrence)
            return .value(output)
        case .notSent: return nil
        case nil where call.draft != nil: return nil
        case nil:
            return Promise(
                error: WorkflowError(
                    .unknownOutcome,
                    detail: "the run ended during this task, whose effect must happen once: check whether it happened",
                    instance: task.reference))
        }
    }

    /// The draft that a call had created when the journal ended.
    func draft(of call: RunState.Call?) -> Mail.Draft? {
        guard let draft = call?.draft else { return nil }
        let age = journal.replay?.lastTime.map { runner.now().timeIntervalSince($0) } ?? 0
        return Mail.Draft(
            id: draft.id, internetMessageID: draft.internetMessageID, age: .seconds(max(0, age)),
            isUnsent: journal.assumption == .notSent)
    }
}
