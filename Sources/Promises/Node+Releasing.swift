internal import Synchronization

extension Node {
    /// Lets go of what waits for a promise that is being released while it is pending, link by link in a loop.
    ///
    /// The promise at the head is reported; those behind it are consequences.
    @usableFromInline
    final func retire(_ current: UInt) {
        if marks.load(ordering: .relaxed) & Mark.abandoned == 0 {
            conf.report(
                traits & Trait.guarantee == 0
                    ? .pendingPromiseDeallocated(origin.location) : .pendingGuaranteeDeallocated(origin.location))
        }
        var entry = unsafe Node.unmanaged(current)
        while let waiting = unsafe entry {
            var child = unsafe waiting.takeRetainedValue()
            unsafe entry = child.next
            unsafe child.next = nil
            child.marks.bitwiseOr(Mark.abandoned, ordering: .relaxed)
            if isKnownUniquelyReferenced(&child) {
                unsafe child.source = nil
                // What waits for the child joins this loop; left to the child's own release it would nest.
                var inner = unsafe Node.unmanaged(child.word.load(ordering: .acquiring))
                child.word.bitwiseAnd(~Word.pointer, ordering: .relaxed)
                while let next = unsafe inner {
                    let node = unsafe next._withUnsafeGuaranteedRef { $0 }
                    unsafe inner = node.next
                    unsafe node.next = entry
                    unsafe entry = next
                }
            } else if child.lock() {
                unsafe child.source = nil
                child.unlock()
            }
            child.abandoned()
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
