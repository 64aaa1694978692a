public import Dispatch
public import Synchronization

/// A promise that waits for another one: handler, list entry and promise in one allocation.
@usableFromInline
final class Link<Source: Sendable, T: Sendable>: State<T>, @unchecked Sendable {
    @usableFromInline var step: Step<Source, T>
    @usableFromInline let target: DispatchQueue?

    @inlinable
    init(_ step: Step<Source, T>, _ executor: Executor, _ origin: Origin, traits: UInt8) {
        self.step = step
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

    /// `source` may be this node's own field no longer when the step has moved this node elsewhere.
    @inlinable
    func run(_ source: Node, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        let step = self.step
        self.step = .forward
        if case .forward = step { return unsafe forward(source, work) }
        let cancelled = word.load(ordering: .relaxed) & (Word.settled | Word.claimed) != 0
        if cancelled, traits & Trait.always == 0 { return false }
        guard let result = unsafe unsafeDowncast(source, to: State<Source>.self).result else { return false }
        switch step {
        case .map(let transform):
            let outcome: Result<T, any Error>
            switch result {
            case .success(let value):
                do { outcome = .success(try transform(value)) } catch { outcome = .failure(error) }
            case .failure(let error): outcome = .failure(error)
            }
            return unsafe settle(outcome, work)
        case .settle(let body):
            let outcome: Result<T, any Error>
            do { outcome = .success(try body(result)) } catch { outcome = .failure(error) }
            return unsafe settle(outcome, work)
        case .follow(let body):
            do {
                guard let next = try body(result) else { return unsafe forward(source, work) }
                return unsafe adopt(next.state, work)
            } catch { return unsafe settle(.failure(error), work) }
        case .forward: return false
        }
    }

    /// Takes the result as it is; only a link whose source has its own type comes here.
    @inlinable
    func forward(_ source: Node, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        guard let outcome = unsafe unsafeDowncast(source, to: State<T>.self).result else { return false }
        return unsafe settle(outcome, work)
    }
}
