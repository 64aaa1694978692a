public import Synchronization

extension Node {
    /// Wins the right to settle this promise; of all that try, exactly one does.
    @inlinable
    final func claim() -> Bool {
        var current = word.load(ordering: .relaxed)
        while current & (Word.settled | Word.claimed) == 0 {
            if current & Word.locked != 0 {
                current = pause()
                continue
            }
            let (done, now) = word.weakCompareExchange(
                expected: current, desired: current | Word.claimed, successOrdering: .acquiring,
                failureOrdering: .relaxed)
            if done { return true }
            current = now
        }
        return false
    }

    /// Makes the result that was just written visible, and hands out what waited for it in order of registration.
    ///
    /// - Returns: whether the caller's reference to this node went into the list of work.
    @usableFromInline
    final func publish(rejected: Bool, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        var current = word.load(ordering: .relaxed)
        let here = unsafe work.pointee.place
        while true {
            let alone = current & Word.pointer == 0
            if !alone, current & Word.foreign != 0 || here != Place.standard { break }
            let final = alone && rejected ? Word.settled | Word.unobserved : Word.settled
            let (done, now) = word.weakCompareExchange(
                expected: current, desired: final, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
            if done { return alone ? false : unsafe handOutHere(current, work) }
            current = now
        }
        return unsafe publishInTurn(rejected: rejected, work)
    }

    /// What waits elsewhere could be overtaken by a node that is attached as soon as this promise counts as settled.
    /// So it counts as settled only when everything that waited has been handed out.
    private final func publishInTurn(rejected: Bool, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        var observed = false
        while true {
            let list = word.exchange(Word.claimed, ordering: .acquiringAndReleasing)
            if unsafe handOut(list, work) { observed = true }
            let final = rejected && !observed ? Word.settled | Word.unobserved : Word.settled
            let (done, _) = word.compareExchange(
                expected: Word.claimed, desired: final, successOrdering: .acquiringAndReleasing,
                failureOrdering: .relaxed)
            if done { return false }
        }
    }

    /// Everything that waits runs in this list of work. The caller's reference becomes that of the first.
    private final func handOutHere(_ list: UInt, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        var entry = unsafe Node.reversed(list)
        var first = true
        while let child = unsafe entry {
            let node = unsafe child._withUnsafeGuaranteedRef { $0 }
            unsafe entry = node.next
            unsafe node.source = first ? Unmanaged.passUnretained(self) : Unmanaged.passRetained(self)
            unsafe work.pointee.append(child)
            first = false
        }
        return true
    }

    /// - Returns: whether anything waited that wants the result.
    private final func handOut(_ list: UInt, _ work: UnsafeMutablePointer<WorkList>) -> Bool {
        var entry = unsafe Node.reversed(list)
        var observed = false
        let here = unsafe work.pointee.place
        while let child = unsafe entry {
            let node = unsafe child._withUnsafeGuaranteedRef { $0 }
            unsafe entry = node.next
            unsafe node.source = Unmanaged.passRetained(self)
            if node.traits & Trait.consumer != 0 { observed = true }
            switch node.place {
            case Place.inline, here: unsafe work.pointee.append(child)
            case Place.queue: unsafe Node.hop(child)
            default: unsafe SerialPlace.at(node.place).enqueue(child)
            }
        }
        return observed
    }

    private static func reversed(_ list: UInt) -> Unmanaged<Node>? {
        var entry = unsafe unmanaged(list)
        var result: Unmanaged<Node>? = nil
        while let child = unsafe entry {
            let node = unsafe child._withUnsafeGuaranteedRef { $0 }
            unsafe entry = node.next
            unsafe node.next = result
            unsafe result = child
        }
        return unsafe result
    }
}
