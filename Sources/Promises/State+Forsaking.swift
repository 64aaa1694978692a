internal import Synchronization

// A cancellation goes up by locking each promise before it unlocks the one below. A promise that is released while
// pending waits for threads that have locked it or a link in its list, so neither can be freed meanwhile. The way up
// counts no reference to it: a thread that releases the last one would wait for a lock that it holds.

extension State {
    /// The consequences of a cancellation, to be carried out once when nothing is locked.
    @safe
    struct Forsaken {
        /// The promise to reject, retained: those between it and the cancelled one settle by its rejection.
        var top: Unmanaged<State>?
        /// Promises that wait for one that cannot be rejected, but can be rejected themselves; retained, nearest to the
        /// top last.
        var below: [Unmanaged<State>] = unsafe []
        var removed: Unmanaged<Link>?
        /// Whether the promise to reject may wait for others.
        var isGather = false
        /// Whether those are rejected instead of it.
        var isLeft = false

        fileprivate func end() {
            unsafe Link.release(removed)
            if !isLeft { unsafe top?._withUnsafeGuaranteedRef { $0.cancel() } }
            // A guarantee on the way cannot be rejected; the first promise after it can.
            unsafe below.last?._withUnsafeGuaranteedRef { $0.cancel() }
            unsafe top?.release()
            unsafe below.forEach { unsafe $0.release() }
        }

        func release() {
            unsafe Link.release(removed)
            unsafe below.forEach { unsafe $0.release() }
        }
    }

    /// Rejects a promise, or what it waits for, if only the consumer waits for it.
    static func forsake(_ source: State, consumer: State) {
        guard source.lock() else { return }
        reject(
            unsafe climb(
                from: Unmanaged.passUnretained(source), consumer: Unmanaged.passUnretained(consumer), isLeaving: false))
    }

    /// Goes up from a locked promise to the first one without a pending source; stops at one that is still needed.
    /// - Parameters:
    ///   - source: The first promise.
    ///   - consumer: The promise that no longer needs it.
    ///   - isLeaving: Whether to remove the consumer from the first promise's list.
    static func climb(from source: Unmanaged<State>, consumer: Unmanaged<State>, isLeaving: Bool) -> Forsaken {
        var forsaken = Forsaken()
        var (state, below, isLeaving) = unsafe (source, consumer, isLeaving)
        while let above = unsafe state._withUnsafeGuaranteedRef({ state in
            unsafe state.climb(from: below, isLeaving: isLeaving, &forsaken)
        }) {
            unsafe (state, below, isLeaving) = (above, state, false)
        }
        return forsaken
    }

    /// Unlocks this promise and locks its source; nil if this promise is needed or has no pending source.
    private final func climb(
        from consumer: Unmanaged<State>, isLeaving: Bool, _ forsaken: inout Forsaken
    ) -> Unmanaged<State>? {
        defer { unlock() }
        if unsafe sweep(isLeaving ? consumer : nil, into: &forsaken.removed) { return nil }
        marks.bitwiseOr(Mark.doomed, ordering: .relaxed)
        // The consumer is in the list, or the caller keeps it.
        if traits & Trait.guarantee != 0, unsafe consumer._withUnsafeGuaranteedRef({ $0.traits & Trait.guarantee == 0 })
        {
            unsafe forsaken.below.append(consumer.retain())
        }
        if let above = unsafe lockSource() { return unsafe above }
        guard let top = unsafe State.retained(Unmanaged.passUnretained(self)) else { return nil }
        unsafe forsaken.top = top
        forsaken.isGather = self is Gather
        return nil
    }

    static func reject(_ forsaken: Forsaken) {
        if unsafe forsaken.top != nil { reject([forsaken]) } else { forsaken.release() }
    }

    /// Rejects in two loops, because any number of gathers may be nested.
    ///
    /// All consequences are known before any rejection, because a rejection settles gathers and hides their sources.
    static func reject(_ forsaken: [Forsaken]) {
        var all = forsaken
        var index = 0
        while index < all.count {
            if all[index].isGather, let above = unsafe all[index].top?._withUnsafeGuaranteedRef({ $0.forsakeSources() })
            {
                all[index].isLeft = true
                all += above
            }
            index += 1
        }
        for each in all.reversed() { each.end() }
    }

    /// Removes links that have left: on the way to the newest one that stays, and right after it.
    ///
    /// Leaving therefore takes constant time for any number of links. To be called while this promise is locked.
    /// - Parameters:
    ///   - leaving: A link to remove in any case.
    ///   - removed: The links to release.
    /// - Returns: Whether anything else needs this promise.
    final func sweep(_ leaving: Unmanaged<State>?, into removed: inout Unmanaged<Link>?) -> Bool {
        let leaving = unsafe leaving?.toOpaque()
        var entry = unsafe State.link(word.load(ordering: .relaxed))
        var last: Unmanaged<Link>?
        var isNeeded = false
        while let waiting = unsafe entry {
            let (leaves, needs, next) = unsafe waiting._withUnsafeGuaranteedRef { link in
                let leaves = unsafe waiting.toOpaque() == leaving || link.hasLeft && link.forgetsSource()
                return unsafe (leaves, !leaves && !isNeeded && link.needsSource, link.next)
            }
            if leaves {
                unsafe setNext(next, after: last)
                unsafe waiting._withUnsafeGuaranteedRef { unsafe $0.next = removed }
                unsafe removed = waiting
            } else {
                if isNeeded { break }
                isNeeded = needs
                unsafe last = waiting
            }
            unsafe entry = next
        }
        return isNeeded
    }

    /// Replaces a link's successor in the list, or the first link; to be called while this promise is locked.
    private final func setNext(_ next: Unmanaged<Link>?, after link: Unmanaged<Link>?) {
        if let link = unsafe link { return unsafe link._withUnsafeGuaranteedRef { unsafe $0.next = next } }
        let address = unsafe UInt(bitPattern: next?.toOpaque())
        // An empty list has no link that runs elsewhere.
        let flags = word.load(ordering: .relaxed) & ~Word.pointer & (address == 0 ? ~Word.foreign : ~0)
        word.store(address | flags, ordering: .relaxed)
    }

    final var isIndifferent: Bool {
        traits & Trait.consumer == 0 || word.load(ordering: .relaxed) & (Word.settled | Word.claimed) != 0
            || marks.load(ordering: .relaxed) & Mark.doomed != 0
    }
}

extension Link {
    /// Nil if the source is being released; the reference outlives the lock, because it may be the last one.
    final func lockedSource() -> State? {
        guard lock() else { return nil }
        let reference = unsafe source.flatMap { unsafe State.retained($0) }
        unlock()
        return unsafe reference?.takeRetainedValue()
    }

    /// Locks the source if it is pending, and unlocks this link.
    final func pinSource() -> Unmanaged<State>? {
        guard lock() else { return nil }
        defer { unlock() }
        return unsafe lockSource()
    }

    /// Forgets the source, which then does not detach this link before its release; to be called while it is locked.
    /// - Returns: False if this link stays listed, because a thread that has locked it will lock the source too.
    fileprivate final func forgetsSource() -> Bool {
        let current = word.load(ordering: .relaxed)
        // A settled link leads no thread to its source.
        if current & (Word.settled | Word.claimed) != 0 { return true }
        guard lockInReverse() else { return false }
        unsafe source = nil
        unlock()
        return true
    }

    /// Locks this link after its source, without waiting: a thread that holds its lock may be waiting for the source's.
    /// - Returns: False if it is locked or settled.
    final func lockInReverse() -> Bool {
        let current = word.load(ordering: .relaxed)
        guard current & (Word.settled | Word.claimed | Word.locked) == 0 else { return false }
        return word.compareExchange(
            expected: current, desired: current | Word.locked, successOrdering: .acquiring, failureOrdering: .relaxed
        ).exchanged
    }

    static func release(_ first: Unmanaged<Link>?) {
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
