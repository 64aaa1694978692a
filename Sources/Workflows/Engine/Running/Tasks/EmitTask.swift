import Promises

extension Run {
    /// Emits an event to the recorders and to listening tasks.
    ///
    /// The event is the output. Specification: dsl-reference.md, "Emit". The event's id, time and content type (JSON)
    /// are added if the workflow does not set them.
    func perform(_ emit: Workflow.Emit, _ task: ActiveTask) throws -> Value {
        if let event = memory(of: task.execution)?.emitted { return event.envelope }
        var members: Object = [
            "specversion": "1.0", "id": .string(runner.planner?.symbol("\(task.name).id") ?? runner.makeID()),
        ]
        if !runner.isPlanning { members["time"] = .string(runner.now().iso8601) }
        for (name, value) in try evaluate(emit.properties, task).object ?? [:] where value != .null {
            members[name] = value
        }
        if members["data"] != nil, members["datacontenttype"] == nil { members["datacontenttype"] = "application/json" }
        let event: CloudEvent
        do {
            event = try CloudEvent(.object(members))
        } catch {
            throw WorkflowError(
                .validation, detail: "this event cannot be emitted: \(error)", instance: task.reference, cause: error)
        }
        record(.eventEmitted(task.reference, event), task.occurrence)
        runner.events?.publish(event, by: journal.subscription)
        return event.envelope
    }
}
