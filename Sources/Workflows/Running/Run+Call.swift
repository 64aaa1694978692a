import Promises

extension Run {
    /// Calls a function of the catalog with the arguments that the input gives it.
    func perform(_ call: Workflow.Call, of task: Workflow.Task, input: Value, scope: Scope) throws -> Promise<Value> {
        guard let function = runner.catalog[call.function] else {
            throw WorkflowError(
                .configuration, detail: "there is no function '\(call.function)'", instance: task.reference)
        }
        let arguments = try evaluate(call.arguments, input, scope)
        var graph = runner.graph
        graph.task = task.reference
        graph.clock = runner.clock
        let tell = graph.onEvent
        graph.onEvent = { event in
            tell(event)
            self.record(.request(task.reference, event))
        }
        record(.callStarted(task.reference, function.effect))
        return function(arguments, in: FunctionContext(graph: graph, blobs: blobs, files: files))
            .ensure { self.record(.callEnded(task.reference)) }
    }
}
