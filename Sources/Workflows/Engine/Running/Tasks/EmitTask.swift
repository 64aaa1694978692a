extension Run {
    /// Emits an event to the recorders and to listening tasks; the event is the output.
    ///
    /// Specification: dsl-reference.md, "Emit". If the workflow does not set them, the event's id, source, time and
    /// content type (JSON) are added. The source is then the workflow's name and version.
    func perform(_ emit: Workflow.Emit, _ task: ActiveTask) throws -> Value {
        if let event = memory(of: task.execution)?.emitted { return event.envelope }
        var members: Object = ["specversion": "1.0", "id": world.fresh("\(task.name).id") { runner.makeID() }]
        members["time"] = world.fresh("\(task.name).time") { runner.now().iso8601 }
        if !emit.literal.contains("source") { members["source"] = .string(workflow.metadata.eventSource) }
        for (name, value) in try task.evaluate(emit.properties).object ?? [:] where value != .null {
            members[name] = value
        }
        // An event with null data has neither data nor its content type.
        let mayLackData = members["data"]?.unknown?.shape == .any
        if let data = members["data"] {
            if members["datacontenttype"] == nil {
                let type = Derivation(#"if . == null then null else "application/json" end"#, input: data)
                members["datacontenttype"] =
                    mayLackData
                    ? .unknown(Unknown("\(task.name).datacontenttype", from: .computed(type))) : "application/json"
            }
            // The event as a whole has its data last.
            members["data"] = nil
            members["data"] = data
        }
        return try performer.emit(members, mayLackData: mayLackData, task)
    }
}

extension LiveTaskPerformer {
    func emit(_ members: Object, mayLackData: Bool, _ task: ActiveTask) throws -> Value {
        let event = try CloudEvent(.object(members), emittedBy: task)
        run.record(.eventEmitted(task.reference, event), task.occurrence)
        let known = run.secrets.known
        // Other runs must not see this run's secrets.
        let concealed = run.secrets.areInUse ? event.mapping({ known.conceal($0) }, { known.conceal($0) }) : event
        run.runner.events?.publish(concealed, by: run.journal.subscription)
        return event.envelope
    }
}

extension DryTaskPerformer {
    /// Plans an event: every attribute is the text that a person sees, and the output keeps its unknowns.
    func emit(_ members: Object, mayLackData: Bool, _ task: ActiveTask) throws -> Value {
        var drawn = members
        if members["time"]?.unknown != nil { drawn["time"] = nil }
        _ = try CloudEvent(Value.object(drawn).drawn(), emittedBy: task)
        return mayLackData ? .unknown(planner.unknown(task.name, .object(members))) : .object(members)
    }
}

extension CloudEvent {
    /// Reads the attributes of an event; throws the task's error if they are invalid.
    fileprivate init(_ members: Value, emittedBy task: ActiveTask) throws(WorkflowError) {
        do { try self.init(members) } catch {
            throw WorkflowError(
                .validation, detail: "this event cannot be emitted: \(error)", instance: task.reference, cause: error)
        }
    }
}

extension Workflow.Metadata {
    /// The source of events that name none.
    fileprivate var eventSource: String { "urn:graphflow:workflow:\(namespace):\(name):\(version)" }
}
