public import Dispatch
public import Synchronization

/// What can wait for a promise: a link of a chain, one place of a `when`, an awaiting task, something to cancel.
///
/// A node is its own entry in the list of handlers of the promise that it waits for, and later in the list of work
/// that is ready to run, so that neither list allocates. It is also where the one atomic word of a promise lives.
@usableFromInline
@safe
class Node: @unchecked Sendable {
    /// While pending the newest waiting node, once settled nothing; the low bits are `Word`'s.
    @usableFromInline final let word = Atomic<UInt>(0)
    /// The next node in the one list that this node is in.
    @usableFromInline final var next: Unmanaged<Node>?
    /// What this node waits for. Not retained while that is pending (its list owns this node, not the other way
    /// round), retained from the moment it is settled until this node has run.
    @usableFromInline final var source: Unmanaged<Node>?
    @usableFromInline final let origin: Origin
    @usableFromInline final var place: UInt8
    @usableFromInline final let traits: UInt8
    @usableFromInline final let marks = Atomic<UInt8>(0)
    /// The raw `DispatchWorkItemFlags` to run with, where `place` is a queue.
    @usableFromInline final let flags: UInt8

    @inlinable
    init(_ origin: Origin, place: UInt8, traits: UInt8, flags: UInt8 = 0) {
        self.flags = flags
        unsafe self.next = nil
        unsafe self.source = nil
        self.origin = origin
        self.place = place
        self.traits = traits
    }

    /// Runs what waited, now that its source is settled, and gives up the source.
    ///
    /// - Returns: whether the caller's reference to this node went into the list of work.
    @usableFromInline
    func fire(_ work: UnsafeMutablePointer<WorkList>) -> Bool { false }

    /// Is told that the source was released while it was pending.
    @usableFromInline
    func abandoned() {}

    /// The queue to run on, where `place` says that there is one.
    @usableFromInline
    var queue: DispatchQueue? { nil }

    /// The pending promises that this one waits for.
    func pendingSources() -> [Node] {
        guard let source = lockedSource(), source.word.load(ordering: .acquiring) & Word.settled == 0 else { return [] }
        return [source]
    }

    /// Rejects this promise because nobody wants its value any more, and tells its source.
    func withdraw(_ error: any Error) {}

    @inlinable
    final func release(source: Unmanaged<Node>?) {
        if let source = unsafe source { unsafe source.release() }
    }
}

/// The bits beside the pointer in a promise's word.
@usableFromInline
enum Word {
    /// The result is there for everyone.
    @usableFromInline static let settled: UInt = 1
    /// One settler has won; the result is being written and what waits is being handed out.
    @usableFromInline static let claimed: UInt = 2
    /// A canceller looks at `source` or at the list, for a few instructions.
    @usableFromInline static let locked: UInt = 4
    /// Something waits that does not run on the default place.
    @usableFromInline static let foreign: UInt = 8
    /// Rejected, and nobody has ever waited for it (only with `settled`).
    @usableFromInline static let unobserved: UInt = 16
    @usableFromInline static let pointer: UInt = ~15
}

/// What a node is, fixed when it is made.
@usableFromInline
enum Trait {
    /// Wants the result; a node without it only listens.
    @usableFromInline static let consumer: UInt8 = 1
    /// Runs even when its own promise was cancelled meanwhile.
    @usableFromInline static let always: UInt8 = 2
    /// Must not be rejected.
    @usableFromInline static let guarantee: UInt8 = 4
}

/// What may happen to a node once, beside being settled.
@usableFromInline
enum Mark {
    /// Everything that waits for it has been cancelled.
    @usableFromInline static let doomed: UInt8 = 1
    /// It can no longer be settled, which was reported at the promise it hangs from.
    @usableFromInline static let abandoned: UInt8 = 2
    /// It was cancelled, not rejected.
    @usableFromInline static let cancelled: UInt8 = 4
}
