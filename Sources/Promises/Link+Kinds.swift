internal import Synchronization

extension Link {
    /// Settles with the handler's result for the value.
    @inlinable
    static func map<Source: Sendable, T: Sendable>(
        _ handler: @escaping @Sendable (Source) throws -> T, _ executor: __owned Executor, _ origin: Origin,
        traits: UInt8 = Trait.consumer
    ) -> Link {
        let run: Run = { link, source, work in
            let call = unsafe link.takeHandler(Handler<Source, T>.self).call
            if link.isClaimed { return false }
            if source.isRejected { return unsafe link.fail(as: source, work) }
            do { return unsafe link.finish(with: try call(source.value(as: Source.self)), work) } catch {
                return unsafe link.fail(with: error, work)
            }
        }
        return unsafe make(Handler(handler), run, executor, origin, traits: traits)
    }

    /// Settles like the promise that the handler returns for the value.
    @inlinable
    static func then<Source: Sendable, Next: Thenable>(
        _ handler: @escaping @Sendable (Source) throws -> Next, _ executor: __owned Executor, _ origin: Origin,
        traits: UInt8 = Trait.consumer
    ) -> Link {
        let run: Run = { link, source, work in
            let call = unsafe link.takeHandler(Handler<Source, Next>.self).call
            if link.isClaimed { return false }
            if source.isRejected { return unsafe link.fail(as: source, work) }
            do {
                let next = try call(unsafe source.value(as: Source.self)).asPromise()
                return unsafe link.adopt(next.state, as: Next.T.self, work)
            } catch { return unsafe link.fail(with: error, work) }
        }
        return unsafe make(Handler(handler), run, executor, origin, traits: traits)
    }

    /// Settles with the handler's result for the outcome.
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

    /// Settles like the promise that the handler returns for the outcome, or like the source if it returns none.
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
                if let next = try call(outcome) { return unsafe link.adopt(next.state, as: T.self, work) }
                return unsafe link.finish(outcome, work)
            } catch { return unsafe link.fail(with: error, work) }
        }
        return unsafe make(Handler(handler), run, executor, origin, traits: traits)
    }

    /// Settles like the source.
    @inlinable
    static func forward<T: Sendable>(
        _ type: T.Type, _ origin: Origin, traits: UInt8 = Trait.consumer
    ) -> Link {
        unsafe Link(forwarding(T.self), Place.inline, origin, traits: traits)
    }

    @inlinable
    static func forwarding<T: Sendable>(_ type: T.Type) -> Run {
        { link, source, work in unsafe link.finish(source.knownOutcome(as: T.self), work) }
    }

    /// Takes over the state of another promise.
    ///
    /// - Returns: whether the caller's reference to this link went elsewhere.
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
    ///
    /// - Returns: whether the caller's reference to this link is now the other promise's.
    @usableFromInline
    final func follow(_ other: State, _ run: @escaping Run) -> Bool {
        guard lock() else {
            // Cancelled while its handler ran, so the other promise is not needed either.
            State.forsake(other, consumer: self)
            return false
        }
        waits(for: other)
        place.store(Place.inline, ordering: .relaxed)
        unsafe hold(Function(run))
        unlock()
        if other.enlist(self) { return true }
        // Settled meanwhile: this link settles at once, so that it needs the function's room for the outcome.
        _ = unsafe takeFunction()
        if lock() {
            unsafe source = nil
            unlock()
        }
        return false
    }
}
