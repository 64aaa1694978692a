public import Synchronization

extension State {
    /// Wins the right to settle this promise; exactly one caller does.
    @inlinable
    final func claim() -> Bool { take(Word.claimed) }

    /// Sets a bit that only one thread can hold; false if the promise is settled or about to be.
    @inlinable @inline(__always)
    final func take(_ bit: UInt) -> Bool {
        var current = word.load(ordering: .relaxed)
        while current & (Word.settled | Word.claimed) == 0 {
            if current & Word.locked != 0 {
                current = pause()
                continue
            }
            let (done, now) = word.weakCompareExchange(
                expected: current, desired: current | bit, successOrdering: .acquiring, failureOrdering: .relaxed)
            if done { return true }
            current = now
        }
        return false
    }

    /// Fulfills within a list of work.
    /// - Returns: Whether the caller's reference to this state went into the list of work.
    @inlinable
    final func fulfill<T: Sendable>(_ value: T, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        guard claim() else { return false }
        store(value)
        return unsafe publish(work)
    }

    /// Rejects within a list of work.
    /// - Returns: Whether the caller's reference to this state went into the list of work.
    @inlinable
    final func reject(_ error: any Error, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        guard claim() else { return false }
        store(error: error)
        return unsafe publish(work)
    }

    /// Settles within a list of work.
    /// - Returns: Whether the caller's reference to this state went into the list of work.
    @inlinable
    final func settle<T: Sendable>(
        _ outcome: Result<T, any Error>, _ work: UnsafeMutablePointer<WorkList>
    ) -> Bool {
        switch outcome {
        case .success(let value): return unsafe fulfill(value, work)
        case .failure(let error): return unsafe reject(error, work)
        }
    }

    /// Fulfills from any context; the first attempt to settle wins.
    @inlinable
    final func fulfill<T: Sendable>(_ value: T) {
        guard claim() else { return }
        store(value)
        publish()
    }

    /// Rejects from any context; the first attempt to settle wins.
    @inlinable
    final func reject(_ error: any Error) {
        guard claim() else { return }
        store(error: error)
        publish()
    }

    /// Settles from any context; the first attempt wins.
    @inlinable
    final func settle<T: Sendable>(_ outcome: Result<T, any Error>) {
        switch outcome {
        case .success(let value): fulfill(value)
        case .failure(let error): reject(error)
        }
    }

    /// Makes the outcome just written visible, from any context.
    @usableFromInline
    final func publish() {
        if word.load(ordering: .relaxed) & Word.pointer == 0, publishAlone() { return }
        unsafe WorkList.run { work in
            // The list gets its own reference; the caller keeps its reference.
            if unsafe publish(work) { _ = unsafe Unmanaged.passRetained(self) }
        }
    }

    /// Makes the outcome visible if nothing waits for it.
    private final func publishAlone() -> Bool {
        let desired = isRejected ? Word.settled | Word.unobserved : Word.settled
        return word.compareExchange(
            expected: Word.claimed, desired: desired, successOrdering: .releasing, failureOrdering: .relaxed
        ).exchanged
    }

    /// Makes the outcome just written visible, and hands out the waiting links in order of registration.
    ///
    /// The caller must have claimed the promise.
    /// - Returns: Whether the caller's reference to this state went into the list of work.
    @usableFromInline
    final func publish(_ work: UnsafeMutablePointer<WorkList>) -> Bool {
        var current = word.load(ordering: .acquiring)
        while true {
            if current & Word.pointer == 0 {
                if publishAlone() { return false }
            } else {
                guard let desired = unsafe wordWhenHandedOutHere(current, work) else { break }
                let (done, _) = word.compareExchange(
                    expected: current, desired: desired, successOrdering: .acquiringAndReleasing,
                    failureOrdering: .relaxed)
                if done {
                    unsafe handOutHere(current, work)
                    return true
                }
            }
            current = word.load(ordering: .acquiring)
        }
        unsafe publishInTurn(word.exchange(Word.written, ordering: .acquiringAndReleasing), work)
        return false
    }

    /// This settled promise's word, if all waiting links run in this list of work; otherwise nil.
    ///
    /// This is known if all links run in the default place, and checked if there is only one link, as in most promises.
    private final func wordWhenHandedOutHere(_ current: UInt, _ work: UnsafeMutablePointer<WorkList>) -> UInt? {
        let here = unsafe work.pointee.place
        if current & Word.foreign == 0 { return here == PlaceNumber.standard ? Word.settled : nil }
        return unsafe State.link(current)?._withUnsafeGuaranteedRef { link in
            guard unsafe link.next == nil, link.where == PlaceNumber.inline || link.where == here else { return nil }
            let isObserved = link.traits & Trait.consumer != 0 && !link.hasLeft || !isRejected
            return isObserved ? Word.settled : Word.settled | Word.unobserved
        }
    }

    /// Marks the promise as settled if all links taken from it run in this list; returns whether it did.
    final func endsHandingOut(_ list: UInt, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        guard let desired = unsafe wordWhenHandedOutHere(list, work) else { return false }
        return word.compareExchange(
            expected: Word.written, desired: desired, successOrdering: .releasing, failureOrdering: .relaxed
        ).exchanged
    }

    /// Hands out links that run in different places, in turn.
    ///
    /// A link attached to a settled promise could overtake a link that waits elsewhere. The promise therefore counts as
    /// settled only after all waiting links have been handed out.
    /// - Parameters:
    ///   - list: The word before, in exchange for `Word.written`.
    ///   - work: The list of work of the calling thread.
    final func publishInTurn(_ list: UInt, _ work: UnsafeMutablePointer<WorkList>) {
        var list = list
        var observed = !isRejected
        while true {
            if unsafe handOut(list, work) { observed = true }
            let desired = observed ? Word.settled : Word.settled | Word.unobserved
            let done = word.compareExchange(
                expected: Word.written, desired: desired, successOrdering: .releasing, failureOrdering: .relaxed
            ).exchanged
            if done { return }
            list = word.exchange(Word.written, ordering: .acquiringAndReleasing)
        }
    }

    /// Hands out the links that run in this list of work; each link's source is now retained.
    ///
    /// The caller's reference to this state becomes the first link's reference to its source.
    final func handOutHere(_ list: UInt, _ work: UnsafeMutablePointer<WorkList>) {
        var entry = unsafe State.reversed(list)
        var first = true
        while let waiting = unsafe entry {
            unsafe entry = waiting._withUnsafeGuaranteedRef { unsafe $0.next }
            if !first { _ = unsafe Unmanaged.passRetained(self) }
            unsafe work.pointee.append(waiting)
            first = false
        }
    }

    /// - Returns: Whether any waiting link needs the outcome.
    private final func handOut(_ list: UInt, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        var entry = unsafe State.reversed(list)
        var observed = false
        let here = unsafe work.pointee.place
        while let waiting = unsafe entry {
            unsafe waiting._withUnsafeGuaranteedRef { link in
                unsafe entry = link.next
                _ = unsafe Unmanaged.passRetained(self)
                if !observed, link.traits & Trait.consumer != 0, !link.hasLeft { observed = true }
                switch link.where {
                case PlaceNumber.inline, here: unsafe work.pointee.append(waiting)
                case PlaceNumber.queue: unsafe State.hop(waiting)
                default: unsafe SerialPlace.send(waiting)
                }
            }
        }
        return observed
    }

    /// A promise's list has the newest link first, but the oldest must run first.
    private static func reversed(_ list: UInt) -> Unmanaged<Link>? {
        var entry = unsafe link(list)
        if let only = unsafe entry, unsafe only._withUnsafeGuaranteedRef({ unsafe $0.next == nil }) {
            return unsafe only
        }
        var result: Unmanaged<Link>? = nil
        while let waiting = unsafe entry {
            unsafe waiting._withUnsafeGuaranteedRef { link in
                unsafe entry = link.next
                unsafe link.next = result
            }
            unsafe result = waiting
        }
        return unsafe result
    }
}
