internal import Synchronization

extension State {
    /// Releases the links of a promise that is released while it is pending, one by one in a loop.
    ///
    /// Only the first promise is reported; the others are consequences.
    @usableFromInline
    final func retire(_ current: UInt) {
        if traits & Trait.bystander == 0, marks.load(ordering: .relaxed) & (Mark.abandoned | Mark.cancelled) == 0 {
            conf.report(
                traits & Trait.guarantee == 0 ? .pendingPromiseDeallocated : .pendingGuaranteeDeallocated, origin)
        }
        var entry = unsafe takeLeave(current)
        while let waiting = unsafe entry {
            var link = unsafe waiting.takeRetainedValue()
            unsafe entry = link.next
            unsafe link.next = nil
            let behind = link.word.load(ordering: .acquiring)
            if isKnownUniquelyReferenced(&link), behind & Word.settled == 0 {
                // The link's own links join this loop; the link's release would nest them.
                link.word.bitwiseAnd(~Word.pointer, ordering: .relaxed)
                var stolen = unsafe link.takeLeave(behind)
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
    private final func takeLeave(_ current: UInt) -> Unmanaged<Link>? {
        var entry = unsafe State.link(current)
        while let waiting = unsafe entry {
            let link = unsafe waiting._withUnsafeGuaranteedRef { $0 }
            unsafe entry = link.next
            link.marks.bitwiseOr(Mark.abandoned, ordering: .relaxed)
            guard link.lock() else { continue }
            unsafe link.source = nil
            link.unlock()
        }
        return unsafe State.link(current)
    }

    /// Keeps settlers, cancellers and attachers out for a few instructions.
    ///
    /// - Returns: false if the promise is settled or about to be.
    @usableFromInline
    final func lock() -> Bool { take(Word.locked) }

    @usableFromInline
    final func unlock() { word.bitwiseAnd(~Word.locked, ordering: .releasing) }
}
