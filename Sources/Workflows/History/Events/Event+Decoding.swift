extension Event {
    /// Reads an event back from its ``record``, or from its ``cloudEvent`` if no task emitted it.
    /// - Parameters:
    ///   - cloudEvent: The event as JSON.
    ///   - workflow: The workflow of the run; the event itself holds only a part of its metadata.
    /// - Throws: ``CloudEventError`` if it is not an event of a run.
    public init(cloudEvent: Value, workflow: Workflow.Metadata) throws(CloudEventError) {
        try self.init(record: cloudEvent, workflow: workflow, isChecked: true)
    }

    /// Reads an event back from its ``record``.
    /// - Parameter isChecked: Whether an event in its data must be valid; with drawings it may not be.
    init(record: Value, workflow: Workflow.Metadata, isChecked: Bool) throws(CloudEventError) {
        let fields = try EventFields(record, isChecked: isChecked)
        self.init(
            number: fields.number, run: fields.run, workflow: workflow, time: fields.time, kind: try Kind(fields),
            parent: try fields.parent, occurrence: try fields.occurrence)
    }
}

extension Event.Kind {
    fileprivate init(_ fields: EventFields) throws(CloudEventError) {
        switch fields.type {
        case "io.serverlessworkflow.workflow.started.v1":
            // The context is the input unless the workflow transforms it.
            let input = try fields.value("input")
            self = .workflowStarted(input: input, context: fields.data["context"] ?? input)
        case "io.serverlessworkflow.workflow.completed.v1":
            self = .workflowCompleted(output: try fields.value("output"))
        case "io.serverlessworkflow.workflow.faulted.v1": self = .workflowFaulted(try fields.error)
        case "io.serverlessworkflow.workflow.cancelled.v1": self = .workflowCancelled
        case "io.serverlessworkflow.workflow.suspended.v1": self = .workflowSuspended
        case "io.serverlessworkflow.workflow.resumed.v1": self = .workflowResumed(try Event.Resumption(fields))
        case "io.serverlessworkflow.task.created.v1": self = .taskCreated(try fields.task)
        case "io.serverlessworkflow.task.started.v1":
            self = .taskStarted(try fields.task, input: fields.data["input"])
        case "io.serverlessworkflow.task.retried.v1":
            self = .taskRetried(
                try fields.task, attempt: try fields.integer("attempt"), delay: try fields.delay,
                error: try fields.error)
        case "io.serverlessworkflow.task.completed.v1":
            self = .taskCompleted(
                try fields.task, output: try fields.value("output"), context: fields.data["context"],
                then: try fields.optionalText("then").map { FlowDirective($0) } ?? .continue)
        case "io.serverlessworkflow.task.faulted.v1": self = .taskFaulted(try fields.task, try fields.error)
        case "io.serverlessworkflow.task.cancelled.v1": self = .taskCancelled(try fields.task)
        case "io.serverlessworkflow.task.suspended.v1": self = .taskSuspended(try fields.task)
        case "io.serverlessworkflow.task.resumed.v1": self = .taskResumed(try fields.task)
        case "graphflow.task.skipped.v1": self = .taskSkipped(try fields.task)
        case "io.serverlessworkflow.workflow.correlation-started.v1": self = .correlationStarted(try fields.task)
        case "io.serverlessworkflow.workflow.correlation-completed.v1":
            self = .correlationCompleted(try fields.task, keys: fields.data["correlationKeys"]?.object ?? [:])
        case "graphflow.task.decided.v1":
            self = .decided(try fields.task, what: try fields.text("what"), value: try fields.value("value"))
        case "graphflow.iteration.started.v1":
            self = .iterationStarted(
                try fields.task, round: try fields.integer("round"), data: try fields.value("data"))
        case "graphflow.iteration.completed.v1":
            self = .iterationCompleted(
                try fields.task, round: try fields.integer("round"), output: try fields.value("output"),
                context: fields.data["context"], isLast: fields.data["isLast"] == true)
        case "graphflow.task.jumped.v1":
            self = .jumped(try fields.task, count: try fields.integer("count"), data: try fields.value("data"))
        case "graphflow.event.emitted.v1":
            self = .eventEmitted(try fields.task, try fields.event)
        case "graphflow.event.received.v1":
            self = .eventReceived(try fields.event)
        case "graphflow.event.read.v1":
            self = .eventRead(try fields.task, position: try fields.integer("position"))
        case "graphflow.call.started.v1":
            guard let effect = Idempotency(rawValue: try fields.text("effect")) else { throw fields.lacks("effect") }
            self = .callStarted(try fields.task, effect)
        case "graphflow.call.ended.v1":
            let end: Event.CallEnd? =
                if let result = fields.data["result"] {
                    .completed(result)
                } else if fields.data["error"] != nil {
                    .failed(try fields.error)
                } else { nil }
            self = .callEnded(try fields.task, end)
        default: self = .request(try fields.optionalTask, try GraphEvent(fields))
        }
    }
}

extension Event.Resumption {
    fileprivate init(_ fields: EventFields) throws(CloudEventError) {
        var anew: [JSONPointer] = []
        for value in fields.data["anew"]?.array ?? [] {
            guard let task = value.string.flatMap({ JSONPointer(rfc6901: $0) }) else { throw fields.lacks("anew") }
            anew.append(task)
        }
        var from: Event.Parent?
        if let place = fields.data["from"] {
            guard let run = place["run"]?.string, let task = place["task"]?.string.flatMap({ JSONPointer(rfc6901: $0) })
            else { throw fields.lacks("from") }
            from = Event.Parent(run: run, task: task, occurrence: place["occurrence"]?.string ?? "")
        }
        self.init(
            digest: try fields.optionalText("digest"), anew: anew, from: from, plan: try fields.optionalText("plan"))
        approvals = fields.data["approvals"]?.array ?? []
    }
}

extension GraphEvent {
    fileprivate init(_ fields: EventFields) throws(CloudEventError) {
        let kind: Kind
        switch fields.type {
        case "graphflow.request.retried.v1":
            kind = .retrying(
                attempt: try fields.integer("attempt"), reason: try fields.text("reason"), delay: try fields.delay)
        case "graphflow.request.held.v1": kind = .held(delay: try fields.delay, reason: try fields.text("reason"))
        case "graphflow.upload.progressed.v1":
            kind = .uploaded(bytes: try fields.integer("bytes"), total: try fields.integer("total"))
        case "graphflow.mail.drafted.v1":
            kind = .drafted(
                id: try fields.text("messageId"), internetMessageID: fields.data["internetMessageId"]?.string)
        case "graphflow.request.committing.v1":
            kind = .committing(reason: try fields.optionalText("reason"))
        case "graphflow.effect.recorded.v1":
            guard let effect = Effect(try fields.value("effect")) else { throw fields.lacks("effect") }
            guard let state = Effect.State(rawValue: try fields.text("state")) else { throw fields.lacks("state") }
            kind = .effect(effect, state)
        default:
            throw CloudEventError("the event type '\(PlainText.exact(fields.type, limit: 200))' is unknown")
        }
        self.init(operation: try fields.text("operation"), task: try fields.optionalTask, kind: kind)
    }
}

private struct EventFields {
    let type: String
    let run: String
    let number: Int
    let time: Date
    let data: Object
    private let envelope: Object
    private let isChecked: Bool

    init(_ event: Value, isChecked: Bool) throws(CloudEventError) {
        guard let envelope = event.object, let data = envelope["data"]?.object else {
            throw CloudEventError("an event must be an object with data")
        }
        let prefix = "urn:graphflow:run:"
        guard let source = envelope["source"]?.string, source.hasPrefix(prefix), let id = envelope["id"]?.string,
            id.hasPrefix(source.dropFirst(prefix.count) + "-"),
            let number = Int(id.dropFirst(source.count - prefix.count + 1)), number > 0
        else { throw CloudEventError("the event's 'source' and 'id' do not name an event of a run") }
        guard let type = envelope["type"]?.string else { throw CloudEventError("the event has no 'type'") }
        guard let time = envelope["time"]?.string.flatMap({ Date(iso8601: $0) }) else {
            throw CloudEventError("the event's 'time' is missing or invalid")
        }
        self.type = type
        self.run = String(source.dropFirst(prefix.count))
        self.number = number
        self.time = time
        self.data = data
        self.envelope = envelope
        self.isChecked = isChecked
    }

    var event: CloudEvent {
        get throws(CloudEventError) {
            let (envelope, text) = (try value("event"), try optionalText("text"))
            return try isChecked ? CloudEvent(envelope, text: text) : CloudEvent(recorded: envelope, text: text)
        }
    }

    var parent: Event.Parent? {
        get throws(CloudEventError) {
            guard let run = envelope["parentrun"]?.string else { return nil }
            guard let task = envelope["parenttask"]?.string.flatMap({ JSONPointer(rfc6901: $0) }) else {
                throw lacks("parenttask")
            }
            let occurrence = envelope["parentoccurrence"] ?? ""
            guard let occurrence = occurrence.string else { throw lacks("parentoccurrence") }
            return Event.Parent(run: run, task: task, occurrence: occurrence)
        }
    }

    var occurrence: String {
        get throws(CloudEventError) { try optionalText("occurrence") ?? "" }
    }

    var optionalTask: JSONPointer? {
        get throws(CloudEventError) { data["task"] == nil ? nil : try task }
    }

    var task: JSONPointer {
        get throws(CloudEventError) {
            guard let task = JSONPointer(rfc6901: try text("task")) else { throw lacks("task") }
            return task
        }
    }

    var error: WorkflowError {
        get throws(CloudEventError) {
            guard let members = data["error"]?.object else { throw lacks("error") }
            return WorkflowError(members)
        }
    }

    var delay: Duration {
        get throws(CloudEventError) {
            guard let seconds = data["delay"]?.double, (0...1e12).contains(seconds) else { throw lacks("delay") }
            return .seconds(seconds)
        }
    }

    func value(_ name: String) throws(CloudEventError) -> Value {
        guard let value = data[name] else { throw lacks(name) }
        return value
    }

    func text(_ name: String) throws(CloudEventError) -> String {
        guard let text = data[name]?.string else { throw lacks(name) }
        return text
    }

    func optionalText(_ name: String) throws(CloudEventError) -> String? {
        data[name] == nil ? nil : try text(name)
    }

    func integer(_ name: String) throws(CloudEventError) -> Int {
        guard let integer = data[name]?.integer else { throw lacks(name) }
        return integer
    }

    func lacks(_ name: String) -> CloudEventError {
        CloudEventError("the event of type '\(PlainText.exact(type, limit: 200))' has no valid '\(name)'")
    }
}
