/// Fulfilled with all the values, in order, when all are fulfilled; rejected with the first error when one is rejected.
///
/// - Complexity: O(n).
@inlinable
public func when<S: Sequence>(
    fulfilled thenables: S, file: StaticString = #fileID, line: UInt = #line
) -> Promise<[S.Element.T]> where S.Element: Thenable {
    typealias Values = [S.Element.T]
    let origin = Origin(file, line)
    var values: Values = []
    values.reserveCapacity(thenables.underestimatedCount)
    var pending: [State] = []
    for thenable in thenables {
        let state = thenable.asPromise().state
        if pending.isEmpty, case .success(let value)? = state.outcome(as: S.Element.T.self) {
            values.append(value)
        } else {
            pending.append(state)
        }
    }
    if pending.isEmpty { return Promise(state: State(fulfilled: values, origin: origin)) }
    let slots = Slots<S.Element.T>(count: pending.count)
    let gather = unsafe Gather(count: pending.count, origin) { [values] gather, work in
        guard let rest = slots.takeValues() else { return }
        unsafe gather.end(.success(values.isEmpty ? rest : values + rest), work)
    }
    unsafe gather.wait(for: pending, Gather.keeping(in: slots, untilFailure: true))
    return Promise(state: gather)
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
    let states = thenables.map { $0.asPromise().state }
    if states.isEmpty { return .value([], file: file, line: line) }
    let slots = Slots<S.Element.T>(count: states.count)
    let traits = Trait.consumer | Trait.guarantee
    let gather = unsafe Gather(count: states.count, Origin(file, line), traits: traits) { gather, work in
        guard let outcomes = slots.takeOutcomes() else { return }
        unsafe gather.end(.success(outcomes), work)
    }
    unsafe gather.wait(for: states, Gather.keeping(in: slots, untilFailure: false))
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
    when(resolved: guarantees, file: file, line: line).map(on: nil) { outcomes in
        outcomes.compactMap { outcome in if case .success(let value) = outcome { value } else { nil } }
    }
}
