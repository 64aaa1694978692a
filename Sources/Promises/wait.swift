internal import Dispatch

extension Promise {
    /// Blocks the calling thread until there is an outcome; for scripts and tests.
    ///
    /// A call in a handler is reported through `conf.logHandler`, and other handlers run meanwhile.
    public func wait() throws -> T {
        if let result {
            state.observe()
            return try result.get()
        }
        let done = DispatchSemaphore(value: 0)
        pipe { _ in done.signal() }
        if let place = SerialPlace.current {
            conf.report(.waitOnMainThread(state.origin.location))
            repeat { place.drainNested() } while done.wait(timeout: .now() + .milliseconds(1)) == .timedOut
        } else {
            done.wait()
        }
        guard let result else { throw PromiseError.abandoned }
        return try result.get()
    }
}

extension Guarantee {
    /// Blocks the calling thread until there is a value; for scripts and tests.
    ///
    /// A call in a handler is reported through `conf.logHandler`, and other handlers run meanwhile.
    public func wait() -> T {
        while true {
            if let value = try? asPromise().wait() { return value }
        }
    }
}

/// Blocks the calling thread until the promise has an outcome: PromiseKit's name for `wait()`.
public func hang<T: Sendable>(_ promise: Promise<T>) throws -> T { try promise.wait() }
