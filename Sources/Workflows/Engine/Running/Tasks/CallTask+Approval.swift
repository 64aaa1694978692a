extension Run {
    /// Calls `approval`; the question has drawings instead of secrets.
    func performApproval(_ call: Workflow.Call, _ function: Function, _ task: ActiveTask) throws -> Promise<Outcome> {
        let given = try arguments(of: call, task.input, task.scope)
        _ = try function.arguments(sent(given))
        // A question with a wrong duration fails when it is asked.
        if let finding = function.check(given, files: WorkflowFiles(folder: nil)).first(where: { $0.id == "user" }) {
            throw WorkflowError(FunctionError(finding), at: task.reference)
        }
        return try performer.performApproval(given, task)
    }

    fileprivate func question(_ given: Value, _ task: ActiveTask) throws(WorkflowError) -> ApprovalRequest {
        let parameters: ApprovalParameters
        do throws(FunctionError) {
            parameters = try ApprovalParameters(argument: secrets.conceal(given), at: .root)
        } catch {
            throw WorkflowError(error, at: task.reference)
        }
        guard let patience = ApprovalParameters.patience(parameters.expires) else {
            throw WorkflowError(
                .validation, detail: "'expires' is not a duration such as PT8H", instance: task.reference)
        }
        let now = runner.now().inWholeMilliseconds
        let place = TaskExecution(task.reference, path(to: task.occurrence))
        var question = ApprovalRequest(
            .question(
                run: runner.approver?.batch ?? outermost,
                task: (runner.approver?.batch == nil ? place.description : place.task.description),
                text: parameters.text, data: parameters.data ?? .null),
            by: parameters.approvers, since: now, expires: now.addingTimeInterval(patience.seconds))
        question.name = task.name
        return question
    }
}

extension LiveTaskPerformer {
    func performApproval(_ given: Value, _ task: ActiveTask) throws -> Promise<Outcome> {
        let question = try run.question(given, task)
        if let known = run.memory(of: task.execution)?.decisions[Event.approval] {
            if run.runner.approver?.batch == nil { run.journal.approvals?.settle(question.id) }
            return .value(try Outcome(approval: known, of: task))
        }
        guard let approver = run.runner.approver else {
            throw WorkflowError(
                .configuration, detail: "no one can be asked for an approval here", instance: task.reference)
        }
        let requests = run.journal.approvals
        return firstly { try approver.ask(question, requests) }.then { answer -> Promise<Outcome> in
            run.record(.decided(task.reference, what: Event.approval, value: answer.value), task.occurrence)
            return run.commit().map {
                // The items of a batch share the answer until each of them has it.
                if approver.batch == nil { requests?.settle(question.id) }
                return try Outcome(approval: answer.value, of: task)
            }
        }
    }
}

extension Outcome {
    /// The answer to a question as the task's output, or as an error.
    fileprivate init(approval answer: Value, of task: ActiveTask) throws(WorkflowError) {
        let note = answer["note"]?.string.flatMap { $0.isEmpty ? nil : ": \($0)" } ?? ""
        switch answer["state"]?.string {
        case "approved":
            let names = ["approved", "by", "name", "at", "note"]
            self.init(value: .object(Object(names.map { ($0, answer[$0] ?? .null) })), flow: task.then)
        case "expired":
            throw WorkflowError(
                .timeout, detail: "no one approved '\(task.name)' in time", instance: task.reference)
        default:
            throw WorkflowError(
                .authorization, detail: "\(answer["name"]?.string ?? "somebody") rejected '\(task.name)'\(note)",
                instance: task.reference)
        }
    }
}

extension DryTaskPerformer {
    /// Plans an approval; that it may be rejected is planned by the `try` around it.
    func performApproval(_ given: Value, _ task: ActiveTask) throws -> Promise<Outcome> {
        if let known = run.memory(of: task.execution)?.decisions[Event.approval] {
            return .value(try Outcome(approval: known, of: task))
        }
        var output: Object = ["approved": true]
        for name in ["by", "name", "at", "note"] {
            output[name] = .unknown(planner.unknown("\(task.name).\(name)", .text))
        }
        return .value(Outcome(value: .object(output), flow: task.then))
    }
}
