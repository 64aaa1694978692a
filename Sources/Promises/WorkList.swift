/// Nodes that are ready to run, first come, first served: what makes settling a long chain a loop, not a recursion.
@usableFromInline
@frozen
@unsafe
struct WorkList {
    var head: Unmanaged<Node>?
    var tail: Unmanaged<Node>?
    /// The place that this list runs on: `Place.inline` stands for wherever it happens to be.
    let place: UInt8

    init(place: UInt8) {
        unsafe self.head = nil
        unsafe self.tail = nil
        unsafe self.place = place
    }

    mutating func append(_ node: Unmanaged<Node>) {
        unsafe node._withUnsafeGuaranteedRef { unsafe $0.next = nil }
        if let last = unsafe tail {
            unsafe last._withUnsafeGuaranteedRef { unsafe $0.next = node }
        } else {
            unsafe head = node
        }
        unsafe tail = node
    }

    mutating func popFirst() -> Unmanaged<Node>? {
        guard let node = unsafe head else { return nil }
        unsafe head = node._withUnsafeGuaranteedRef { unsafe $0.next }
        if unsafe head == nil { unsafe tail = nil }
        return unsafe node
    }

    /// Runs everything in a list, and everything that becomes ready through that.
    static func drain(_ work: UnsafeMutablePointer<WorkList>) {
        while let node = unsafe work.pointee.popFirst() {
            if unsafe !node._withUnsafeGuaranteedRef({ unsafe $0.fire(work) }) { unsafe node.release() }
        }
    }

    /// Runs what the body puts into a new list, on the calling thread.
    @usableFromInline
    static func run(_ body: (UnsafeMutablePointer<WorkList>) -> Void) {
        var work = unsafe WorkList(place: Place.inline)
        unsafe withUnsafeMutablePointer(to: &work) { pointer in
            unsafe body(pointer)
            unsafe drain(pointer)
        }
    }
}
