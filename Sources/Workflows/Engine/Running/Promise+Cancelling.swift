extension Promise {
    /// The promise, which calls the body first when it is cancelled.
    func onCancel(_ body: @escaping @Sendable () -> Void) -> Promise<T> {
        Promise { resolver in
            resolver.onCancel {
                body()
                self.cancel()
            }
            self.finally { resolver.resolve($0) }
        }
    }

    /// Maps at once if there is a value, as most tasks have: sending a handler to its queue costs more than a task.
    func mapAtOnce<U: Sendable>(_ body: @escaping @Sendable (T) throws -> U) -> Promise<U> {
        isPending ? map(body) : map(on: nil, body)
    }

    /// Continues with the body's promise: at once if there is a value.
    func thenAtOnce<U: Sendable>(_ body: @escaping @Sendable (T) throws -> Promise<U>) -> Promise<U> {
        isPending ? then(body) : then(on: nil, body)
    }

    /// The same outcome, after other work that follows in any case.
    func ensureThat(_ work: @escaping @Sendable () -> Promise<Void>) -> Promise<T> {
        then { value in work().map { value } }
            .recover { error -> Promise<T> in work().map { (_: Void) throws -> T in throw error } }
    }

    /// A promise that only its cancellation settles.
    static var never: Promise<T> { Promise { resolver in resolver.onCancel {} } }
}

extension PromiseClock {
    func pause(for duration: Duration) -> Promise<Void> {
        Promise { resolver in
            let alarm = schedule(after: duration) { resolver.fulfill(()) }
            resolver.onCancel { alarm.cancel() }
        }
    }
}
