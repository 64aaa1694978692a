import Promises

extension Promise {
    /// The same promise, which also tells when it is cancelled: what is inside it is cancelled first.
    func onCancel(_ body: @escaping @Sendable () -> Void) -> Promise<T> {
        Promise { resolver in
            resolver.onCancel {
                self.cancel()
                body()
            }
            self.done { resolver.fulfill($0) }.catch(policy: .allErrors) { resolver.reject($0) }
        }
    }
}
