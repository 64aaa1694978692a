import Promises

extension PromiseClock {
    /// Waits, and stops waiting when the promise is cancelled.
    func pause(for duration: Duration) -> Promise<Void> {
        Promise { resolver in
            let alarm = schedule(after: duration) { resolver.fulfill(()) }
            resolver.onCancel { alarm.cancel() }
        }
    }
}
