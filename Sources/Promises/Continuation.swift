public import Dispatch
public import Synchronization

/// The promise of a `then`: waits for one promise, calls its handler, and waits for the promise that this returns.
@usableFromInline
final class Continuation<Source: Sendable, Next: Thenable>: State<Next.T>, @unchecked Sendable {
    /// Given up when it has been called: what it holds may be large.
    @usableFromInline var body: (@Sendable (Source) throws -> Next)?
    @usableFromInline let target: DispatchQueue?

    @inlinable
    init(
        _ body: @escaping @Sendable (Source) throws -> Next, _ executor: Executor, _ origin: Origin, traits: UInt8
    ) {
        self.body = body
        target = executor.queue
        super.init(pending: origin, place: executor.place, traits: traits, flags: executor.flags)
    }

    @usableFromInline
    override var queue: DispatchQueue? { target }

    @inlinable
    override func fire(_ work: UnsafeMutablePointer<WorkList>) -> Bool {
        guard let source = unsafe self.source else { return false }
        let moved = unsafe source._withUnsafeGuaranteedRef { unsafe run($0, work) }
        unsafe source.release()
        return moved
    }

    @inlinable
    func run(_ source: Node, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        guard let body = self.body else {
            guard let outcome = unsafe unsafeDowncast(source, to: State<Next.T>.self).result else { return false }
            return unsafe settle(outcome, work)
        }
        self.body = nil
        if word.load(ordering: .relaxed) & (Word.settled | Word.claimed) != 0 { return false }
        switch unsafe unsafeDowncast(source, to: State<Source>.self).result {
        case .success(let value)?:
            do { return unsafe adopt(try body(value).asPromise().state, work) } catch {
                return unsafe settle(.failure(error), work)
            }
        case .failure(let error)?: return unsafe settle(.failure(error), work)
        case nil: return false
        }
    }
}
