internal import Synchronization

extension Link {
    @inlinable
    static func map<Source: Sendable, T: Sendable>(
        _ handler: @escaping @Sendable (Source) throws -> T, _ executor: __owned Executor, _ origin: Origin,
        traits: UInt8 = Trait.consumer
    ) -> Link {
        let run: Run = { link, source, work in
            let call = unsafe link.takeHandler(Handler<Source, T>.self).call
            if link.isClaimed { return false }
            if source.isRejected { return unsafe link.fail(as: source, work) }
            if link.isForsaken { return unsafe link.fail(with: PromiseError.cancelled, work) }
            do { return unsafe link.finish(with: try call(source.value(as: Source.self)), work) } catch {
                return unsafe link.fail(with: error, work)
            }
        }
        return unsafe make(Handler(handler), run, executor, origin, traits: traits)
    }

    @inlinable
    static func then<Source: Sendable, Next: Thenable>(
        _ handler: @escaping @Sendable (Source) throws -> Next, _ executor: __owned Executor, _ origin: Origin,
        traits: UInt8 = Trait.consumer
    ) -> Link {
        let run: Run = { link, source, work in
            let call = unsafe link.takeHandler(Handler<Source, Next>.self).call
            if link.isClaimed { return false }
            if source.isRejected { return unsafe link.fail(as: source, work) }
            if link.isForsaken { return unsafe link.fail(with: PromiseError.cancelled, work) }
            do {
                let next = unsafe try call(source.value(as: Source.self)).asPromise().state
                return unsafe link.adopt(next, as: Next.T.self, work)
            } catch { return unsafe link.fail(with: error, work) }
        }
        return unsafe make(Handler(handler), run, executor, origin, traits: traits)
    }

    @inlinable
    static func settle<Source: Sendable, T: Sendable>(
        _ handler: @escaping @Sendable (Result<Source, any Error>) throws -> T, _ executor: __owned Executor,
        _ origin: Origin, traits: UInt8 = Trait.consumer
    ) -> Link {
        let run: Run = { link, source, work in
            let call = unsafe link.takeHandler(Handler<Result<Source, any Error>, T>.self).call
            if link.isClaimed, link.traits & Trait.always == 0 { return false }
            let outcome = unsafe source.knownOutcome(as: Source.self)
            do { return unsafe link.finish(with: try call(outcome), work) } catch {
                return unsafe link.fail(with: error, work)
            }
        }
        return unsafe make(Handler(handler), run, executor, origin, traits: traits)
    }

    /// Settles like the promise that the handler returns for the outcome; without one, like the source.
    @inlinable
    static func follow<T: Sendable>(
        _ handler: @escaping @Sendable (Result<T, any Error>) throws -> Promise<T>?, _ executor: __owned Executor,
        _ origin: Origin, traits: UInt8 = Trait.consumer
    ) -> Link {
        let run: Run = { link, source, work in
            let call = unsafe link.takeHandler(Handler<Result<T, any Error>, Promise<T>?>.self).call
            if link.isClaimed, link.traits & Trait.always == 0 { return false }
            let outcome = unsafe source.knownOutcome(as: T.self)
            do {
                if let next = try call(outcome)?.state { return unsafe link.adopt(next, as: T.self, work) }
                return unsafe link.finish(outcome, work)
            } catch { return unsafe link.fail(with: error, work) }
        }
        return unsafe make(Handler(handler), run, executor, origin, traits: traits)
    }

    @inlinable
    static func forward<T: Sendable>(
        _ type: T.Type, _ origin: Origin, traits: UInt8 = Trait.consumer
    ) -> Link {
        unsafe Link(forwarding(T.self), PlaceNumber.inline, origin, traits: traits)
    }

    @inlinable
    static func forwarding<T: Sendable>(_ type: T.Type) -> Run {
        { link, source, work in unsafe link.finish(source.knownOutcome(as: T.self), work) }
    }

    /// Takes over another promise's state.
    /// - Returns: Whether the caller's reference to this link was consumed.
    @inlinable
    final func adopt<T: Sendable>(
        _ other: State, as type: T.Type, _ work: UnsafeMutablePointer<WorkList>
    ) -> Bool {
        if other.isSettled {
            guard other.isRejected else { return unsafe finish(with: other.value(as: T.self), work) }
            other.observe()
            return unsafe fail(with: other.error, work)
        }
        if other === self { return unsafe fail(with: PromiseError.returnedSelf, work) }
        if unsafe follow(other, Link.forwarding(T.self)) { return true }
        guard !isClaimed, let outcome = other.outcome(as: T.self) else { return false }
        other.observe()
        return unsafe finish(outcome, work)
    }

    /// Waits for a different promise.
    /// - Returns: Whether the caller's reference to this link now belongs to that promise.
    @usableFromInline
    final func follow(_ other: State, _ run: @escaping Run) -> Bool {
        guard lock() else {
            // Cancelled while its handler ran, so the other promise is not needed either.
            State.forsake(other, consumer: self)
            return false
        }
        if standsAside(for: other) { return false }
        place.store(PlaceNumber.inline | PlaceNumber.forwards, ordering: .relaxed)
        unsafe hold(Function(run))
        if replaces(other) {
            unlock()
            return true
        }
        waits(for: other)
        unlock()
        if other.enlist(self) { return true }
        // Settled meanwhile: this link settles at once and needs the function's room for the outcome.
        _ = unsafe takeFunction()
        if lock() {
            unsafe source = nil
            unlock()
        }
        return false
    }
}

// A loop is a handler that returns the next iteration's promise. These two functions keep one iteration in memory
// instead of all of them.

extension Link {
    /// Lets the only link that would settle like this one wait for the other promise directly, if that is unobservable.
    ///
    /// To be called while this link, which has run, is locked; if it returns true, this link is settled and unlocked.
    private final func standsAside(for other: State) -> Bool {
        guard marks.load(ordering: .relaxed) & Mark.all == 0, isOnlyReferenced,
            let only = unsafe State.link(word.load(ordering: .relaxed)),
            unsafe only._withUnsafeGuaranteedRef({ link in
                unsafe link.next == nil && link.isForwarding && link.lockInReverse()
            })
        else { return false }
        return unsafe only._withUnsafeGuaranteedRef { link in
            let isListed = link.replaces(other) || other.enlist(link)
            if isListed {
                word.store(Word.settled, ordering: .releasing)
            } else {
                unsafe link.next = nil
                link.waits(for: self)
            }
            link.unlock()
            return isListed
        }
    }

    /// Replaces a promise that only settles like another one, if nothing else refers to that promise.
    ///
    /// To be called while this link is locked, with a reference that the other promise's list takes over.
    private final func replaces(_ other: State) -> Bool {
        guard other.isForwarding else { return false }
        let replaced = unsafe unsafeDowncast(other, to: Link.self)
        guard replaced.lock() else { return false }
        guard let source = unsafe replaced.lockSource() else {
            replaced.unlock()
            return false
        }
        return unsafe source._withUnsafeGuaranteedRef { source in
            let isReplaced = replaced.leavesUnseen(source)
            if isReplaced {
                unsafe next = replaced.next
                unsafe replaced.next = nil
                waits(for: source)
                source.word.store(
                    source.word.load(ordering: .relaxed) & ~Word.pointer | address, ordering: .relaxed)
                replaced.word.store(Word.settled, ordering: .releasing)
            } else {
                replaced.unlock()
            }
            source.unlock()
            return isReplaced
        }
    }

    /// Releases the reference of its source's list, if only the list and the caller refer to this link.
    ///
    /// To be called while both are locked.
    private final func leavesUnseen(_ source: State) -> Bool {
        let entry = unsafe Unmanaged.passUnretained(self)
        guard word.load(ordering: .relaxed) & Word.pointer == 0, marks.load(ordering: .relaxed) & Mark.all == 0,
            unsafe State.link(source.word.load(ordering: .relaxed))?.toOpaque() == entry.toOpaque()
        else { return false }
        // The caller's reference stays, so this is not the last one.
        unsafe entry.release()
        if isOnlyReferenced { return true }
        _ = unsafe entry.retain()
        return false
    }
}

extension State {
    /// Whether this link has run, and settles like the promise that its handler returned.
    fileprivate final var isForwarding: Bool { place.load(ordering: .relaxed) & PlaceNumber.forwards != 0 }
}
