internal import Synchronization

extension Link {
    /// The source that this link waits for, unless it is being released.
    ///
    /// A source cannot be freed while it is locked, because it has to detach its links first. But
    /// its release may have begun; of such an object only a weak reference can be made, which then shows it.
    final func lockedSource() -> State? {
        guard lock() else { return nil }
        defer { unlock() }
        guard let source = unsafe source else { return nil }
        weak let reference = unsafe source._withUnsafeGuaranteedRef { $0 }
        return reference
    }
}

extension State {
    /// Rejects the pending promises for which only this one waited, directly or through others.
    ///
    /// It goes up to promises that have no pending source. The ones in between settle by the usual rejections.
    static func forsake(_ sources: [State], consumer: State) {
        var open = sources.map { (source: $0, consumer: consumer) }
        while let (source, consumer) = open.popLast() {
            guard source.isForsaken(by: consumer) else { continue }
            let above = source.pendingSources()
            open += above.map { (source: $0, consumer: source) }
            guard above.isEmpty else { continue }
            source.cancel()
            // A guarantee cannot be rejected; the first promise after it can.
            if source.traits & Trait.guarantee != 0, consumer.traits & Trait.guarantee == 0 {
                consumer.cancel()
            }
        }
    }

    /// Whether everything else that waits for this promise has been cancelled too.
    private final func isForsaken(by consumer: State) -> Bool {
        guard lock() else { return false }
        defer { unlock() }
        var entry = unsafe State.link(word.load(ordering: .relaxed))
        while let waiting = unsafe entry {
            let link = unsafe waiting._withUnsafeGuaranteedRef { $0 }
            unsafe entry = link.next
            if link === consumer || link.beneficiary.isIndifferent { continue }
            return false
        }
        marks.bitwiseOr(Mark.doomed, ordering: .relaxed)
        return true
    }

    /// Whether this promise's outcome is no longer needed.
    final var isIndifferent: Bool {
        traits & Trait.consumer == 0 || word.load(ordering: .relaxed) & (Word.settled | Word.claimed) != 0
            || marks.load(ordering: .relaxed) & Mark.doomed != 0
    }

    /// How many links wait for this promise.
    final var waitingCount: Int {
        guard lock() else { return 0 }
        defer { unlock() }
        var (count, entry) = unsafe (0, State.link(word.load(ordering: .relaxed)))
        while let waiting = unsafe entry {
            count += 1
            unsafe entry = waiting._withUnsafeGuaranteedRef { unsafe $0.next }
        }
        return count
    }

    /// The cancellation handlers in this promise's list, oldest first.
    final func cancellationHandlers() -> [CancellationHandler] {
        guard lock() else { return [] }
        defer { unlock() }
        var handlers: [CancellationHandler] = []
        var entry = unsafe State.link(word.load(ordering: .relaxed))
        while let waiting = unsafe entry {
            let link = unsafe waiting._withUnsafeGuaranteedRef { $0 }
            unsafe entry = link.next
            if let handler = link as? CancellationHandler { handlers.append(handler) }
        }
        return handlers.reversed()
    }
}

extension State {
    /// Rejects this promise, if it is pending, and notifies its sources that it no longer needs them.
    @usableFromInline
    final func cancel(_ reason: UInt8 = Mark.cancelled) {
        // Once this promise is settled, its source may be released at any time, so read the sources first.
        let sources = pendingSources()
        let handlers = cancellationHandlers()
        if traits & Trait.guarantee != 0 {
            // It cannot be rejected, but the work that would have resolved it may stop.
            guard !isSettled else { return }
            marks.bitwiseOr(reason, ordering: .relaxed)
        } else {
            guard claim() else { return }
            // No error is stored: in a link, that room belongs to the thread that runs it.
            marks.bitwiseOr(reason, ordering: .relaxed)
            hasError.store(true, ordering: .relaxed)
            publish()
        }
        for handler in handlers { handler.cancel() }
        State.forsake(sources, consumer: self)
    }
}
