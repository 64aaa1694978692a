/// Fulfilled with the values, in order, of all promises that an iterator makes, with a limit on pending ones.
///
/// - Parameters:
///   - promises: Makes the next promise when there is room for it; never called from two threads at once.
///   - concurrently: How many may be pending at once; at least 1.
///   - file: The file in which the promise is made, for reports.
///   - line: The line on which the promise is made, for reports.
@preconcurrency
public func when<It: IteratorProtocol & SendableMetatype>(
    fulfilled promises: sending It, concurrently: Int, file: StaticString = #fileID, line: UInt = #line
) -> Promise<[It.Element.T]> where It.Element: Thenable {
    guard concurrently > 0 else { return Promise(error: PromiseError.badInput, file: file, line: line) }
    let pump = Pump(promises, limit: concurrently, Origin(file, line), Trait.consumer) { try $0.get() }
    pump.run()
    return Promise(state: pump.resolver.state)
}

/// Resolved with the outcomes, in order, of all promises that an iterator makes, with a limit on pending ones.
///
/// After a cancellation, the iterator makes no more promises, and pending ones are cancelled if nothing else needs
/// them.
///
/// - Parameters:
///   - promises: Makes the next promise when there is room for it; never called from two threads at once.
///   - concurrently: How many may be pending at once; less than 1 gives one outcome, `PromiseError.badInput`.
///   - file: The file in which the guarantee is made, for reports.
///   - line: The line on which the guarantee is made, for reports.
@preconcurrency
public func when<It: IteratorProtocol & SendableMetatype>(
    resolved promises: sending It, concurrently: Int, file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<[Result<It.Element.T, any Error>]> where It.Element: Thenable {
    guard concurrently > 0 else { return .value([.failure(PromiseError.badInput)], file: file, line: line) }
    let pump = Pump(promises, limit: concurrently, Origin(file, line), Trait.consumer | Trait.guarantee) { $0 }
    pump.run()
    return Guarantee(state: pump.resolver.state)
}

/// The promise of a `when` with a limit, in which a wait on the main thread finds what is pending.
final class Pumped: State {
    private let parts: @Sendable () -> [State]

    init(_ origin: Origin, _ traits: UInt8, _ parts: @escaping @Sendable () -> [State]) {
        self.parts = parts
        super.init(pending: origin, traits: traits)
    }

    override func pendingSources() -> [State] { isSettled ? [] : parts() }
}

/// Takes promises from an iterator while there is room, and keeps their outcomes.
private final class Pump<It: IteratorProtocol & SendableMetatype, Kept: Sendable>: Sendable
where It.Element: Thenable {
    private struct State {
        /// The links that wait for each promise; weak, because a link owns this object and is released with a lost
        /// promise.
        var pending: [Int: Waiting] = [:]
        var kept: [Kept?] = []
        /// Whether a thread takes promises; those that end meanwhile make room for it.
        var isRunning = false
        var isExhausted = false
    }

    private struct Waiting {
        weak let link: Promises.State?
    }

    /// Released at the end, because it may keep promises that keep this.
    private let source: Locked<It?>
    private let limit: Int
    /// The traits of links that wait for a promise: a cancelled guarantee still needs each outcome.
    private let traits: UInt8
    let resolver: Resolver<[Kept]>
    private let keep: @Sendable (Result<It.Element.T, any Error>) throws -> Kept
    private let state = Locked(State())

    init(
        _ source: sending It, limit: Int, _ origin: Origin, _ traits: UInt8,
        keep: @escaping @Sendable (Result<It.Element.T, any Error>) throws -> Kept
    ) {
        self.source = Locked(source)
        self.limit = limit
        self.traits = traits & Trait.guarantee == 0 ? Trait.consumer : Trait.consumer | Trait.always
        self.keep = keep
        let parts: @Sendable () -> [Promises.State] = { [state] in
            state.withLock { $0.pending.values.map { $0 } }.compactMap { $0.link }
        }
        resolver = Resolver(state: Pumped(origin, traits, parts))
        resolver.onCancel { for part in parts() { part.cancel() } }
    }

    /// Takes promises until there is no room or none is left; a loop, because any number of them may be settled.
    func run() {
        guard begin() else { return endEarly() }
        repeat {
            guard !resolver.state.isCancelled, let next = source.withLock({ $0?.next() }) else { return exhaust() }
            let index = start()
            let promise = next.asPromise().state
            if let outcome = promise.outcome(as: It.Element.T.self) {
                promise.observe()
                end(index, outcome)
            } else {
                let link = Link.settle(
                    { outcome in
                        self.end(index, outcome)
                        self.run()
                    }, .inline, promise.origin, traits: traits)
                _ = promise.attach(link)
                state.withLock { state in
                    if state.pending[index] != nil { state.pending[index] = Waiting(link: link) }
                }
                if isOver || resolver.state.isCancelled { link.cancel() }
            }
        } while hasRoom()
        endEarly()
    }

    private func endEarly() {
        if isOver { source.withLock { $0 = nil } }
    }

    private func begin() -> Bool {
        state.withLock { state in
            guard !state.isRunning, !state.isExhausted, !isOver, state.pending.count < limit else { return false }
            state.isRunning = true
            return true
        }
    }

    private func hasRoom() -> Bool {
        state.withLock { state in
            state.isRunning = !isOver && state.pending.count < limit
            return state.isRunning
        }
    }

    private var isOver: Bool { resolver.state.isSettled }

    private func start() -> Int {
        state.withLock { state in
            let index = state.kept.count
            state.kept.append(nil)
            state.pending[index] = Waiting(link: nil)
            return index
        }
    }

    private func end(_ index: Int, _ outcome: Result<It.Element.T, any Error>) {
        let kept: Kept
        do { kept = try keep(outcome) } catch { return resolver.reject(error) }
        let isLast = state.withLock { state in
            state.pending[index] = nil
            state.kept[index] = kept
            return state.isExhausted && state.pending.isEmpty
        }
        if isLast { finish() }
    }

    private func exhaust() {
        source.withLock { $0 = nil }
        let isLast = state.withLock { state in
            state.isExhausted = true
            state.isRunning = false
            return state.pending.isEmpty
        }
        if isLast { finish() }
    }

    private func finish() { resolver.fulfill(state.withLock { $0.kept.compactMap { $0 } }) }
}
