internal import Dispatch
internal import Synchronization

/// A queue on which handlers run one after another, from one list of work.
///
/// Links that are settled elsewhere go through the inbox, and only the first entry of an idle place costs a hop; links
/// that are settled by a handler that runs here go directly into the list.
@safe
final class SerialPlace: Sendable {
    static let standard = SerialPlace(DispatchQueue(label: "Promises"), place: Place.standard)
    static let main = SerialPlace(.main, place: Place.main)

    let queue: DispatchQueue
    /// Idle, busy, or the newest of the links that were sent here.
    private let inbox = Atomic<UInt>(idle)
    /// The thread that runs handlers at this moment, or 0.
    private let thread = Atomic<UInt>(0)
    /// Reached by that thread only.
    private nonisolated(unsafe) let work: UnsafeMutablePointer<WorkList>

    private static let idle: UInt = 0
    private static let busy: UInt = 1

    private init(_ queue: DispatchQueue, place: UInt8) {
        self.queue = queue
        unsafe work = .allocate(capacity: 1)
        unsafe work.initialize(to: WorkList(place: place))
    }

    /// Sends a ready link to the place where it runs.
    ///
    /// Takes over the caller's reference to it.
    static func send(_ entry: Unmanaged<Link>) {
        let isForMain = unsafe entry._withUnsafeGuaranteedRef { $0.where == Place.main }
        if isForMain { unsafe main.enqueue(entry) } else { unsafe standard.enqueue(entry) }
    }

    /// The place whose handler is the caller, if any.
    static var current: SerialPlace? {
        if standard.isCurrent { return standard }
        return main.isCurrent ? main : nil
    }

    /// Whether the caller is a handler that runs here.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == Thread.current }

    /// Adds a ready link, from any thread.
    ///
    /// Takes over the caller's reference to it.
    private func enqueue(_ entry: Unmanaged<Link>) {
        if isCurrent {
            // Links that were sent from elsewhere before come first.
            _ = takeInbox()
            return unsafe work.pointee.append(entry)
        }
        let address = unsafe UInt(bitPattern: entry.toOpaque())
        var current = inbox.load(ordering: .relaxed)
        while true {
            unsafe entry._withUnsafeGuaranteedRef { unsafe $0.next = State.link(current) }
            let (done, now) = inbox.weakCompareExchange(
                expected: current, desired: address, successOrdering: .releasing, failureOrdering: .relaxed)
            if done { break }
            current = now
        }
        if current == SerialPlace.idle { queue.async { self.drain() } }
    }

    /// Runs everything that is ready, nested in a handler that blocks this place.
    func drainNested() {
        repeat { unsafe WorkList.drain(work) } while takeInbox()
    }

    private func drain() {
        repeat {
            thread.store(Thread.current, ordering: .relaxed)
            repeat { unsafe WorkList.drain(work) } while takeInbox()
            thread.store(0, ordering: .relaxed)
        } while !inbox.compareExchange(
            expected: SerialPlace.busy, desired: SerialPlace.idle, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Moves links from elsewhere into the list, oldest first.
    private func takeInbox() -> Bool {
        guard inbox.load(ordering: .relaxed) != SerialPlace.busy else { return false }
        var newest = unsafe State.link(inbox.exchange(SerialPlace.busy, ordering: .acquiringAndReleasing))
        var oldest: Unmanaged<Link>? = nil
        while let entry = unsafe newest {
            unsafe entry._withUnsafeGuaranteedRef { link in
                unsafe newest = link.next
                unsafe link.next = oldest
            }
            unsafe oldest = entry
        }
        guard unsafe oldest != nil else { return false }
        while let entry = unsafe oldest {
            unsafe oldest = entry._withUnsafeGuaranteedRef { unsafe $0.next }
            unsafe work.pointee.append(entry)
        }
        return true
    }
}
