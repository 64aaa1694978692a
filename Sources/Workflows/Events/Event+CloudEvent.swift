import Foundation

extension Event {
    /// The event as CloudEvents 1.0 has it, with the standard's lifecycle types; one that a task emitted as it is.
    public var cloudEvent: Value {
        if case .eventEmitted(_, let event) = kind { return event.envelope }
        var data: Object = [:]
        // These are events of the workflow by the standard, which says nothing of the task.
        if case .correlationStarted = kind { data["name"] = .string(workflow.qualifiedName(run: run)) }
        if case .correlationCompleted = kind { data["name"] = .string(workflow.qualifiedName(run: run)) }
        if let task {
            data["workflow"] = .string(workflow.qualifiedName(run: run))
            data["task"] = .string(task.description)
        } else {
            data["name"] = .string(workflow.qualifiedName(run: run))
        }
        for (name, value) in details { data[name] = value }
        var event: Object = [
            "specversion": "1.0", "id": .string("\(run)-\(number)"),
            "source": .string("urn:graphflow:run:\(run)"), "type": .string(type), "time": .string(time.iso8601),
            "datacontenttype": "application/json", "data": .object(data),
        ]
        if let parent {
            // Extension attributes, whose names can have small letters and digits only.
            event["parentrun"] = .string(parent.run)
            event["parenttask"] = .string(parent.task.description)
        }
        return .object(event)
    }

    /// The type of the CloudEvent.
    public var type: String {
        let standard = "io.serverlessworkflow"
        return switch kind {
        case .workflowStarted: "\(standard).workflow.started.v1"
        case .workflowCompleted: "\(standard).workflow.completed.v1"
        case .workflowFaulted: "\(standard).workflow.faulted.v1"
        case .workflowCancelled: "\(standard).workflow.cancelled.v1"
        case .taskCreated: "\(standard).task.created.v1"
        case .taskStarted: "\(standard).task.started.v1"
        case .taskRetried: "\(standard).task.retried.v1"
        case .taskCompleted: "\(standard).task.completed.v1"
        case .taskFaulted: "\(standard).task.faulted.v1"
        case .taskCancelled: "\(standard).task.cancelled.v1"
        case .taskSkipped: "graphflow.task.skipped.v1"
        case .correlationStarted: "\(standard).workflow.correlation-started.v1"
        case .correlationCompleted: "\(standard).workflow.correlation-completed.v1"
        case .contextExported: "graphflow.context.exported.v1"
        case .eventEmitted(_, let event): event.type
        case .callStarted: "graphflow.call.started.v1"
        case .callEnded: "graphflow.call.ended.v1"
        case .request(_, let event): event.type
        }
    }

    private var details: Object {
        let time = Value.string(time.iso8601)
        return switch kind {
        case .workflowStarted(let input, _):
            ["definition": workflow.reference, "startedAt": time, "input": input]
        case .workflowCompleted(let output): ["completedAt": time, "output": output]
        case .workflowFaulted(let error): ["faultedAt": time, "error": .object(error.members)]
        case .workflowCancelled: ["cancelledAt": time]
        case .taskCreated: ["createdAt": time]
        case .taskStarted: ["startedAt": time]
        case .taskSkipped: ["skippedAt": time]
        case .taskRetried(_, let attempt, let delay, let error):
            [
                "retriedAt": time, "attempt": .integer(attempt), "delay": .double(delay.seconds),
                "error": .object(error.members),
            ]
        case .taskCompleted(_, let output, let context):
            context.map { ["completedAt": time, "output": output, "context": $0] }
                ?? ["completedAt": time, "output": output]
        case .taskFaulted(_, let error): ["faultedAt": time, "error": .object(error.members)]
        case .taskCancelled: ["cancelledAt": time]
        case .correlationStarted: ["startedAt": time]
        case .correlationCompleted(_, let keys):
            keys.isEmpty ? ["completedAt": time] : ["completedAt": time, "correlationKeys": .object(keys)]
        case .contextExported(_, let context): ["exportedAt": time, "context": context]
        case .eventEmitted: [:]
        case .callStarted(_, let effect): ["startedAt": time, "effect": .string(effect.rawValue)]
        case .callEnded: ["endedAt": time]
        case .request(_, let event): event.details(at: time)
        }
    }
}

extension GraphEvent {
    fileprivate var type: String {
        switch kind {
        case .retrying: "graphflow.request.retried.v1"
        case .held: "graphflow.request.held.v1"
        case .uploaded: "graphflow.upload.progressed.v1"
        case .drafted: "graphflow.mail.drafted.v1"
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
        }
    }
}

extension Workflow.Metadata {
    /// The name of one run of the workflow, as the standard has it in its events.
    func qualifiedName(run: String) -> String { "\(name)-\(run.lowercased()).\(namespace)" }

    fileprivate var reference: Value {
        ["name": .string(name), "namespace": .string(namespace), "version": .string(version)]
    }
}

extension Date {
    /// The date as ISO 8601 writes it, in UTC with milliseconds.
    package var iso8601: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}

extension Duration {
    /// The length in seconds.
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
