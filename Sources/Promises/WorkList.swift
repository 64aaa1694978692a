/// Links that are ready to run, in order of arrival: settling a long chain is a loop instead of a recursion.
@usableFromInline
@frozen
@unsafe
struct WorkList {
    var head: Unmanaged<Link>?
    var tail: Unmanaged<Link>?
    /// The place that this list runs on; `PlaceNumber.inline` or `PlaceNumber.nowhere` for any thread.
    let place: UInt16

    init(place: UInt16) {
        unsafe self.head = nil
        unsafe self.tail = nil
        unsafe self.place = place
    }

    mutating func append(_ entry: Unmanaged<Link>) {
        unsafe entry._withUnsafeGuaranteedRef { unsafe $0.next = nil }
        if let last = unsafe tail {
            unsafe last._withUnsafeGuaranteedRef { unsafe $0.next = entry }
        } else {
            unsafe head = entry
        }
        unsafe tail = entry
    }

    mutating func popFirst() -> Unmanaged<Link>? {
        guard let entry = unsafe head else { return nil }
        unsafe head = entry._withUnsafeGuaranteedRef { unsafe $0.next }
        if unsafe head == nil { unsafe tail = nil }
        return unsafe entry
    }

    /// Runs everything in a list, and everything that becomes ready by that.
    static func drain(_ work: UnsafeMutablePointer<WorkList>) {
        guard !RandomOrder.isOn else { return unsafe drainInRandomOrder(work) }
        while let entry = unsafe work.pointee.popFirst() {
            if unsafe !entry._withUnsafeGuaranteedRef({ unsafe $0.fire(work) }) { unsafe entry.release() }
        }
    }

    /// Runs a list like `drain(_:)`, but stops between two handlers when its turn has ended.
    /// - Returns: Whether nothing is left.
    static func drain(_ work: UnsafeMutablePointer<WorkList>, _ turn: PlaceThreads.Turn?) -> Bool {
        guard let turn, !RandomOrder.isOn else {
            unsafe drain(work)
            return true
        }
        while let entry = unsafe work.pointee.popFirst() {
            if unsafe !entry._withUnsafeGuaranteedRef({ unsafe $0.fire(work) }) { unsafe entry.release() }
            if turn.isOver { return unsafe work.pointee.head == nil }
        }
        return true
    }

    private static func drainInRandomOrder(_ work: UnsafeMutablePointer<WorkList>) {
        while let entry = unsafe work.pointee.popAny() {
            if unsafe !entry._withUnsafeGuaranteedRef({ unsafe $0.fire(work) }) { unsafe entry.release() }
        }
    }

    /// Removes one of the first entries; of those with the same source always the first.
    private mutating func popAny() -> Unmanaged<Link>? {
        var count = 0
        var entry = unsafe head
        while let current = unsafe entry, count < RandomOrder.reach {
            count += 1
            unsafe entry = current._withUnsafeGuaranteedRef { unsafe $0.next }
        }
        guard count > 1 else { return unsafe popFirst() }
        unsafe entry = head
        for _ in 0..<RandomOrder.draw(below: count) {
            unsafe entry = entry?._withUnsafeGuaranteedRef { unsafe $0.next }
        }
        let source = unsafe entry?._withUnsafeGuaranteedRef { unsafe $0.source?.toOpaque() }
        var previous: Unmanaged<Link>? = nil
        unsafe entry = head
        while let current = unsafe entry {
            let (own, next) = unsafe current._withUnsafeGuaranteedRef { unsafe ($0.source?.toOpaque(), $0.next) }
            if unsafe own == source {
                if let previous = unsafe previous {
                    unsafe previous._withUnsafeGuaranteedRef { unsafe $0.next = next }
                } else {
                    unsafe head = next
                }
                if unsafe next == nil { unsafe tail = previous }
                return unsafe current
            }
            unsafe previous = current
            unsafe entry = next
        }
        return unsafe popFirst()
    }

    private static let deepestNesting = 16

    /// Runs a link at once, or after its enclosing handlers if so many are nested that the stack could overflow.
    static func runNested(_ entry: Unmanaged<Link>) {
        if let nesting = unsafe Thread.nesting {
            if unsafe nesting.pointee.depth >= deepestNesting {
                return unsafe nesting.pointee.work.pointee.append(entry)
            }
            unsafe nesting.pointee.depth += 1
            unsafe run { work in unsafe work.pointee.append(entry) }
            unsafe nesting.pointee.depth -= 1
        } else {
            unsafe run { work in
                var nesting = unsafe Nesting(work: work)
                unsafe withUnsafeMutablePointer(to: &nesting) { pointer in
                    unsafe Thread.nesting = pointer
                    unsafe work.pointee.append(entry)
                    unsafe drain(work)
                    unsafe Thread.nesting = nil
                }
            }
        }
    }

    /// Runs the links that the body puts into a new list, on the calling thread.
    @usableFromInline
    static func run(_ body: (UnsafeMutablePointer<WorkList>) -> Void) {
        var work = unsafe WorkList(place: PlaceNumber.inline)
        unsafe withUnsafeMutablePointer(to: &work) { pointer in
            unsafe body(pointer)
            unsafe drain(pointer)
        }
    }
}

/// Handlers that run inline on a thread, each inside another one.
@unsafe
struct Nesting {
    var depth = 1
    let work: UnsafeMutablePointer<WorkList>

    init(work: UnsafeMutablePointer<WorkList>) { unsafe self.work = work }
}
