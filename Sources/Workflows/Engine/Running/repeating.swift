import Promises

/// Whether a loop goes on, and with what.
enum Step<State: Sendable, Output: Sendable>: Sendable {
    /// Once more, from that state.
    case again(State)
    /// No more: this is the result.
    case done(Output)
}

/// Performs asynchronous work again and again until it says that it is done.
///
/// However often it repeats, it holds one promise and not a chain of them, so that a loop without end does not fill
/// the memory. Cancelling the result cancels the work that is going on.
func repeating<State: Sendable, Output: Sendable>(
    _ initial: State, _ body: @escaping @Sendable (State) throws -> Promise<Step<State, Output>>
) -> Promise<Output> {
    Promise { resolver in
        let progress = Locked((current: Promise<Step<State, Output>>?.none, isCancelled: false))
        resolver.onCancel {
            let current = progress.withLock { progress in
                progress.isCancelled = true
                return progress.current
            }
            current?.cancel()
        }
        @Sendable func go(_ state: State) {
            // Between two rounds, and while one begins, there is no work that a cancellation could reach.
            guard !progress.withLock({ $0.isCancelled }) else { return }
            let work = firstly { try body(state) }
            let isCancelled = progress.withLock { progress in
                progress.current = work
                return progress.isCancelled
            }
            if isCancelled { work.cancel() }
            work.finally { outcome in
                switch outcome {
                case .success(.again(let next)): go(next)
                case .success(.done(let output)): resolver.fulfill(output)
                case .failure(let error): resolver.reject(error)
                }
            }
        }
        go(initial)
    }
}
