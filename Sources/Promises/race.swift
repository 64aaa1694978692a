public import Synchronization

/// Settles like the first promise that is settled; rejected with `PromiseError.badInput` if there are no promises.
@inlinable
public func race<S: Sequence>(
    _ thenables: S, file: StaticString = #fileID, line: UInt = #line
) -> Promise<S.Element.T> where S.Element: Thenable {
    let states = thenables.map { $0.asPromise().state }
    if states.isEmpty { return Promise(error: PromiseError.badInput, file: file, line: line) }
    if let outcome = decided(states, as: S.Element.T.self) {
        switch outcome {
        case .success(let value): return .value(value, file: file, line: line)
        case .failure(let error): return Promise(error: error, file: file, line: line)
        }
    }
    let gather = unsafe Gather(Slots(count: states.count), Origin(file, line)) { _, _ in }
    let run = unsafe Gather.deciding(S.Element.T.self, skippingFailures: false)
    for (index, state) in states.enumerated() { unsafe gather.wait(for: state, at: index, run) }
    return Promise(state: gather)
}

/// The outcome of the first promise that is already settled; such a race is finished before it begins.
@inlinable
func decided<T: Sendable>(_ states: [State], as type: T.Type) -> Result<T, any Error>? {
    let winner = states.first { $0.word.load(ordering: .acquiring) & Word.settled != 0 }
    guard let winner else { return nil }
    for state in states { state.observe() }
    return unsafe winner.knownOutcome(as: T.self)
}

/// Settles like the first promise that is settled.
@inlinable
public func race<U: Thenable>(
    _ thenables: U..., file: StaticString = #fileID, line: UInt = #line
) -> Promise<U.T> {
    race(thenables, file: file, line: line)
}

/// Resolves like the first guarantee that is resolved.
@inlinable
public func race<T: Sendable>(
    _ guarantees: Guarantee<T>..., file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<T> {
    let traits = Trait.consumer | Trait.guarantee
    let gather = unsafe Gather(Slots(count: guarantees.count), Origin(file, line), traits: traits) { _, _ in }
    let run = unsafe Gather.deciding(T.self, skippingFailures: false)
    for (index, guarantee) in guarantees.enumerated() { unsafe gather.wait(for: guarantee.state, at: index, run) }
    return Guarantee(state: gather)
}

/// Fulfilled with the value of the first promise that is fulfilled; rejected with `PromiseError.noWinner` if none is.
@inlinable
public func race<S: Sequence>(
    fulfilled thenables: S, file: StaticString = #fileID, line: UInt = #line
) -> Promise<S.Element.T> where S.Element: Thenable {
    let states = thenables.map { $0.asPromise().state }
    if states.isEmpty { return Promise(error: PromiseError.badInput, file: file, line: line) }
    let gather = unsafe Gather(Slots(count: states.count), Origin(file, line)) { gather, work in
        unsafe gather.end(Result<S.Element.T, any Error>.failure(PromiseError.noWinner), work)
    }
    let run = unsafe Gather.deciding(S.Element.T.self, skippingFailures: true)
    for (index, state) in states.enumerated() { unsafe gather.wait(for: state, at: index, run) }
    return Promise(state: gather)
}

/// Fulfilled with the value of the first promise that is fulfilled; rejected with `PromiseError.noWinner` if none is.
@inlinable
public func race<U: Thenable>(
    fulfilled thenables: U..., file: StaticString = #fileID, line: UInt = #line
) -> Promise<U.T> {
    race(fulfilled: thenables, file: file, line: line)
}
