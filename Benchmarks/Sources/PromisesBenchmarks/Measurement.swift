import Dispatch
import Promises

/// Prevents the optimiser from dropping what is only measured.
@inline(never)
@_optimize(none)
func keep<T>(_ value: T) {}

/// The same for what is measured most, without the cost of a generic call.
@inline(never)
@_optimize(none)
func keep(_ promise: Promise<Int>) {}

/// The median of nine runs, after one that does not count, in nanoseconds per operation.
func median(operations: Int, runs: Int = 9, _ body: () -> Duration) -> Double {
    _ = body()
    let times = (0..<runs).map { _ in body() }.sorted()
    return times[runs / 2] / .nanoseconds(1) / Double(operations)
}

/// How long the body takes.
func time(_ body: () -> Void) -> Duration { ContinuousClock().measure(body) }

/// Runs an asynchronous body to its end on another thread, and waits here.
func blocking(_ body: @escaping @Sendable () async -> Duration) -> Duration {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var result = Duration.zero
    Task {
        result = await body()
        done.signal()
    }
    done.wait()
    return result
}

/// Lets a benchmark wait until a number of things have happened on other threads.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func open() { semaphore.signal() }
    func wait() { semaphore.wait() }
}
