/// Fulfilled with all the values, in order, when all are fulfilled; rejected with the first error when one is rejected.
///
/// - Complexity: O(n).
public func when<S: Sequence>(
    fulfilled thenables: S, file: StaticString = #fileID, line: UInt = #line
) -> Promise<[S.Element.T]> where S.Element: Thenable {
    let origin = Origin(file, line)
    let states = thenables.map { $0.asPromise().state }
    if let outcome = settledOutcome(of: states) { return Promise(state: State(settled: outcome, origin: origin)) }
    let slots = Slots<S.Element.T>(count: states.count)
    let gather = Gather(count: states.count, origin) { slots.values.map { .success($0) } }
    gather.wait(
        with: states.enumerated().map { index, state in gather.waiter(for: state, .values(slots, index)) })
    return Promise(state: gather)
}

/// What is there already needs nothing that waits for it.
private func settledOutcome<T>(of states: [State<T>]) -> Result<[T], any Error>? {
    var values: [T] = []
    values.reserveCapacity(states.count)
    for state in states {
        switch state.settledResult {
        case .success(let value)?: values.append(value)
        case .failure(let error)?:
            for state in states { state.observe() }
            return .failure(error)
        case nil: return nil
        }
    }
    return .success(values)
}

/// Fulfilled when all are fulfilled; rejected with the first error when one is rejected.
public func when<U: Thenable>(
    fulfilled thenables: U..., file: StaticString = #fileID, line: UInt = #line
) -> Promise<Void> where U.T == Void {
    when(fulfilled: thenables, file: file, line: line).asVoid(file: file, line: line)
}

/// Resolved with all the outcomes, in order, when none is pending any more.
///
/// - Complexity: O(n).
public func when<S: Sequence>(
    resolved thenables: S, file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<[Result<S.Element.T, any Error>]> where S.Element: Thenable {
    let origin = Origin(file, line)
    let states = thenables.map { $0.asPromise().state }
    if states.isEmpty { return .value([], file: file, line: line) }
    let slots = Slots<S.Element.T>(count: states.count)
    let gather = Gather<[Result<S.Element.T, any Error>]>(
        count: states.count, origin, traits: Trait.consumer | Trait.guarantee
    ) { slots.results.map { .success($0) } }
    gather.wait(
        with: states.enumerated().map { index, state in gather.waiter(for: state, .results(slots, index)) })
    return Guarantee(state: gather)
}

/// Resolved with all the outcomes, in order, when none is pending any more.
public func when<U: Thenable>(
    resolved thenables: U..., file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<[Result<U.T, any Error>]> {
    when(resolved: thenables, file: file, line: line)
}

/// Resolved when all are.
public func when<T: Sendable>(
    guarantees: [Guarantee<T>], file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<[T]> {
    when(resolved: guarantees, file: file, line: line).map(on: nil) { results in
        results.compactMap { result in if case .success(let value) = result { value } else { nil } }
    }
}
