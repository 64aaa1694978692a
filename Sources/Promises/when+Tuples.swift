/// Fulfilled with both values when both are fulfilled; rejected with the first error if one is rejected.
@_disfavoredOverload
public func when<A: Thenable, B: Thenable>(
    fulfilled a: A, _ b: B, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(A.T, B.T)> {
    Promise(state: both(a, b, Origin(file, line), traits: Trait.consumer))
}

private func both<A: Thenable, B: Thenable>(_ a: A, _ b: B, _ origin: Origin, traits: UInt8) -> State {
    let pair = Pair<A.T, B.T>()
    let gather = unsafe Gather(pair, origin, traits: traits) { gather, work in
        guard gather.isComplete, let first = pair.first, let second = pair.second else { return }
        unsafe gather.end(.success((first, second)), work)
    }
    unsafe gather.wait(for: a.asPromise().state, at: 0, Gather.keeping(A.T.self) { pair.first = $0 })
    unsafe gather.wait(for: b.asPromise().state, at: 1, Gather.keeping(B.T.self) { pair.second = $0 })
    return gather
}

/// Fulfilled with all three values when all are fulfilled; rejected with the first error when one is rejected.
@_disfavoredOverload
public func when<A: Thenable, B: Thenable, C: Thenable>(
    fulfilled a: A, _ b: B, _ c: C, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(A.T, B.T, C.T)> {
    when(fulfilled: when(fulfilled: a, b, file: file, line: line), c, file: file, line: line)
        .map(on: nil, file: file, line: line) { ($0.0, $0.1, $1) }
}

/// Fulfilled with all four values when all are fulfilled; rejected with the first error when one is rejected.
@_disfavoredOverload
public func when<A: Thenable, B: Thenable, C: Thenable, D: Thenable>(
    fulfilled a: A, _ b: B, _ c: C, _ d: D, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(A.T, B.T, C.T, D.T)> {
    when(
        fulfilled: when(fulfilled: a, b, file: file, line: line), when(fulfilled: c, d, file: file, line: line),
        file: file, line: line
    ).map(on: nil, file: file, line: line) { ($0.0, $0.1, $1.0, $1.1) }
}

/// Fulfilled with all five values when all are fulfilled; rejected with the first error when one is rejected.
@_disfavoredOverload
public func when<A: Thenable, B: Thenable, C: Thenable, D: Thenable, E: Thenable>(
    fulfilled a: A, _ b: B, _ c: C, _ d: D, _ e: E, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(A.T, B.T, C.T, D.T, E.T)> {
    when(
        fulfilled: when(fulfilled: a, b, c, file: file, line: line), when(fulfilled: d, e, file: file, line: line),
        file: file, line: line
    ).map(on: nil, file: file, line: line) { ($0.0, $0.1, $0.2, $1.0, $1.1) }
}

/// Resolved with both values when both are resolved.
public func when<A: Sendable, B: Sendable>(
    guarantees a: Guarantee<A>, _ b: Guarantee<B>, file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<(A, B)> {
    Guarantee(state: both(a, b, Origin(file, line), traits: Trait.consumer | Trait.guarantee))
}

/// Resolved with all three values when all are resolved.
public func when<A: Sendable, B: Sendable, C: Sendable>(
    guarantees a: Guarantee<A>, _ b: Guarantee<B>, _ c: Guarantee<C>, file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<(A, B, C)> {
    when(guarantees: when(guarantees: a, b, file: file, line: line), c, file: file, line: line)
        .map(on: nil, file: file, line: line) { ($0.0, $0.1, $1) }
}

/// Resolved with all four values when all are resolved.
public func when<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
    guarantees a: Guarantee<A>, _ b: Guarantee<B>, _ c: Guarantee<C>, _ d: Guarantee<D>,
    file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<(A, B, C, D)> {
    when(
        guarantees: when(guarantees: a, b, file: file, line: line), when(guarantees: c, d, file: file, line: line),
        file: file, line: line
    ).map(on: nil, file: file, line: line) { ($0.0, $0.1, $1.0, $1.1) }
}

/// Resolved with all five values when all are resolved.
public func when<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
    guarantees a: Guarantee<A>, _ b: Guarantee<B>, _ c: Guarantee<C>, _ d: Guarantee<D>, _ e: Guarantee<E>,
    file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<(A, B, C, D, E)> {
    when(
        guarantees: when(guarantees: a, b, c, file: file, line: line), when(guarantees: d, e, file: file, line: line),
        file: file, line: line
    ).map(on: nil, file: file, line: line) { ($0.0, $0.1, $0.2, $1.0, $1.1) }
}
