extension Promise<Value> {
    /// Calls the body with the result, and is fulfilled afterwards.
    package func reporting(to body: @escaping @Sendable (Result<Value, any Error>) -> Void) -> Promise<Void> {
        get { body(.success($0)) }.asVoid().recover(policy: .allErrors) { error -> Promise<Void> in
            body(.failure(error))
            return .value(())
        }
    }
}
