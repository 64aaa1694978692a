package enum Step<State: Sendable, Output: Sendable>: Sendable {
    case again(State)
    case done(Output)
}

/// Repeats asynchronous work until it is done.
///
/// It holds one promise instead of a chain: an endless loop does not fill the memory. Cancelling the result cancels the
/// work.
package func repeating<State: Sendable, Output: Sendable>(
    _ initial: State, _ body: @escaping @Sendable (State) throws -> Promise<Step<State, Output>>
) -> Promise<Output> {
    let first = firstly { try body(initial) }
    // Most lists of tasks have one task, and most tasks do not wait.
    if case .success(.done(let output))? = first.result { return .value(output) }
    return Promise { resolver in
        let progress = Locked((current: Promise<Step<State, Output>>?.none, isCancelled: false))
        resolver.onCancel {
            let current = progress.withLock { progress in
                progress.isCancelled = true
                return progress.current
            }
            current?.cancel()
        }
        @Sendable func wait(for work: Promise<Step<State, Output>>) {
            let isCancelled = progress.withLock { progress in
                progress.current = work
                return progress.isCancelled
            }
            if isCancelled { work.cancel() }
            work.finally { outcome in
                switch outcome {
                case .success(.again(let next)):
                    // Between two rounds and while one begins, there is no promise to cancel.
                    guard !progress.withLock({ $0.isCancelled }) else { return }
                    wait(for: firstly { try body(next) })
                case .success(.done(let output)): resolver.fulfill(output)
                case .failure(let error): resolver.reject(error)
                }
            }
        }
        wait(for: first)
    }
}
