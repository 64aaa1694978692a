extension Event {
    /// The event as a CloudEvent with the standard's lifecycle types; an event that a task emitted is unchanged.
    public var cloudEvent: Value {
        if case .eventEmitted(_, let event) = kind { return event.envelope }
        return record
    }

    /// The event as the journal keeps it: a CloudEvent about the run, with an emitted event as its data.
    ///
    /// ``init(cloudEvent:workflow:)`` reads it back.
    public var record: Value {
        var data: Object = [:]
        // In the standard these are events of the workflow and name no task.
        if case .correlationStarted = kind { data["name"] = .string(workflow.qualifiedName(run: run)) }
        if case .correlationCompleted = kind { data["name"] = .string(workflow.qualifiedName(run: run)) }
        if let task {
            data["workflow"] = .string(workflow.qualifiedName(run: run))
            data["task"] = .string(task.description)
        } else {
            data["name"] = .string(workflow.qualifiedName(run: run))
        }
        if !occurrence.isEmpty { data["occurrence"] = .string(occurrence) }
        details(at: .string(time.iso8601)) { data[$0] = $1 }
        var event: Object = [
            "specversion": "1.0", "id": .string(id),
            "source": .string("urn:graphflow:run:\(run)"), "type": .string(recordType), "time": .string(time.iso8601),
            "datacontenttype": "application/json", "data": .object(data),
        ]
        for (name, value) in parent?.attributes ?? [:] { event[name] = value }
        return .object(event)
    }

    var recordType: String {
        if case .eventEmitted = kind { "graphflow.event.emitted.v1" } else { type }
    }

    /// The type of the CloudEvent.
    public var type: String { words.type }

    /// The type, and the name of the time in the data.
    var words: (type: String, moment: String) {
        let standard = "io.serverlessworkflow"
        return switch kind {
        case .workflowStarted: ("\(standard).workflow.started.v1", "startedAt")
        case .workflowCompleted: ("\(standard).workflow.completed.v1", "completedAt")
        case .workflowFaulted: ("\(standard).workflow.faulted.v1", "faultedAt")
        case .workflowCancelled: ("\(standard).workflow.cancelled.v1", "cancelledAt")
        case .workflowSuspended: ("\(standard).workflow.suspended.v1", "suspendedAt")
        case .workflowResumed: ("\(standard).workflow.resumed.v1", "resumedAt")
        case .taskCreated: ("\(standard).task.created.v1", "createdAt")
        case .taskStarted: ("\(standard).task.started.v1", "startedAt")
        case .taskRetried: ("\(standard).task.retried.v1", "retriedAt")
        case .taskCompleted: ("\(standard).task.completed.v1", "completedAt")
        case .taskFaulted: ("\(standard).task.faulted.v1", "faultedAt")
        case .taskCancelled: ("\(standard).task.cancelled.v1", "cancelledAt")
        case .taskSuspended: ("\(standard).task.suspended.v1", "suspendedAt")
        case .taskResumed: ("\(standard).task.resumed.v1", "resumedAt")
        case .taskSkipped: ("graphflow.task.skipped.v1", "skippedAt")
        case .correlationStarted: ("\(standard).workflow.correlation-started.v1", "startedAt")
        case .correlationCompleted: ("\(standard).workflow.correlation-completed.v1", "completedAt")
        case .decided: ("graphflow.task.decided.v1", "decidedAt")
        case .iterationStarted: ("graphflow.iteration.started.v1", "startedAt")
        case .iterationCompleted: ("graphflow.iteration.completed.v1", "completedAt")
        case .jumped: ("graphflow.task.jumped.v1", "jumpedAt")
        case .eventEmitted(_, let event): (event.type, "emittedAt")
        case .eventReceived: ("graphflow.event.received.v1", "receivedAt")
        case .eventRead: ("graphflow.event.read.v1", "readAt")
        case .callStarted: ("graphflow.call.started.v1", "startedAt")
        case .callEnded: ("graphflow.call.ended.v1", "endedAt")
        case .request(_, let event): event.words
        }
    }

    /// Where an output is, as the standard's main branch defines it: in the event itself (RFC 6901, section 6).
    private static let outputReference: Value = "#/data/output"

    /// Calls the closure with the members of the event's data that its kind has, in order.
    /// - Parameter time: When it happened.
    func details(at time: Value, _ add: (_ name: String, _ value: Value) -> Void) {
        if case .workflowStarted = kind { add("definition", workflow.reference) }
        add(words.moment, time)
        switch kind {
        case .workflowStarted(let input, let context):
            add("input", input)
            // Drawings of secrets can look like other data.
            let isSame = (seals ?? []).isEmpty && input == context && input.jsonData() == context.jsonData()
            if !isSame { add("context", context) }
        case .workflowCompleted(let output):
            add("output", output)
            add("outputUri", Self.outputReference)
        case .workflowFaulted(let error), .taskFaulted(_, let error):
            add("error", .object(error.members))
        case .workflowResumed(let resumption):
            if let digest = resumption.digest { add("digest", .string(digest)) }
            if let plan = resumption.plan { add("plan", .string(plan)) }
            if !resumption.approvals.isEmpty { add("approvals", .array(resumption.approvals)) }
            if !resumption.anew.isEmpty { add("anew", .array(resumption.anew.map { .string($0.description) })) }
            if let from = resumption.from {
                add(
                    "from",
                    [
                        "run": .string(from.run), "task": .string(from.task.description),
                        "occurrence": .string(from.occurrence),
                    ])
            }
        case .taskStarted(_, let input):
            if let input { add("input", input) }
        case .taskRetried(_, let attempt, let delay, let error):
            add("attempt", .integer(attempt))
            add("delay", .double(delay.seconds))
            add("error", .object(error.members))
        case .taskCompleted(_, let output, let context, let then):
            add("output", output)
            add("outputUri", Self.outputReference)
            if let context { add("context", context) }
            if then != .continue { add("then", .string(then.description)) }
        case .correlationCompleted(_, let keys):
            if !keys.isEmpty { add("correlationKeys", .object(keys)) }
        case .decided(_, let what, let value):
            add("what", .string(what))
            add("value", value)
        case .iterationStarted(_, let round, let data):
            add("round", .integer(round))
            add("data", data)
        case .iterationCompleted(_, let round, let output, let context, let isLast):
            add("round", .integer(round))
            add("output", output)
            if let context { add("context", context) }
            if isLast { add("isLast", true) }
        case .jumped(_, let count, let data):
            add("count", .integer(count))
            add("data", data)
        case .eventEmitted(_, let event):
            add("event", event.envelope)
        case .eventReceived(let event):
            add("event", event.envelope)
            if let text = event.text { add("text", .string(text)) }
        case .eventRead(_, let position):
            add("position", .integer(position))
        case .callStarted(_, let effect):
            add("effect", .string(effect.rawValue))
        case .callEnded(_, let end):
            switch end {
            case .completed(let result): add("result", result)
            case .failed(let error): add("error", .object(error.members))
            case nil: break
            }
        case .request(_, let event): event.details(add)
        case .workflowCancelled, .workflowSuspended, .taskCreated, .taskSkipped, .taskCancelled, .taskSuspended,
            .taskResumed, .correlationStarted:
            break
        }
    }
}

extension Event.Parent {
    /// The place as attributes of an event, whose names can only have lowercase letters and digits.
    var attributes: Object {
        var attributes: Object = ["parentrun": .string(run), "parenttask": .string(task.description)]
        if !occurrence.isEmpty { attributes["parentoccurrence"] = .string(occurrence) }
        return attributes
    }
}

extension GraphEvent {
    fileprivate var words: (type: String, moment: String) {
        switch kind {
        case .retrying: ("graphflow.request.retried.v1", "retriedAt")
        case .held: ("graphflow.request.held.v1", "heldAt")
        case .uploaded: ("graphflow.upload.progressed.v1", "uploadedAt")
        case .drafted: ("graphflow.mail.drafted.v1", "draftedAt")
        case .committing: ("graphflow.request.committing.v1", "committedAt")
        case .effect: ("graphflow.effect.recorded.v1", "recordedAt")
        }
    }

    fileprivate func details(_ add: (_ name: String, _ value: Value) -> Void) {
        add("operation", .string(operation))
        switch kind {
        case .retrying(let attempt, let reason, let delay):
            add("attempt", .integer(attempt))
            add("reason", .string(reason))
            add("delay", .double(delay.seconds))
        case .held(let delay, let reason):
            add("reason", .string(reason))
            add("delay", .double(delay.seconds))
        case .uploaded(let bytes, let total):
            add("bytes", .integer(bytes))
            add("total", .integer(total))
        case .drafted(let id, let internetMessageID):
            add("messageId", .string(id))
            add("internetMessageId", internetMessageID.map(Value.string) ?? .null)
        case .committing(let reason):
            if let reason { add("reason", .string(reason)) }
        case .effect(let effect, let state):
            add("state", .string(state.rawValue))
            add("effect", effect.markedValue)
        }
    }
}

extension Workflow.Metadata {
    /// The name of one run of the workflow in the standard's events.
    func qualifiedName(run: String) -> String { "\(name)-\(run.lowercased()).\(namespace)" }

    fileprivate var reference: Value {
        ["name": .string(name), "namespace": .string(namespace), "version": .string(version)]
    }
}
