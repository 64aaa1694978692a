extension Event.Kind {
    /// The same event with what it tells changed: its data, its errors and its texts.
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
        case .taskCompleted(let task, let output, let context):
            .taskCompleted(task, output: values(output), context: context.map(values))
        case .taskFaulted(let task, let error): .taskFaulted(task, errors(error))
        case .request(let task, let event): .request(task, event.mapping(texts))
        case .contextExported(let task, let context): .contextExported(task, values(context))
        // Attributes that a change makes wrong stay as they are: an event that cannot be told is none.
        case .eventEmitted(let task, let event):
            .eventEmitted(task, (try? CloudEvent(values(event.envelope))) ?? event)
        case .correlationCompleted(let task, let keys):
            .correlationCompleted(task, keys: values(.object(keys)).object ?? keys)
        case .workflowCancelled, .taskCreated, .taskStarted, .taskSkipped, .taskCancelled, .correlationStarted,
            .callStarted, .callEnded:
            self
        }
    }
}

extension GraphEvent {
    fileprivate func mapping(_ texts: (String) -> String) -> GraphEvent {
        var event = self
        switch kind {
        case .retrying(let attempt, let reason, let delay):
            event.kind = .retrying(attempt: attempt, reason: texts(reason), delay: delay)
        case .held(let delay, let reason): event.kind = .held(delay: delay, reason: texts(reason))
        case .drafted(let id, let internetMessageID):
            event.kind = .drafted(id: texts(id), internetMessageID: internetMessageID.map(texts))
        case .uploaded: break
        }
        return event
    }
}
