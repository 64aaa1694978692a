extension Event.Kind {
    func mapping(
        values: (Value) -> Value, errors: (WorkflowError) -> WorkflowError, texts: (String) -> String
    ) -> Event.Kind {
        switch self {
        case .workflowStarted(let input, let context):
            .workflowStarted(input: values(input), context: values(context))
        case .workflowCompleted(let output): .workflowCompleted(output: values(output))
        case .workflowFaulted(let error): .workflowFaulted(errors(error))
        case .taskRetried(let task, let attempt, let delay, let error):
            .taskRetried(task, attempt: attempt, delay: delay, error: errors(error))
        case .taskStarted(let task, let input): .taskStarted(task, input: input.map(values))
        case .taskCompleted(let task, let output, let context, let then):
            .taskCompleted(task, output: values(output), context: context.map(values), then: then)
        case .taskFaulted(let task, let error): .taskFaulted(task, errors(error))
        case .request(let task, let event): .request(task, event.mapping(values, texts))
        case .decided(let task, let what, let value): .decided(task, what: what, value: values(value))
        case .iterationStarted(let task, let round, let data):
            .iterationStarted(task, round: round, data: values(data))
        case .iterationCompleted(let task, let round, let output, let context, let isLast):
            .iterationCompleted(
                task, round: round, output: values(output), context: context.map(values), isLast: isLast)
        case .jumped(let task, let count, let data): .jumped(task, count: count, data: values(data))
        case .callEnded(let task, let end):
            switch end {
            case .completed(let result): .callEnded(task, .completed(values(result)))
            case .failed(let error): .callEnded(task, .failed(errors(error)))
            case nil: self
            }
        case .eventEmitted(let task, let event): .eventEmitted(task, event.mapping(values, texts))
        case .correlationCompleted(let task, let keys):
            .correlationCompleted(task, keys: values(.object(keys)).object ?? keys)
        case .eventReceived(let event): .eventReceived(event.mapping(values, texts))
        case .workflowCancelled, .workflowSuspended, .workflowResumed, .taskCreated, .taskSkipped, .taskCancelled,
            .taskSuspended, .taskResumed, .correlationStarted, .eventRead, .callStarted:
            self
        }
    }
}

extension GraphEvent {
    package func mapping(_ values: (Value) -> Value, _ texts: (String) -> String) -> GraphEvent {
        var event = self
        switch kind {
        case .retrying(let attempt, let reason, let delay):
            event.kind = .retrying(attempt: attempt, reason: texts(reason), delay: delay)
        case .held(let delay, let reason): event.kind = .held(delay: delay, reason: texts(reason))
        case .drafted(let id, let internetMessageID):
            event.kind = .drafted(id: texts(id), internetMessageID: internetMessageID.map(texts))
        case .committing(let reason): event.kind = .committing(reason: reason.map(texts))
        case .effect(let effect, let state):
            event.kind = .effect(effect.mapping(values), state)
        case .uploaded: break
        }
        return event
    }
}
