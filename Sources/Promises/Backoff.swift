/// How long `attempt` waits before a retry.
public struct Backoff: Sendable {
    private let delay: @Sendable (_ retry: Int, _ error: any Error) -> Duration

    /// Creates a custom backoff: the delay before a retry, counted from 1, given the error that caused it.
    public init(_ delay: @escaping @Sendable (_ retry: Int, _ error: any Error) -> Duration) { self.delay = delay }

    /// The same delay every time.
    public static func constant(_ delay: Duration) -> Backoff { Backoff { _, _ in delay } }

    /// The same number of seconds every time.
    public static func seconds(_ count: Double) -> Backoff { .constant(.seconds(count)) }

    /// The same number of milliseconds every time.
    public static func milliseconds(_ count: Int) -> Backoff { .constant(.milliseconds(count)) }

    /// A delay that grows by a factor from retry to retry, up to a limit.
    public static func exponential(
        from first: Duration = .seconds(1), factor: Double = 2, limit: Duration = .seconds(30)
    ) -> Backoff {
        Backoff { retry, _ in
            var delay = first
            for _ in 1..<max(retry, 1) {
                if delay >= limit { return limit }
                delay = delay * factor
            }
            return min(delay, limit)
        }
    }

    /// A random part of the delay, so clients that failed together do not retry together.
    ///
    /// - Parameter random: Returns random numbers from 0 up to 1.
    public func jittered(
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) -> Backoff {
        Backoff { [delay] retry, error in delay(retry, error) * random() }
    }

    /// The delay before a retry, counted from 1.
    public func callAsFunction(retry: Int, after error: any Error) -> Duration { delay(retry, error) }
}
