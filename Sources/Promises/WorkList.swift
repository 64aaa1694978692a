/// Links that are ready to run, first come, first served: what makes settling a long chain a loop, not a recursion.
@usableFromInline
@frozen
@unsafe
struct WorkList {
    var head: Unmanaged<Link>?
    var tail: Unmanaged<Link>?
    /// The place that this list runs on: `Place.inline` stands for wherever it happens to be.
    let place: UInt8

    init(place: UInt8) {
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

    /// Runs everything in a list, and everything that becomes ready through that.
    static func drain(_ work: UnsafeMutablePointer<WorkList>) {
        while let entry = unsafe work.pointee.popFirst() {
            if unsafe !entry._withUnsafeGuaranteedRef({ unsafe $0.fire(work) }) { unsafe entry.release() }
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
