public import Dispatch

/// The end of a chain, after its `catch`: only `finally` can follow.
public struct Finalizer: Sendable {
    private let guarantee: Guarantee<Void>

    @usableFromInline
    init(guarantee: Guarantee<Void>) { self.guarantee = guarantee }

    /// Calls the body when the chain has ended, with any outcome.
    @preconcurrency
    public func finally(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () -> Void
    ) {
        guarantee.done(on: queue, flags: flags, file: file, line: line, body)
    }
}

/// PromiseKit's name for `Finalizer`.
public typealias PMKFinalizer = Finalizer
