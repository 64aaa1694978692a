import Promises

extension Promise {
    /// The same promise, which also tells when it is cancelled, before what is inside it is cancelled.
    func onCancel(_ body: @escaping @Sendable () -> Void) -> Promise<T> {
        Promise { resolver in
            resolver.onCancel {
                body()
                self.cancel()
            }
            self.finally { resolver.resolve($0) }
        }
    }
}
