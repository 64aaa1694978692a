extension Run {
    /// Calls a function from outside the workflow as an inner run; its recorded digest must not change.
    func perform(_ source: FunctionSource, for call: Workflow.Call, _ task: ActiveTask) throws -> Promise<Outcome> {
        if let end = world.end(ofRecursion: call.function, task) { return .value(end) }
        let address = try self.address(of: source, task.input, task.scope)
        let resource = ExternalResource(endpoint: source.endpoint)
        return try read(resource, at: address, input: task.input, scope: task.scope) { [self] bytes, _ in
            try ExternalFunction(bytes, of: source, at: address, folder: workflow.folder, runner.catalog)
        }.then { [self] (function: ExternalFunction?) -> Promise<Outcome> in
            guard let function else { return .value(try performer.performUnread(call, task)) }
            let digest = Value.string(function.digest)
            guard decide("function", in: task.execution, { digest }) == digest else {
                throw WorkflowError(
                    .configuration,
                    detail: "the function at '\(address.shown)' has changed since the run began",
                    instance: task.reference)
            }
            let reference = function.workflow.metadata.reference
            return try perform(function.workflow, reference, at: task.execution, isAwaited: true, task) {
                try call.arguments.map { try task.evaluate($0) } ?? task.input
            }
        }
    }
}

extension LiveTaskPerformer {
    func performUnread(_ call: Workflow.Call, _ task: ActiveTask) throws -> Outcome {
        throw WorkflowError(.configuration, detail: "the function at its address is empty", instance: task.reference)
    }
}

extension DryTaskPerformer {
    func performUnread(_ call: Workflow.Call, _ task: ActiveTask) -> Outcome {
        let reason =
            "the function '\(PlainText.exact(call.function, limit: 200))' is only read by a run "
            + "(or --dry-run=read)"
        planner.note { $0.outcome = .unknown(reason) }
        return Outcome(value: .unknown(planner.unknown(task.name)), flow: task.then)
    }
}
