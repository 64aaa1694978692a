internal import Synchronization

extension Link {
    /// The source that this link waits for, unless it is being released.
    ///
    /// A source cannot be freed while this link is locked, because it has to detach its links first. But others may let
    /// go of it meanwhile, so that the reference must outlive the lock: its release would wait for this link.
    final func lockedSource() -> State? {
        guard lock() else { return nil }
        let reference = unsafe source.flatMap { unsafe State.retained($0) }
        unlock()
        return unsafe reference?.takeRetainedValue()
    }

    /// Releases links that were removed from a list, from the first one on.
    fileprivate static func release(_ first: Unmanaged<Link>?) {
        var first = unsafe first
        while let link = unsafe first {
            unsafe link._withUnsafeGuaranteedRef { link in
                unsafe first = link.next
                unsafe link.next = nil
                link.removed()
            }
            unsafe link.release()
        }
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
        let (isNeeded, removed) = unsafe sweep(besides: consumer)
        if !isNeeded { marks.bitwiseOr(Mark.doomed, ordering: .relaxed) }
        unlock()
        // An arrival that was removed leads cancellers here until it is released.
        withExtendedLifetime(self) { unsafe Link.release(removed) }
        return !isNeeded
    }

    /// Removes links that have left, although this promise may still be needed.
    final func sweep() {
        guard lock() else { return }
        let removed = unsafe sweep(besides: nil).removed
        unlock()
        withExtendedLifetime(self) { unsafe Link.release(removed) }
    }

    /// Removes links that have left: on the way to the newest one that stays, and right after it.
    ///
    /// So leaving takes the same time however many links there are. To be called while this promise is locked.
    /// - Returns: whether anything besides a consumer needs this promise, and the links to release.
    private final func sweep(besides consumer: State?) -> (isNeeded: Bool, removed: Unmanaged<Link>?) {
        var entry = unsafe State.link(word.load(ordering: .relaxed))
        var last: Unmanaged<Link>?
        var removed: Unmanaged<Link>?
        var isNeeded = false
        while let waiting = unsafe entry {
            let link = unsafe waiting._withUnsafeGuaranteedRef { $0 }
            unsafe entry = link.next
            if link.hasLeft {
                unsafe setNext(entry, after: last)
                unsafe link.next = removed
                unsafe removed = waiting
            } else {
                if isNeeded { break }
                isNeeded = link !== consumer && !link.beneficiary.isIndifferent
                unsafe last = waiting
            }
        }
        return unsafe (isNeeded, removed)
    }

    /// Replaces what follows a link of this promise's list, or the first link; to be called while it is locked.
    private final func setNext(_ next: Unmanaged<Link>?, after link: Unmanaged<Link>?) {
        if let link = unsafe link { return unsafe link._withUnsafeGuaranteedRef { unsafe $0.next = next } }
        let address = unsafe UInt(bitPattern: next?.toOpaque())
        // An empty list has no link that runs elsewhere.
        let flags = word.load(ordering: .relaxed) & ~Word.pointer & (address == 0 ? ~Word.foreign : ~0)
        word.store(address | flags, ordering: .relaxed)
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
