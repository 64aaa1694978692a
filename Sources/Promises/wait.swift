internal import Synchronization

extension Promise {
    /// Blocks the calling thread until there is an outcome; for scripts and tests.
    ///
    /// A call on the main thread or in a handler is reported through `conf.logHandler`. In a handler, other handlers
    /// run meanwhile.
    /// - Throws: The error of the promise; ``PromiseError/abandoned`` if it can never be settled;
    ///   ``PromiseError/deadlock`` on the main thread if the promise depends on a handler on the main queue.
    public func wait() throws -> T {
        if let result {
            state.observe()
            return try result.get()
        }
        // Handlers that wait until their enclosing handlers have ended.
        if let nesting = unsafe Thread.nesting { unsafe WorkList.drain(nesting.pointee.work) }
        let done = DispatchSemaphore(value: 0)
        pipe { _ in done.signal() }
        let place = SerialPlace.current
        if place != nil || Thread.isMain { conf.report(.waitOnMainThread, state.origin) }
        if let place {
            let own = unsafe place.drainNested()
            if place.isPooled { PlaceThreads.leave() }
            defer {
                if place.isPooled { PlaceThreads.comeBack() }
                unsafe place.comeBack(to: own)
            }
            repeat {
                if place.isCurrent { unsafe place.drainNested() }
                // Handlers at the main place have just run, but not those that were given the main queue itself.
                if Thread.isMain, state.waits(for: { $0.isOnMainQueue }) { throw PromiseError.deadlock }
            } while done.wait(timeout: .now() + .milliseconds(1)) == .timedOut
        } else if Thread.isMain {
            while done.wait(timeout: .now() + .milliseconds(10)) == .timedOut {
                if state.waits(for: { $0.where == PlaceNumber.main || $0.isOnMainQueue }) {
                    throw PromiseError.deadlock
                }
            }
        } else {
            done.wait()
        }
        guard let result else { throw PromiseError.abandoned }
        return try result.get()
    }
}

extension State {
    /// Whether this pending promise depends on a matching handler that is ready to run.
    fileprivate final func waits(for kind: (Link) -> Bool) -> Bool {
        var open: [State] = [self]
        while let state = open.popLast() {
            let sources = state.pendingSources()
            open += sources
            if sources.isEmpty, !state.isSettled, let link = state as? Link, kind(link) { return true }
        }
        return false
    }
}

extension Link {
    fileprivate var isOnMainQueue: Bool { (self as? QueueLink)?.queue.label == DispatchQueue.main.label }
}

extension Guarantee {
    /// Blocks the calling thread until there is a value; for scripts and tests.
    ///
    /// A call on the main thread or in a handler is reported through `conf.logHandler`. In a handler, other handlers
    /// run meanwhile. A wait that can never end, such as on the main thread for a handler on the main queue, ends the
    /// process.
    public func wait() -> T {
        do { return try asPromise().wait() } catch { fatalError("\(error)") }
    }
}

/// Blocks the calling thread until the promise has an outcome: PromiseKit's name for `wait()`.
public func hang<T: Sendable>(_ promise: Promise<T>) throws -> T { try promise.wait() }
