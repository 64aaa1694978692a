internal import Dispatch
internal import Synchronization

extension Node {
    /// Hands over one reference to a node that is to run when this promise is settled, or soon if it is already.
    @usableFromInline
    final func attach(_ child: Unmanaged<Node>) {
        if unsafe enlist(child) { return }
        let node = unsafe child._withUnsafeGuaranteedRef { $0 }
        unsafe node.source = Unmanaged.passRetained(self)
        unsafe Node.ready(child, place: node.place)
    }

    /// Puts a node into the list of what waits.
    ///
    /// - Returns: false when this promise is settled, and nothing was done.
    @usableFromInline
    final func enlist(_ child: Unmanaged<Node>) -> Bool {
        let node = unsafe child._withUnsafeGuaranteedRef { $0 }
        let entry = UInt(bitPattern: unsafe child.toOpaque())
        let foreign = node.place == Place.standard ? 0 : Word.foreign
        var current = word.load(ordering: .acquiring)
        while current & Word.settled == 0 {
            if current & Word.locked != 0 {
                current = pause()
                continue
            }
            if marks.load(ordering: .relaxed) & Mark.doomed != 0, node.traits & Trait.consumer != 0 {
                marks.bitwiseAnd(~Mark.doomed, ordering: .relaxed)
            }
            unsafe node.next = Node.unmanaged(current)
            unsafe node.source = Unmanaged.passUnretained(self)
            let desired = entry | (current & (Word.claimed | Word.foreign)) | foreign
            let (done, now) = word.weakCompareExchange(
                expected: current, desired: desired, successOrdering: .acquiringAndReleasing,
                failureOrdering: .acquiring)
            if done { return true }
            current = now
        }
        if current & Word.unobserved != 0, node.traits & Trait.consumer != 0 {
            word.bitwiseAnd(~Word.unobserved, ordering: .relaxed)
        }
        return false
    }

    /// The node whose address is in a word.
    @inlinable
    static func unmanaged(_ word: UInt) -> Unmanaged<Node>? {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: word & Word.pointer) else { return nil }
        return unsafe Unmanaged<Node>.fromOpaque(pointer)
    }

    /// Lets whoever holds the lock bit finish.
    @usableFromInline
    final func pause() -> UInt {
        Thread.yield()
        return word.load(ordering: .acquiring)
    }

    /// Sends a node whose source is settled (and retained) to the place where it runs, from outside any list of work.
    static func ready(_ child: Unmanaged<Node>, place: UInt8) {
        switch place {
        case Place.inline:
            unsafe WorkList.run { work in unsafe work.pointee.append(child) }
        case Place.queue:
            unsafe hop(child)
        default:
            unsafe SerialPlace.at(place).enqueue(child)
        }
    }

    static func hop(_ child: Unmanaged<Node>) {
        let node = unsafe child._withUnsafeGuaranteedRef { $0 }
        guard let queue = node.queue else { return unsafe WorkList.run { work in unsafe work.pointee.append(child) } }
        queue.async(flags: DispatchWorkItemFlags(rawValue: UInt(node.flags))) {
            unsafe WorkList.run { work in unsafe work.pointee.append(child) }
        }
    }
}
