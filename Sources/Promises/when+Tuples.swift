/// Fulfilled with both values when both are fulfilled; rejected with the first error when one is rejected.
public func when<A: Thenable, B: Thenable>(
    fulfilled a: A, _ b: B, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(A.T, B.T)> {
    let first = Slots<A.T>(count: 1)
    let second = Slots<B.T>(count: 1)
    let gather = Gather<(A.T, B.T)>(count: 2, Origin(file, line)) {
        guard let a = first.value, let b = second.value else { return nil }
        return .success((a, b))
    }
    gather.wait(with: [
        gather.waiter(for: a.asPromise().state, .values(first, 0)),
        gather.waiter(for: b.asPromise().state, .values(second, 0)),
    ])
    return Promise(state: gather)
}

/// Fulfilled with all three values when all are fulfilled; rejected with the first error when one is rejected.
public func when<A: Thenable, B: Thenable, C: Thenable>(
    fulfilled a: A, _ b: B, _ c: C, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(A.T, B.T, C.T)> {
    when(fulfilled: when(fulfilled: a, b, file: file, line: line), c, file: file, line: line)
        .map(on: nil, file: file, line: line) { ($0.0, $0.1, $1) }
}

/// Fulfilled with all four values when all are fulfilled; rejected with the first error when one is rejected.
public func when<A: Thenable, B: Thenable, C: Thenable, D: Thenable>(
    fulfilled a: A, _ b: B, _ c: C, _ d: D, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(A.T, B.T, C.T, D.T)> {
    when(
        fulfilled: when(fulfilled: a, b, file: file, line: line), when(fulfilled: c, d, file: file, line: line),
        file: file, line: line
    ).map(on: nil, file: file, line: line) { ($0.0, $0.1, $1.0, $1.1) }
}

/// Fulfilled with all five values when all are fulfilled; rejected with the first error when one is rejected.
public func when<A: Thenable, B: Thenable, C: Thenable, D: Thenable, E: Thenable>(
    fulfilled a: A, _ b: B, _ c: C, _ d: D, _ e: E, file: StaticString = #fileID, line: UInt = #line
) -> Promise<(A.T, B.T, C.T, D.T, E.T)> {
    when(
        fulfilled: when(fulfilled: a, b, c, file: file, line: line), when(fulfilled: d, e, file: file, line: line),
        file: file, line: line
    ).map(on: nil, file: file, line: line) { ($0.0, $0.1, $0.2, $1.0, $1.1) }
}
