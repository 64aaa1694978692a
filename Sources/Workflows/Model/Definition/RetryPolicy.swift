package struct RetryPolicy: Sendable {
    /// The condition for another attempt.
    package var when: Expression?
    /// The condition against another attempt.
    package var exceptWhen: Expression?
    /// The wait before the first retry.
    package var delay: DurationSource
    package var backoff: Backoff
    /// A random length that is added to every wait; nil for none.
    package var jitter: Jitter?
    /// The maximum number of retries; nil for any number.
    package var maximumRetries: Int?
    /// The time limit of a single attempt; nil for none.
    package var attemptDuration: DurationSource?
    /// The time limit of all attempts together; nil for none.
    package var totalDuration: DurationSource?

    package enum Backoff: String, Sendable, Hashable, CaseIterable {
        case constant
        /// The delay, twice the delay, three times the delay, and so on.
        case linear
        /// The delay, doubled each time.
        case exponential
    }

    /// The range from which the random part of a wait is drawn.
    package struct Jitter: Sendable {
        package var from: DurationSource
        package var to: DurationSource
    }
}

extension RetryPolicy.Backoff {
    /// The wait before a retry, without its random part; retries count from 1.
    package func wait(beforeRetry retry: Int, delay: Duration) -> Duration {
        let factor =
            switch self {
            case .constant: 1
            case .linear: retry
            // Waits of more than 2^30 times the delay make no difference in practice.
            case .exponential: 1 << min(retry - 1, 30)
            }
        return delay.multiplied(by: factor) ?? .seconds(Duration.longest)
    }
}
