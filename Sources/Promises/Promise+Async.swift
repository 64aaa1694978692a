extension Promise {
    /// Creates a promise with the outcome of an asynchronous operation, which runs in a new task.
    ///
    /// Cancelling the promise cancels the task.
    @preconcurrency
    public init(
        file: StaticString = #fileID, line: UInt = #line, priority: TaskPriority? = nil,
        operation: @escaping @Sendable () async throws -> T
    ) {
        let state = State(pending: Origin(file, line))
        self.init(state: state)
        let task = Task(priority: priority) {
            do { state.fulfill(try await operation()) } catch { state.reject(error) }
        }
        Resolver<T>(state: state).onCancel { task.cancel() }
    }

    /// The value, once the promise is fulfilled; throws the error if it is rejected.
    ///
    /// Cancelling the waiting task throws `PromiseError.cancelled`, and cancels a promise that nothing else waits for.
    /// If nothing is left that could settle the promise, it throws `PromiseError.abandoned`.
    @inlinable
    public var value: T {
        consuming get async throws {
            if let outcome = state.outcome(as: T.self) {
                state.observe()
                return try outcome.get()
            }
            let awaiter = Awaiter((consume self).state)
            // Inlined, because a function of the module would cost another switch of the task.
            await withTaskCancellationHandler {
                await unsafe withUnsafeContinuation { unsafe awaiter.begin($0) }
            } onCancel: {
                awaiter.cancelled()
            }
            guard let outcome = awaiter.takeSettled()?.outcome(as: T.self) else { throw awaiter.failure }
            return try outcome.get()
        }
    }

    /// The value, once the promise is fulfilled: PromiseKit's name for `value`.
    public func async() async throws -> T { try await value }
}

extension Guarantee {
    /// Creates a guarantee with the value of an asynchronous operation, which runs in a new task.
    @preconcurrency
    public init(
        file: StaticString = #fileID, line: UInt = #line, priority: TaskPriority? = nil,
        operation: @escaping @Sendable () async -> T
    ) {
        self.init(file: file, line: line) { resolve in
            Task(priority: priority) { resolve(await operation()) }
        }
    }

    /// The value, once the guarantee is resolved; never returns if nothing is left that could resolve it.
    @inlinable
    public var value: T {
        get async {
            while true {
                if case .success(let value) = state.outcome(as: T.self) { return value }
                let awaiter = Awaiter(state)
                await withTaskCancellationHandler {
                    await unsafe withUnsafeContinuation { unsafe awaiter.begin($0) }
                } onCancel: {
                    awaiter.cancelled()
                }
            }
        }
    }

    /// The value, once the guarantee is resolved: PromiseKit's name for `value`.
    public func async() async -> T { await value }
}
