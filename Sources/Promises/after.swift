/// A guarantee that resolves after a delay; the timer stops when everything that waits for it is cancelled.
public func after(
    _ delay: Duration, clock: any PromiseClock = .continuous, file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<Void> {
    let state = State(pending: Origin(file, line), traits: Trait.consumer | Trait.guarantee)
    let timer = clock.schedule(after: delay) { state.fulfill(()) }
    Resolver<Void>(state: state).onCancel { timer.cancel() }
    return Guarantee(state: state)
}

/// A guarantee that resolves after a number of seconds, at most 285 years; infinity and not-a-number mean that limit
/// too.
public func after(
    seconds: Double, file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<Void> {
    let limit = 9e9
    let delay = seconds.isNaN ? limit : min(max(seconds, 0), limit)
    return after(.seconds(delay), clock: .continuous, file: file, line: line)
}

/// A guarantee that resolves after a delay.
@_disfavoredOverload
public func after(
    _ interval: DispatchTimeInterval, file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<Void> {
    switch interval {
    case .seconds(let count): after(.seconds(count), clock: .continuous, file: file, line: line)
    case .milliseconds(let count): after(.milliseconds(count), clock: .continuous, file: file, line: line)
    case .microseconds(let count): after(.microseconds(count), clock: .continuous, file: file, line: line)
    case .nanoseconds(let count): after(.nanoseconds(count), clock: .continuous, file: file, line: line)
    default: Guarantee { _ in }
    }
}

/// A promise that is rejected with `PromiseError.timedOut` after a number of seconds, as a contestant in a `race`.
///
/// A promise's method `timeout(_:)` also cancels the promise, unless something else waits for it.
public func timeout(seconds: Double, file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    after(seconds: seconds, file: file, line: line)
        .done(on: nil, file: file, line: line) { throw PromiseError.timedOut }
}
