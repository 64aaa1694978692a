extension CatchMixin {
    /// The same outcome, unless it takes longer than the limit: then `PromiseError.timedOut`.
    ///
    /// What it waited for is cancelled then, as far as nobody else waits for it.
    public func timeout(
        _ limit: Duration, clock: any PromiseClock = .continuous, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<T> {
        let state = link(Step<T, T>.forward, .inline, Origin(file, line))
        if state.settledResult != nil { return Promise(state: state) }
        let timer = clock.schedule(after: limit) { state.cancel(PromiseError.timedOut) }
        let link = Link<T, Void>(.settle { _ in timer.cancel() }, .inline, state.origin, traits: 0)
        unsafe state.attach(Unmanaged.passRetained(link))
        return Promise(state: state)
    }
}
