internal import Synchronization

extension State {
    /// Releases, in a loop, the links of a promise that is released while it is pending; only that promise is reported.
    @usableFromInline
    final func retire() {
        if traits & Trait.bystander == 0, marks.load(ordering: .relaxed) & (Mark.abandoned | Mark.cancelled) == 0 {
            conf.report(
                traits & Trait.guarantee == 0 ? .pendingPromiseDeallocated : .pendingGuaranteeDeallocated, origin)
        }
        // From here on, cancellers leave it alone; one that has locked it is waited for.
        _ = claim()
        var entry = unsafe State.takeLeave(of: word.load(ordering: .acquiring))
        while let waiting = unsafe entry {
            var link = unsafe waiting.takeRetainedValue()
            unsafe entry = link.next
            unsafe link.next = nil
            // A canceller that comes from one of the link's own links may be reading its list.
            if isKnownUniquelyReferenced(&link), link.lock() {
                // The link's own links join this loop; the link's release would nest them.
                let list = link.word.bitwiseAnd(
                    ~(Word.pointer | Word.foreign | Word.locked), ordering: .acquiringAndReleasing
                ).oldValue
                var stolen = unsafe State.takeLeave(of: list)
                while let next = unsafe stolen {
                    let inner = unsafe next._withUnsafeGuaranteedRef { $0 }
                    unsafe stolen = inner.next
                    unsafe inner.next = entry
                    unsafe entry = next
                }
            }
            link.abandoned()
        }
    }

    /// Notifies the links in the list that their source is released and must not be read any more.
    private static func takeLeave(of list: UInt) -> Unmanaged<Link>? {
        var entry = unsafe State.link(list)
        while let waiting = unsafe entry {
            let link = unsafe waiting._withUnsafeGuaranteedRef { $0 }
            unsafe entry = link.next
            link.marks.bitwiseOr(Mark.abandoned, ordering: .relaxed)
            guard link.lock() else { continue }
            unsafe link.source = nil
            link.unlock()
        }
        return unsafe State.link(list)
    }

    /// Keeps settlers, cancellers and attachers out for a few instructions.
    ///
    /// Until it is unlocked, no reference that could be the last one may be released: a release locks the links that
    /// wait for the released promise, and one of them may be this promise.
    /// - Returns: False if the promise is settled or about to be.
    @usableFromInline
    final func lock() -> Bool { take(Word.locked) }

    @usableFromInline
    final func unlock() { word.bitwiseAnd(~Word.locked, ordering: .releasing) }

    /// Retains a state that is not freed yet; nil if its release has begun.
    ///
    /// The first reference protects a state that is not being released: the weak one distinguishes the cases, and no
    /// release in here is the last one.
    @unsafe
    static func retained(_ state: Unmanaged<State>) -> Unmanaged<State>? {
        _ = unsafe state.retain()
        weak let reference = unsafe state._withUnsafeGuaranteedRef { $0 }
        if reference != nil { return unsafe state }
        unsafe state.release()
        return nil
    }
}
