/// The errors of this module.
public enum PromiseError: CancellableError, Sendable {
    /// The promise was cancelled.
    case cancelled
    /// A `timeout` ran out.
    case timedOut
    /// `resolve(nil, nil)`: neither a value nor an error.
    case invalidCallingConvention
    /// A handler returned the promise that it was meant to settle.
    case returnedSelf
    /// `when(fulfilled:concurrently:)` was allowed no pending promise, or `race` got no promises.
    case badInput
    /// `compactMap` got nil for this value; the type is the requested one.
    case compactMap(any Sendable, any Any.Type)
    /// `firstValue` or `lastValue` found no element.
    case emptySequence
    /// All promises of `race(fulfilled:)` were rejected.
    case noWinner
    /// Nothing is left that could settle the awaited promise.
    case abandoned
    /// `wait()` on the main thread depends on a handler that runs on the main queue.
    case deadlock

    /// True for `cancelled`.
    public var isCancelled: Bool {
        if case .cancelled = self { true } else { false }
    }
}

/// PromiseKit's name for this module's errors.
public typealias PMKError = PromiseError

extension PromiseError: CustomStringConvertible, CustomDebugStringConvertible {
    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .cancelled: "The promise was cancelled."
        case .timedOut: "The promise was not settled in time."
        case .invalidCallingConvention: "A closure was called with neither a value nor an error."
        case .returnedSelf: "A promise handler returned itself."
        case .badInput: "Bad input was provided to a promise function."
        case .compactMap(let value, let type): "Could not `compactMap<\(type)>`: \(value)"
        case .emptySequence: "The first or last element was requested for an empty sequence."
        case .noWinner: "All promises were rejected in race(fulfilled:)."
        case .abandoned: "The promise can no longer be settled: what would have settled it is gone."
        case .deadlock: "The main thread waits for a handler that only the main thread can run."
        }
    }

    /// PromiseKit's description of the error, word for word; for other errors ``description``.
    public var debugDescription: String {
        switch self {
        case .cancelled: "The asynchronous sequence was cancelled"
        case .invalidCallingConvention:
            "A closure was called with an invalid calling convention, probably (nil, nil)"
        case .returnedSelf: "A promise handler returned itself"
        case .badInput: "Bad input was provided to a PromiseKit function"
        case .emptySequence: "The first or last element was requested for an empty sequence"
        case .noWinner: "All thenables passed to race(fulfilled:) were rejected"
        case .compactMap, .timedOut, .abandoned, .deadlock: description
        }
    }

    /// The same as ``debugDescription``, as in PromiseKit.
    public var errorDescription: String? { debugDescription }
}
