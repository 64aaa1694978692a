import Promises

extension Run {
    /// Emits an event to the recorders and to listening tasks.
    ///
    /// The event is the output. Specification: dsl-reference.md, "Emit". The event's id, time and content type (JSON)
    /// are added if the workflow does not set them.
    func perform(_ emit: Workflow.Emit, _ task: ActiveTask) throws -> Value {
        if let event = memory(of: task.execution)?.emitted { return event.envelope }
        var members: Object = [
            "specversion": "1.0",
            "id": runner.planner.map { .unknown($0.unknown("\(task.name).id", .text)) } ?? .string(runner.makeID()),
        ]
        if !runner.isPlanning { members["time"] = .string(runner.now().iso8601) }
        for (name, value) in try evaluate(emit.properties, task).object ?? [:] where value != .null {
            members[name] = value
        }
        if members["data"] != nil, members["datacontenttype"] == nil { members["datacontenttype"] = "application/json" }
        // In a plan every attribute is the text that a person sees, and the output keeps what is unknown.
        if isPlanning {
            do {
                _ = try CloudEvent(Value.object(members).drawn())
            } catch {
                throw WorkflowError(
                    .validation, detail: "this event cannot be emitted: \(error)", instance: task.reference,
                    cause: error)
            }
            return .object(members)
        }
        let event: CloudEvent
        do {
            event = try CloudEvent(runner.planner?.unknowns.plain(.object(members)) ?? .object(members))
        } catch {
            throw WorkflowError(
                .validation, detail: "this event cannot be emitted: \(error)", instance: task.reference, cause: error)
        }
        if let planner = runner.planner { return planner.unknowns.marked(event.envelope) }
        record(.eventEmitted(task.reference, event), task.occurrence)
        let known = secrets.known
        // Other runs are outside of this one.
        let shown = secrets.areInUse ? event.mapping({ known.conceal($0) }, { known.conceal($0) }) : event
        runner.events?.publish(shown, by: journal.subscription)
        return event.envelope
    }
}
