internal import Synchronization

extension State {
    /// Lets go of what waits for a promise that is being released while it is pending, link by link in a loop.
    ///
    /// The promise at the head is reported; those behind it are consequences.
    @usableFromInline
    final func retire(_ current: UInt) {
        if traits & Trait.bystander == 0, marks.load(ordering: .relaxed) & (Mark.abandoned | Mark.cancelled) == 0 {
            conf.report(
                traits & Trait.guarantee == 0
                    ? .pendingPromiseDeallocated(origin.location) : .pendingGuaranteeDeallocated(origin.location))
        }
        var entry = unsafe State.link(current)
        while let waiting = unsafe entry {
            var link = unsafe waiting.takeRetainedValue()
            unsafe entry = link.next
            unsafe link.next = nil
            link.marks.bitwiseOr(Mark.abandoned, ordering: .relaxed)
            if isKnownUniquelyReferenced(&link) {
                unsafe link.source = nil
                // What waits for the link joins this loop; left to the link's own release it would nest.
                var behind = unsafe State.link(link.word.load(ordering: .acquiring))
                link.word.bitwiseAnd(~Word.pointer, ordering: .relaxed)
                while let next = unsafe behind {
                    let inner = unsafe next._withUnsafeGuaranteedRef { $0 }
                    unsafe behind = inner.next
                    unsafe inner.next = entry
                    unsafe entry = next
                }
            } else if link.lock() {
                unsafe link.source = nil
                link.unlock()
            }
            link.abandoned()
        }
    }

    /// Keeps settlers, cancellers and attachers out for a few instructions.
    ///
    /// - Returns: false when the promise is settled or about to be.
    @usableFromInline
    final func lock() -> Bool {
        var current = word.load(ordering: .relaxed)
        while current & (Word.settled | Word.claimed) == 0 {
            if current & Word.locked != 0 {
                current = pause()
                continue
            }
            let (done, now) = word.weakCompareExchange(
                expected: current, desired: current | Word.locked, successOrdering: .acquiring,
                failureOrdering: .relaxed)
            if done { return true }
            current = now
        }
        return false
    }

    @usableFromInline
    final func unlock() { word.bitwiseAnd(~Word.locked, ordering: .releasing) }
}
