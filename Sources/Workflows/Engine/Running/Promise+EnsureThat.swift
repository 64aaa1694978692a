import Promises

extension Promise {
    /// The same outcome, after other work that must be over first, however this ends.
    func ensureThat(_ work: @escaping @Sendable () -> Promise<Void>) -> Promise<T> {
        then { value in work().map { value } }
            .recover { error -> Promise<T> in work().map { (_: Void) throws -> T in throw error } }
    }
}
