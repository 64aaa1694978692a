internal import Dispatch
public import Synchronization

extension State {
    /// Gives a new link to this promise: to run when it is settled, or soon if it is already.
    ///
    /// The caller's reference goes in and comes out again, so that the operators, which are inlined, never count it.
    @usableFromInline
    final func attach(_ link: __owned Link) -> State {
        unsafe attach(Unmanaged.passRetained(link))
        return link
    }

    /// Gives a new link to this promise, and the caller's reference to it.
    @inline(__always)
    final func attach(_ entry: Unmanaged<Link>) {
        if unsafe !entry._withUnsafeGuaranteedRef({ enlist($0) }) { unsafe start(entry) }
    }

    /// Takes a link to where it runs, because this promise is settled already.
    @inline(never)
    private final func start(_ entry: Unmanaged<Link>) {
        let place = unsafe entry._withUnsafeGuaranteedRef { link in
            unsafe link.source = Unmanaged.passRetained(self)
            return link.where
        }
        switch place {
        case Place.inline: unsafe WorkList.run { work in unsafe work.pointee.append(entry) }
        case Place.queue: unsafe State.hop(entry)
        default: unsafe SerialPlace.send(entry)
        }
    }

    /// Puts a link into the list of what waits, with a reference that the caller has for it.
    ///
    /// - Returns: false when this promise is settled, and nothing was done.
    @usableFromInline
    final func enlist(_ link: Link) -> Bool {
        let address = link.address
        let foreign = link.where == Place.standard ? 0 : Word.foreign
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

    /// Notes that somebody took a rejection that was already there.
    @inlinable
    final func observe() {
        if word.load(ordering: .relaxed) & (Word.unobserved | Word.settled) == Word.unobserved | Word.settled {
            word.bitwiseAnd(~Word.unobserved, ordering: .relaxed)
        }
    }

    /// The link whose address is in a word.
    static func link(_ word: UInt) -> Unmanaged<Link>? {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: word & Word.pointer) else { return nil }
        return unsafe Unmanaged<Link>.fromOpaque(pointer)
    }

    /// Lets whoever holds the lock bit finish.
    @usableFromInline
    final func pause() -> UInt {
        Thread.yield()
        return word.load(ordering: .acquiring)
    }

    static func hop(_ entry: Unmanaged<Link>) {
        let link = unsafe unsafeDowncast(entry.takeRetainedValue(), to: QueueLink.self)
        // What captures one object and nothing else needs no allocation for it.
        let run = { @Sendable in link.runAlone() }
        if let flags = link.flags {
            link.queue.async(flags: flags, execute: run)
        } else {
            link.queue.async(execute: run)
        }
    }
}

extension Link {
    /// Where this link is in memory, for words that hold links.
    final var address: UInt { UInt(bitPattern: unsafe Unmanaged.passUnretained(self).toOpaque()) }

    /// Notes the source, not retained, unless that has been noted where cancellers could see the link already.
    final func waits(for source: State) {
        let new = unsafe Unmanaged.passUnretained(source)
        if unsafe self.source?.toOpaque() != new.toOpaque() { unsafe self.source = new }
    }

    /// Where this link runs.
    final var `where`: UInt8 { unsafe place & Place.mask }
}
