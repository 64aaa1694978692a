extension CatchMixin {
    /// The same outcome, or `PromiseError.timedOut` if it takes longer than the limit.
    ///
    /// A promise that takes too long is cancelled, unless something else waits for it.
    public func timeout(
        _ limit: Duration, clock: any PromiseClock = .continuous, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<T> {
        let state = link(.forward(T.self, Origin(file, line)))
        if state.isSettled { return Promise(state: state) }
        let timer = clock.schedule(after: limit) { state.cancel(Mark.cancelled | Mark.timedOut) }
        let stop: @Sendable (Result<T, any Error>) throws -> Void = { _ in timer.cancel() }
        _ = state.attach(.settle(stop, .inline, state.origin, traits: 0))
        return Promise(state: state)
    }
}
