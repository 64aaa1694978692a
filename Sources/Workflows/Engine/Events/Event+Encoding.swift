import Foundation

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
        for (name, value) in details { data[name] = value }
        var event: Object = [
            "specversion": "1.0", "id": .string("\(run)-\(number)"),
            "source": .string("urn:graphflow:run:\(run)"), "type": .string(recordType), "time": .string(time.iso8601),
            "datacontenttype": "application/json", "data": .object(data),
        ]
        if let parent {
            // Names of extension attributes can only have lowercase letters and digits.
            event["parentrun"] = .string(parent.run)
            event["parenttask"] = .string(parent.task.description)
            if !parent.occurrence.isEmpty { event["parentoccurrence"] = .string(parent.occurrence) }
        }
        return .object(event)
    }

    /// The type of the event in the journal.
    private var recordType: String {
        if case .eventEmitted = kind { "graphflow.event.emitted.v1" } else { type }
    }

    /// The type of the CloudEvent.
    public var type: String {
        let standard = "io.serverlessworkflow"
        return switch kind {
        case .workflowStarted: "\(standard).workflow.started.v1"
        case .workflowCompleted: "\(standard).workflow.completed.v1"
        case .workflowFaulted: "\(standard).workflow.faulted.v1"
        case .workflowCancelled: "\(standard).workflow.cancelled.v1"
        case .workflowSuspended: "\(standard).workflow.suspended.v1"
        case .workflowResumed: "\(standard).workflow.resumed.v1"
        case .taskCreated: "\(standard).task.created.v1"
        case .taskStarted: "\(standard).task.started.v1"
        case .taskRetried: "\(standard).task.retried.v1"
        case .taskCompleted: "\(standard).task.completed.v1"
        case .taskFaulted: "\(standard).task.faulted.v1"
        case .taskCancelled: "\(standard).task.cancelled.v1"
        case .taskSkipped: "graphflow.task.skipped.v1"
        case .correlationStarted: "\(standard).workflow.correlation-started.v1"
        case .correlationCompleted: "\(standard).workflow.correlation-completed.v1"
        case .decided: "graphflow.task.decided.v1"
        case .iterationStarted: "graphflow.iteration.started.v1"
        case .iterationCompleted: "graphflow.iteration.completed.v1"
        case .jumped: "graphflow.task.jumped.v1"
        case .eventEmitted(_, let event): event.type
        case .eventReceived: "graphflow.event.received.v1"
        case .eventRead: "graphflow.event.read.v1"
        case .callStarted: "graphflow.call.started.v1"
        case .callEnded: "graphflow.call.ended.v1"
        case .request(_, let event): event.type
        }
    }

    private var details: Object {
        let time = Value.string(time.iso8601)
        return switch kind {
        case .workflowStarted(let input, let context):
            // Drawings of secrets can look like other data.
            (seals ?? []).isEmpty && input == context && input.jsonData() == context.jsonData()
                ? ["definition": workflow.reference, "startedAt": time, "input": input]
                : ["definition": workflow.reference, "startedAt": time, "input": input, "context": context]
        case .workflowCompleted(let output): ["completedAt": time, "output": output]
        case .workflowFaulted(let error): ["faultedAt": time, "error": .object(error.members)]
        case .workflowCancelled: ["cancelledAt": time]
        case .workflowSuspended: ["suspendedAt": time]
        case .workflowResumed(let resumption): resumption.details(at: time)
        case .taskCreated: ["createdAt": time]
        case .taskStarted(_, let input): input.map { ["startedAt": time, "input": $0] } ?? ["startedAt": time]
        case .taskSkipped: ["skippedAt": time]
        case .taskRetried(_, let attempt, let delay, let error):
            [
                "retriedAt": time, "attempt": .integer(attempt), "delay": .double(delay.seconds),
                "error": .object(error.members),
            ]
        case .taskCompleted(_, let output, let context, let then):
            Object(
                [
                    ("completedAt", time), ("output", output), ("context", context),
                    ("then", then == .continue ? nil : .string(then.description)),
                ])
        case .taskFaulted(_, let error): ["faultedAt": time, "error": .object(error.members)]
        case .taskCancelled: ["cancelledAt": time]
        case .correlationStarted: ["startedAt": time]
        case .correlationCompleted(_, let keys):
            keys.isEmpty ? ["completedAt": time] : ["completedAt": time, "correlationKeys": .object(keys)]
        case .decided(_, let what, let value): ["decidedAt": time, "what": .string(what), "value": value]
        case .iterationStarted(_, let round, let data): ["startedAt": time, "round": .integer(round), "data": data]
        case .iterationCompleted(_, let round, let output, let context, let isLast):
            Object(
                [
                    ("completedAt", time), ("round", .integer(round)), ("output", output), ("context", context),
                    ("isLast", isLast ? true : nil),
                ])
        case .jumped(_, let count, let data): ["jumpedAt": time, "count": .integer(count), "data": data]
        case .eventEmitted(_, let event): ["emittedAt": time, "event": event.envelope]
        case .eventReceived(let event):
            Object(
                [("receivedAt", time), ("event", event.envelope), ("text", event.text.map(Value.string))])
        case .eventRead(_, let position): ["readAt": time, "position": .integer(position)]
        case .callStarted(_, let effect): ["startedAt": time, "effect": .string(effect.rawValue)]
        case .callEnded(_, let end):
            switch end {
            case .completed(let result): ["endedAt": time, "result": result]
            case .failed(let error): ["endedAt": time, "error": .object(error.members)]
            case nil: ["endedAt": time]
            }
        case .request(_, let event): event.details(at: time)
        }
    }
}

extension Event.Resumption {
    fileprivate func details(at time: Value) -> Object {
        var details: Object = ["resumedAt": time]
        if let digest { details["digest"] = .string(digest) }
        if !anew.isEmpty { details["anew"] = .array(anew.map { .string($0.description) }) }
        return details
    }
}

extension Object {
    /// The members that are not nil.
    fileprivate init(_ members: [(String, Value?)]) {
        self.init()
        for (name, value) in members { self[name] = value }
    }
}

extension GraphEvent {
    fileprivate var type: String {
        switch kind {
        case .retrying: "graphflow.request.retried.v1"
        case .held: "graphflow.request.held.v1"
        case .uploaded: "graphflow.upload.progressed.v1"
        case .drafted: "graphflow.mail.drafted.v1"
        case .committing: "graphflow.request.committing.v1"
        }
    }

    fileprivate func details(at time: Value) -> Object {
        switch kind {
        case .retrying(let attempt, let reason, let delay):
            [
                "retriedAt": time, "operation": .string(operation), "attempt": .integer(attempt),
                "reason": .string(reason), "delay": .double(delay.seconds),
            ]
        case .held(let delay, let reason):
            [
                "heldAt": time, "operation": .string(operation), "reason": .string(reason),
                "delay": .double(delay.seconds),
            ]
        case .uploaded(let bytes, let total):
            [
                "uploadedAt": time, "operation": .string(operation), "bytes": .integer(bytes),
                "total": .integer(total),
            ]
        case .drafted(let id, let internetMessageID):
            [
                "draftedAt": time, "operation": .string(operation), "messageId": .string(id),
                "internetMessageId": internetMessageID.map(Value.string) ?? .null,
            ]
        case .committing: ["committedAt": time, "operation": .string(operation)]
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
