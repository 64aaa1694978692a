/// Settled as the first of the promises is that is settled; rejected with `PromiseError.badInput` when there is none.
public func race<S: Sequence>(
    _ thenables: S, file: StaticString = #fileID, line: UInt = #line
) -> Promise<S.Element.T> where S.Element: Thenable {
    let states = thenables.map { $0.asPromise().state }
    if states.isEmpty { return Promise(error: PromiseError.badInput, file: file, line: line) }
    let gather = Gather<S.Element.T>(count: states.count, Origin(file, line)) { nil }
    gather.wait(with: states.map { gather.waiter(for: $0, .first { $0 }) })
    return Promise(state: gather)
}

/// Settled as the first of the promises is that is settled.
public func race<U: Thenable>(
    _ thenables: U..., file: StaticString = #fileID, line: UInt = #line
) -> Promise<U.T> {
    race(thenables, file: file, line: line)
}

/// Resolved as the first of the guarantees is that is resolved.
public func race<T: Sendable>(
    _ guarantees: Guarantee<T>..., file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<T> {
    let traits = Trait.consumer | Trait.guarantee
    let gather = Gather<T>(count: guarantees.count, Origin(file, line), traits: traits) { nil }
    gather.wait(with: guarantees.map { gather.waiter(for: $0.state, .first { $0 }) })
    return Guarantee(state: gather)
}

/// Fulfilled as the first of the promises is that is fulfilled; rejected with `PromiseError.noWinner` when none is.
public func race<S: Sequence>(
    fulfilled thenables: S, file: StaticString = #fileID, line: UInt = #line
) -> Promise<S.Element.T> where S.Element: Thenable {
    let states = thenables.map { $0.asPromise().state }
    if states.isEmpty { return Promise(error: PromiseError.badInput, file: file, line: line) }
    let gather = Gather<S.Element.T>(count: states.count, Origin(file, line)) { .failure(PromiseError.noWinner) }
    gather.wait(with: states.map { gather.waiter(for: $0, .firstValue { $0 }) })
    return Promise(state: gather)
}

/// Fulfilled as the first of the promises is that is fulfilled; rejected with `PromiseError.noWinner` when none is.
public func race<U: Thenable>(
    fulfilled thenables: U..., file: StaticString = #fileID, line: UInt = #line
) -> Promise<U.T> {
    race(fulfilled: thenables, file: file, line: line)
}
