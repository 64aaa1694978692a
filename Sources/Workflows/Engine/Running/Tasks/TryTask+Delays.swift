extension Run {
    /// The wait of a `try` before the next attempt; nil if there is none.
    func wait(
        beforeRetry retry: Int, by policy: RetryPolicy, of handler: Workflow.Catch, after error: WorkflowError,
        elapsed: Duration, _ task: ActiveTask
    ) throws(WorkflowError) -> Duration? {
        let (input, scope) = (task.input, task.scope)
        // An effect that may have happened is repeated only if the filter names this error type.
        if error.is(.unknownOutcome), handler.filter?.members["type"]?.string != error.type { return nil }
        let raised = Value.object(error.members)
        guard retry <= policy.maximumRetries ?? .max, try scope.holds(policy.when, raised) else { return nil }
        if let exception = policy.exceptWhen, try scope.holds(exception, raised) { return nil }
        let delay = try scope.duration(policy.delay, input)
        var wait = policy.backoff.wait(beforeRetry: retry, delay: delay)
        if let jitter = policy.jitter {
            let from = try scope.duration(jitter.from, input)
            let to = try scope.duration(jitter.to, input)
            wait += from + .seconds(max(0, (to - from).seconds) * runner.random())
        }
        if let total = policy.totalDuration, elapsed + wait > (try scope.duration(total, input)) { return nil }
        return wait
    }

    func planned(_ policy: RetryPolicy, _ task: ActiveTask) throws(WorkflowError) -> PlannedTask.Retry {
        let (input, scope) = (task.input, task.scope)
        let delay = try scope.duration(policy.delay, input)
        let jitter = try policy.jitter.map { jitter throws(WorkflowError) in try scope.duration(jitter.to, input) }
        let total = try policy.totalDuration.map { total throws(WorkflowError) in try scope.duration(total, input) }
        var (waits, sum): ([Duration], Duration) = ([], .zero)
        let most = policy.maximumRetries ?? .max
        while waits.count < min(most, 1_000) {
            let wait = policy.backoff.wait(beforeRetry: waits.count + 1, delay: delay) + (jitter ?? .zero)
            if let total, sum + wait > total { break }
            waits.append(wait)
            sum += wait
        }
        let isEndless = waits.count == 1_000 && most > 1_000
        return PlannedTask.Retry(
            attempts: isEndless ? nil : waits.count + 1, waits: Array(waits.prefix(10)),
            longestWait: isEndless ? total : sum, words: policy.words)
    }
}

extension RetryPolicy {
    fileprivate var words: String {
        var parts: [String] = []
        switch maximumRetries {
        case nil: parts.append("again until it works")
        case 1?: parts.append("once more")
        case let count?: parts.append("up to \(count) times more")
        }
        if let delay = delay.known, delay > .zero {
            switch backoff {
            case .constant: parts.append("every \(delay.words)")
            case .linear: parts.append("after \(delay.words), then longer each time by as much")
            case .exponential: parts.append("after \(delay.words), then twice as long each time")
            }
        }
        if let to = jitter?.to.known { parts.append("with up to \(to.words) more at random") }
        if let when { parts.append("where \(when.shown)") }
        if let exceptWhen { parts.append("unless \(exceptWhen.shown)") }
        if let limit = totalDuration?.known { parts.append("for \(limit.words) at most") }
        return parts.joined(separator: ", ")
    }
}
