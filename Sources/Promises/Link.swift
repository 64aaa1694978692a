public import Synchronization

/// An object that waits for a promise and usually is one: handler, list entry and state in one allocation.
@usableFromInline
@safe
class Link: State {
    /// Called when the source is settled; returns whether this link went into the list of work.
    @usableFromInline typealias Run = @Sendable (Link, State, UnsafeMutablePointer<WorkList>) -> Bool

    /// A link is in only one list.
    @exclusivity(unchecked) @usableFromInline final var next: Unmanaged<Link>?
    /// The promise that this link waits for.
    ///
    /// It is not retained while it is pending, because its list owns this link and not the reverse. It is retained from
    /// its settling until this link has run.
    @exclusivity(unchecked) @usableFromInline final var source: Unmanaged<State>?
    /// The function's captures; its first word is in `extra` until this link runs.
    ///
    /// Saving these eight bytes makes a long chain a third faster, because they decide the allocation's size.
    @exclusivity(unchecked) @usableFromInline final var context: UInt

    @inlinable
    init(_ run: @escaping Run, _ place: UInt16, _ origin: Origin, traits: UInt8) {
        unsafe next = nil
        unsafe source = nil
        unsafe context = 0
        super.init(pending: origin, traits: traits, place: place)
        unsafe hold(Function(run))
    }

    /// Makes a link that calls a handler, which its function takes out of the payload.
    @inlinable
    static func make<Handler: Sendable>(
        _ handler: Handler, _ run: @escaping Run, _ executor: __owned Executor, _ origin: Origin, traits: UInt8
    ) -> Link {
        let link =
            switch executor {
            case .place(let place): unsafe Link(run, place, origin, traits: traits)
            case .queue(let queue, let flags): unsafe QueueLink(run, queue, flags, origin, traits: traits)
            }
        unsafe link.hold(handler)
        return link
    }

    @unsafe
    @inlinable
    final func hold<Handler: Sendable>(_ handler: Handler) {
        unsafe put(handler)
        holds(PlaceNumber.holdsHandler, true)
    }

    deinit {
        let held = place.load(ordering: .relaxed)
        if held & PlaceNumber.holdsHandler != 0 { _ = unsafe take(AnyHandler.self) }
        if held & PlaceNumber.holdsFunction != 0 { _ = unsafe takeFunction() }
    }

    /// Called when the source was released while it was pending.
    @usableFromInline
    func abandoned() {}

    /// Whether it was cancelled and has nothing left to do in its list.
    var hasLeft: Bool {
        isCancelled && traits & Trait.always == 0 && word.load(ordering: .acquiring) & Word.settled != 0
    }

    /// Called when it was removed from its source's list because it had left.
    func removed() {}

    /// Whether this promise, or the one that this link collects for, needs the source's outcome.
    var needsSource: Bool { !isIndifferent }

    override func pendingSources() -> [State] {
        guard let source = lockedSource(), !source.isSettled else { return [] }
        return [source]
    }

    override func lockSource() -> Unmanaged<State>? {
        guard let source = unsafe source, unsafe source._withUnsafeGuaranteedRef({ $0.lock() }) else { return nil }
        return unsafe source
    }

    /// Runs after the source is settled, and releases the source.
    /// - Returns: Whether the caller's reference to this link went into the list of work.
    final func fire(_ work: UnsafeMutablePointer<WorkList>) -> Bool {
        let run = unsafe takeFunction().run
        // A link that was ready from the start contains everything it needs.
        guard let source = unsafe self.source else { return unsafe run(self, self, work) }
        // After it has run, this link may belong to another thread.
        let moved = unsafe source._withUnsafeGuaranteedRef { unsafe run(self, $0, work) }
        unsafe source.release()
        return moved
    }

    /// Records what this link holds; only one thread may.
    @inlinable @inline(__always)
    final func holds(_ flag: UInt16, _ isHeld: Bool) {
        let current = place.load(ordering: .relaxed)
        place.store(isHeld ? current | flag : current & ~flag, ordering: .relaxed)
    }

    @unsafe
    @inlinable
    final func hold(_ function: Function) {
        var words: (UInt, UInt) = (0, 0)
        unsafe withUnsafeMutableBytes(of: &words) { bytes in
            _ = unsafe bytes.baseAddress?.initializeMemory(as: Function.self, to: function)
        }
        unsafe (extra, context) = words
        holds(PlaceNumber.holdsFunction, true)
    }

    @unsafe
    final func takeFunction() -> Function {
        var words = unsafe (extra, context)
        unsafe extra = 0
        holds(PlaceNumber.holdsFunction, false)
        return unsafe withUnsafeMutablePointer(to: &words) { pointer in
            unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Function.self).move()
        }
    }

    @unsafe
    @inlinable
    final func takeHandler<Handler>(_ type: Handler.Type) -> Handler {
        holds(PlaceNumber.holdsHandler, false)
        return unsafe take(Handler.self)
    }

    /// Whether everything that waits for this link's promise was cancelled, so its handler is not called.
    @inlinable
    final var isForsaken: Bool {
        marks.load(ordering: .relaxed) & Mark.doomed != 0 && traits & Trait.guarantee == 0
    }

    /// Whether a cancellation settled this link's promise before it ran.
    @inlinable
    final var isClaimed: Bool { word.load(ordering: .relaxed) & (Word.settled | Word.claimed) != 0 }
}

/// A link's function as two words, which can be read without wrapping it.
@usableFromInline
@unsafe
struct Function: Sendable {
    @usableFromInline let run: Link.Run

    @inlinable
    init(_ run: @escaping Link.Run) { unsafe self.run = run }
}

/// A handler with its type.
///
/// Inside a generic structure a closure keeps its original calling convention; stored directly it would be wrapped in
/// an allocation.
@usableFromInline
struct Handler<Input, Output>: Sendable {
    @usableFromInline let call: @Sendable (Input) throws -> Output

    @inlinable
    init(_ call: @escaping @Sendable (Input) throws -> Output) { self.call = call }
}

/// A handler of any type, to destroy it: every closure is a function and its captures.
@usableFromInline
struct AnyHandler {
    @usableFromInline let call: () -> Void
}
