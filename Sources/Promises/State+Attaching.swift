public import Synchronization

extension State {
    /// Attaches a new link to this promise: it runs when the promise is settled, or soon if it already is.
    ///
    /// The caller's reference is passed in and returned, so the inlined operators never count it.
    @usableFromInline
    final func attach(_ link: __owned Link) -> State {
        unsafe attach(Unmanaged.passRetained(link))
        return link
    }

    /// Attaches a new link, with the caller's reference to it.
    @inline(__always)
    final func attach(_ entry: Unmanaged<Link>) {
        if unsafe !entry._withUnsafeGuaranteedRef({ enlist($0) }) { unsafe start(entry) }
    }

    @inline(never)
    private final func start(_ entry: Unmanaged<Link>) {
        let place = unsafe entry._withUnsafeGuaranteedRef { link in
            _ = unsafe Unmanaged.passRetained(self)
            link.waits(for: self)
            return link.where
        }
        switch place {
        case PlaceNumber.inline: unsafe WorkList.runNested(entry)
        case PlaceNumber.queue: unsafe State.hop(entry)
        default: unsafe SerialPlace.send(entry)
        }
    }

    /// Puts a link into the list of waiting links, with a reference from the caller.
    /// - Returns: False if this promise is settled and nothing was done.
    @usableFromInline
    final func enlist(_ link: Link) -> Bool {
        let address = link.address
        let foreign = link.where == PlaceNumber.standard ? 0 : Word.foreign
        var current = word.load(ordering: .acquiring)
        while current & Word.settled == 0 {
            if current & Word.written == Word.locked {
                current = pause()
                continue
            }
            if marks.load(ordering: .relaxed) & Mark.doomed != 0, link.traits & Trait.consumer != 0 {
                marks.bitwiseAnd(~Mark.doomed, ordering: .relaxed)
            }
            unsafe link.next = State.link(current)
            link.waits(for: self)
            let desired = address | (current & ~Word.pointer) | foreign
            let (done, now) = word.weakCompareExchange(
                expected: current, desired: desired, successOrdering: .acquiringAndReleasing,
                failureOrdering: .acquiring)
            if done { return true }
            current = now
        }
        if link.traits & Trait.consumer != 0 { observe() }
        return false
    }

    /// Records that an existing rejection was read.
    @inlinable
    final func observe() {
        if word.load(ordering: .relaxed) & (Word.unobserved | Word.settled) == Word.unobserved | Word.settled {
            word.bitwiseAnd(~Word.unobserved, ordering: .relaxed)
        }
    }

    static func link(_ word: UInt) -> Unmanaged<Link>? {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: word & Word.pointer) else { return nil }
        return unsafe Unmanaged<Link>.fromOpaque(pointer)
    }

    @usableFromInline
    final func pause() -> UInt {
        Thread.yield()
        return word.load(ordering: .acquiring)
    }

    static func hop(_ entry: Unmanaged<Link>) {
        let link = unsafe unsafeDowncast(entry.takeRetainedValue(), to: QueueLink.self)
        // A closure that captures only one object needs no allocation.
        let run = { @Sendable in link.runAlone() }
        if let flags = link.flags {
            link.queue.async(flags: flags, execute: run)
        } else {
            link.queue.async(execute: run)
        }
    }
}

extension Link {
    final var address: UInt { UInt(bitPattern: unsafe Unmanaged.passUnretained(self).toOpaque()) }

    /// Registers the source, not retained, unless it is already registered: then cancellers may be reading it.
    final func waits(for source: State) {
        let new = unsafe Unmanaged.passUnretained(source)
        if unsafe self.source?.toOpaque() != new.toOpaque() { unsafe self.source = new }
    }

    final var `where`: UInt16 { place.load(ordering: .relaxed) & PlaceNumber.mask }
}
