/// When and how often failed tasks are tried again.
package struct RetryPolicy: Sendable {
    /// The condition under which an error is worth another attempt.
    package var when: Expression?
    /// The condition under which an error is not worth another attempt.
    package var exceptWhen: Expression?
    /// The wait before the first retry.
    package var delay: DurationSource
    /// How the wait grows.
    package var backoff: Backoff
    /// A random length that is added to every wait; nil for none.
    package var jitter: Jitter?
    /// How many retries there are at most; nil for any number.
    package var maximumRetries: Int?
    /// How long a single attempt may take; nil for no limit.
    package var attemptDuration: DurationSource?
    /// How long all attempts together may take; nil for no limit.
    package var totalDuration: DurationSource?

    /// How the wait between attempts grows.
    package enum Backoff: String, Sendable, Hashable, CaseIterable {
        /// Every wait is the delay.
        case constant
        /// The delay, twice the delay, three times the delay …
        case linear
        /// The delay, doubled each time.
        case exponential
    }

    /// The range from which the random part of a wait is drawn.
    package struct Jitter: Sendable {
        /// The least that is added.
        package var from: DurationSource
        /// The most that is added.
        package var to: DurationSource
    }
}

extension RetryPolicy.Backoff {
    /// The wait before a retry, without its random part.
    /// - Parameters:
    ///   - retry: The number of the retry, from 1.
    ///   - delay: The wait before the first one.
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
