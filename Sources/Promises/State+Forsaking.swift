internal import Synchronization

// A cancellation goes up by locking each promise before it unlocks the one below. A promise that is released while it is
// pending waits for who has locked it, or a link in its list, so that neither can be freed meanwhile. No reference to it
// is counted on the way: who lets go of the last one would wait for a lock that it holds.

extension State {
    /// What a cancellation leads to, to be done once when nothing is locked.
    @safe
    struct Forsaken {
        /// The promise to reject, retained: those between it and the cancelled one settle by its rejection.
        var top: Unmanaged<State>?
        /// What waits for a promise that cannot be rejected and can be rejected itself, retained: the nearest to the top last.
        var below: [Unmanaged<State>] = unsafe []
        /// Links to release.
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

        /// Lets go of everything, where there is nothing to reject.
        func release() {
            unsafe Link.release(removed)
            unsafe below.forEach { unsafe $0.release() }
        }
    }

    /// Rejects a promise, or what it waits for, if nothing but the consumer waits for it.
    static func forsake(_ source: State, consumer: State) {
        guard source.lock() else { return }
        reject(
            unsafe climb(
                from: Unmanaged.passUnretained(source), consumer: Unmanaged.passUnretained(consumer), isLeaving: false))
    }

    /// Goes up from a promise, which is locked, to the first one without a pending source, unless one is needed.
    ///
    /// - Parameters:
    ///   - source: The promise to begin with.
    ///   - consumer: What does not need it any more.
    ///   - isLeaving: Whether the consumer is to be removed from the list of the first promise.
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

    /// Unlocks this promise and locks its source; returns nil if this promise is needed or has no pending source.
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

    /// Rejects what is forsaken.
    static func reject(_ forsaken: Forsaken) {
        if unsafe forsaken.top != nil { reject([forsaken]) } else { forsaken.release() }
    }

    /// Rejects what is forsaken, in two loops, because any number of gathers may be nested.
    ///
    /// All of it is known before any is rejected, because that settles gathers, which then lead nowhere.
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
}

extension State {
    /// Removes links that have left: on the way to the newest one that stays, and right after it.
    ///
    /// So leaving takes the same time however many links there are. To be called while this promise is locked.
    /// - Parameters:
    ///   - leaving: A link to remove in any case.
    ///   - removed: The links to release.
    /// - Returns: whether anything else needs this promise.
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
}

extension Link {
    /// The source that this link waits for, unless it is being released.
    ///
    /// The reference outlives the lock, because it may be the last one.
    final func lockedSource() -> State? {
        guard lock() else { return nil }
        let reference = unsafe source.flatMap { unsafe State.retained($0) }
        unlock()
        return unsafe reference?.takeRetainedValue()
    }

    /// Locks the source, if it is pending, and unlocks this link.
    final func pinSource() -> Unmanaged<State>? {
        guard lock() else { return nil }
        defer { unlock() }
        return unsafe lockSource()
    }

    /// Forgets the source, which will no longer detach this link before its release; to be called while it is locked.
    ///
    /// - Returns: false if this link stays listed, because someone who has locked it is about to lock the source too.
    fileprivate final func forgetsSource() -> Bool {
        let current = word.load(ordering: .relaxed)
        // A settled link leads nobody to its source.
        if current & (Word.settled | Word.claimed) != 0 { return true }
        guard lockInReverse() else { return false }
        unsafe source = nil
        unlock()
        return true
    }

    /// Locks this link after its source, without waiting: whoever holds its lock may be waiting for the source's.
    ///
    /// - Returns: false if it is locked or settled.
    final func lockInReverse() -> Bool {
        let current = word.load(ordering: .relaxed)
        guard current & (Word.settled | Word.claimed | Word.locked) == 0 else { return false }
        return word.compareExchange(
            expected: current, desired: current | Word.locked, successOrdering: .acquiring, failureOrdering: .relaxed
        ).exchanged
    }

    /// Releases links that were removed from a list, from the first one on.
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
