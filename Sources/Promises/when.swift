/// Fulfilled with all values, in order, when all are fulfilled; rejected with the first error if one is rejected.
///
/// - Complexity: O(n).
@inlinable
public func when<S: Sequence>(
    fulfilled thenables: S, file: StaticString = #fileID, line: UInt = #line
) -> Promise<[S.Element.T]> where S.Element: Thenable {
    typealias Value = S.Element.T
    let origin = Origin(file, line)
    let all = Array(thenables)
    var values: [Value] = []
    values.reserveCapacity(all.count)
    for thenable in all {
        guard case .success(let value)? = thenable.asPromise().state.outcome(as: Value.self) else { break }
        values.append(value)
    }
    let known = values.count
    if known == all.count { return Promise(state: State(fulfilled: values, origin: origin)) }
    let gather = unsafe Gather(Values<Value>(count: all.count - known), origin) { [values] gather, work in
        guard gather.isComplete else { return }
        let rest = unsafe unsafeDowncast(gather.slots, to: Values<Value>.self).take()
        unsafe gather.end(.success(values.isEmpty ? rest : values + rest), work)
    }
    let run = unsafe Gather.keepingValues(Value.self)
    for index in known..<all.count {
        unsafe gather.wait(for: all[index].asPromise().state, at: index - known, run)
    }
    return Promise(state: gather)
}

/// Fulfilled when all are fulfilled; rejected with the first error if one is rejected.
public func when<U: Thenable>(
    fulfilled thenables: [U], file: StaticString = #fileID, line: UInt = #line
) -> Promise<Void> where U.T == Void {
    when(fulfilled: AnySequence(thenables), file: file, line: line).asVoid(file: file, line: line)
}

/// Fulfilled with the values, in order, of promises of different types; rejected with the first error if one is
/// rejected.
@_disfavoredOverload
public func when(
    fulfilled thenables: [any Thenable], file: StaticString = #fileID, line: UInt = #line
) -> Promise<[any Sendable]> {
    func erased<U: Thenable>(_ thenable: U) -> Promise<any Sendable> {
        thenable.asPromise().map(on: nil, file: file, line: line) { $0 }
    }
    return when(fulfilled: thenables.map { erased($0) }, file: file, line: line)
}

/// Fulfilled when all are fulfilled; rejected with the first error if one is rejected.
public func when<U: Thenable>(
    fulfilled thenables: U..., file: StaticString = #fileID, line: UInt = #line
) -> Promise<Void> where U.T == Void {
    when(fulfilled: thenables, file: file, line: line)
}

/// Resolved with all outcomes, in order, when no promise is pending.
///
/// - Complexity: O(n).
public func when<S: Sequence>(
    resolved thenables: S, file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<[Result<S.Element.T, any Error>]> where S.Element: Thenable {
    typealias Outcome = Result<S.Element.T, any Error>
    let all = Array(thenables)
    if all.isEmpty { return .value([], file: file, line: line) }
    let traits = Trait.consumer | Trait.guarantee
    let gather = unsafe Gather(Values<Outcome>(count: all.count), Origin(file, line), traits: traits) { gather, work in
        guard gather.isComplete else { return }
        let outcomes = unsafe unsafeDowncast(gather.slots, to: Values<Outcome>.self).take()
        unsafe gather.end(.success(outcomes), work)
    }
    let run = unsafe Gather.keepingOutcomes(S.Element.T.self)
    for (index, thenable) in all.enumerated() { unsafe gather.wait(for: thenable.asPromise().state, at: index, run) }
    return Guarantee(state: gather)
}

/// Resolved with all outcomes, in order, when no promise is pending.
public func when<U: Thenable>(
    resolved thenables: U..., file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<[Result<U.T, any Error>]> {
    when(resolved: thenables, file: file, line: line)
}

/// Resolved when all are resolved.
public func when<T: Sendable>(
    guarantees: [Guarantee<T>], file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<[T]> {
    when(resolved: guarantees, file: file, line: line).map(on: nil) { outcomes in
        outcomes.compactMap { outcome in if case .success(let value) = outcome { value } else { nil } }
    }
}

/// Resolved when all are resolved.
public func when(
    guarantees: [Guarantee<Void>], file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<Void> {
    when(resolved: guarantees, file: file, line: line).asVoid(file: file, line: line)
}

/// Resolved when all are resolved.
public func when<T: Sendable>(
    _ guarantees: Guarantee<T>..., file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<[T]> {
    when(guarantees: guarantees, file: file, line: line)
}

/// Resolved when all are resolved.
public func when(
    _ guarantees: Guarantee<Void>..., file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<Void> {
    when(guarantees: guarantees, file: file, line: line)
}
