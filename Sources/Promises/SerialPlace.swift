internal import Dispatch
internal import Synchronization

/// A queue on which handlers run one after another, from one list of work.
///
/// Links that are settled elsewhere go through the inbox, and only the first entry of an idle place costs a hop; links
/// that are settled by a handler that runs here go directly into the list.
///
/// The place passes from thread to thread: a handler that gives way goes on beside the others, and all that is ready
/// runs, in order, on another thread, until the handler has its turn again.
@safe
final class SerialPlace: Sendable {
    static let standard = SerialPlace(DispatchQueue(label: "Promises"), place: Place.standard)
    static let main = SerialPlace(.main, place: Place.main)
    /// One for each core, as far as there are numbers for them.
    static let lanes = (0..<UInt8(min(Thread.cores, Int(Place.own - Place.lanes)))).map { number in
        SerialPlace(DispatchQueue(label: "Promises lane \(number)"), place: Place.lanes + number)
    }

    let queue: DispatchQueue
    private let place: UInt8
    /// Idle, busy, or the newest of the links that were sent here.
    private let inbox = Atomic<UInt>(idle)
    /// The thread that runs handlers at this moment, or 0.
    private let thread = Atomic<UInt>(0)
    /// The list of that thread, which only it reaches.
    @exclusivity(unchecked) private nonisolated(unsafe) var work: UnsafeMutablePointer<WorkList>
    /// How many threads are kept by handlers that have given way; one of them may be the queue's.
    private let departed = Atomic<Int>(0)

    private static let idle: UInt = 0
    private static let busy: UInt = 1

    private init(_ queue: DispatchQueue, place: UInt8) {
        (self.queue, self.place) = (queue, place)
        unsafe work = SerialPlace.list(WorkList(place: place))
    }

    /// Sends a ready link to the place where it runs.
    ///
    /// Takes over the caller's reference to it.
    static func send(_ entry: Unmanaged<Link>) {
        switch unsafe entry._withUnsafeGuaranteedRef({ $0.where }) {
        case Place.main: unsafe main.enqueue(entry)
        case let lane where lane >= Place.lanes: unsafe lanes[Int(lane - Place.lanes)].enqueue(entry)
        default: unsafe standard.enqueue(entry)
        }
    }

    /// The place whose handler is the caller, if any.
    static var current: SerialPlace? {
        let own = Lane.current
        let place = own == Place.standard ? standard : lanes[Int(own - Place.lanes)]
        if place.isCurrent { return place }
        return main.isCurrent ? main : nil
    }

    /// Whether the caller is a handler that runs here.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == Thread.current }

    /// Whether no handler runs here or is ready, and none has given way.
    var isIdle: Bool {
        departed.load(ordering: .acquiring) == 0 && inbox.load(ordering: .acquiring) == SerialPlace.idle
    }

    private static func list(_ list: WorkList) -> UnsafeMutablePointer<WorkList> {
        let pointer = UnsafeMutablePointer<WorkList>.allocate(capacity: 1)
        unsafe pointer.initialize(to: list)
        return unsafe pointer
    }

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
        if current == SerialPlace.idle { start() }
    }

    /// How many handlers may have given way at one time; each has a thread.
    private static let mostDeparted = 64

    /// Lets the others go on while the caller, a handler that runs here, computes.
    ///
    /// Meanwhile the caller's list is an empty one of no place, so that what it settles is sent here like from any other
    /// thread.
    /// - Returns: The caller's list, for coming back; nil if it does not run here or too many have given way.
    func giveWay() -> UnsafeMutablePointer<WorkList>? {
        guard isCurrent else { return nil }
        let before = departed.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
        guard before < SerialPlace.mostDeparted else {
            departed.wrappingSubtract(1, ordering: .acquiringAndReleasing)
            return nil
        }
        let own = unsafe work
        unsafe work = SerialPlace.list(own.pointee)
        unsafe own.pointee = WorkList(place: Place.nowhere)
        thread.store(0, ordering: .releasing)
        start()
        return unsafe own
    }

    /// Waits for the turn of a handler that has given way: from then on it runs alone again, with all that is ready.
    func comeBack(to own: UnsafeMutablePointer<WorkList>) {
        guard !isCurrent else { return }
        let (returning, turn) = (Thread.current, DispatchSemaphore(value: 0))
        nonisolated(unsafe) let own = unsafe own
        let link = unsafe Link(
            { _, _, work in
                unsafe own.pointee = work.pointee
                unsafe self.work = own
                unsafe work.pointee = WorkList(place: Place.nowhere)
                self.thread.store(returning, ordering: .releasing)
                turn.signal()
                return false
            }, place, Origin(#fileID, #line), traits: Trait.bystander)
        unsafe enqueue(Unmanaged.passRetained(link))
        turn.wait()
        _ = thread.load(ordering: .acquiring)
    }

    /// Runs everything that is ready, nested in a handler that blocks this place.
    ///
    /// - Returns: The handler's list, to come back to: what runs here may give way and leave the place.
    @discardableResult
    func drainNested() -> UnsafeMutablePointer<WorkList> {
        let own = unsafe work
        _ = unsafe drain(own)
        return unsafe own
    }

    /// Runs what is ready on a thread, while no other one does.
    private func start() {
        let isKept = departed.load(ordering: .acquiring) > 0
        (isKept ? DispatchQueue(label: "Promises") : queue).async { self.drain() }
    }

    private func drain() {
        // After what the thread before this one has written.
        _ = thread.load(ordering: .acquiring)
        let own = unsafe work
        // Also while one of its handlers has given way.
        if place >= Place.lanes { Thread.lane = place }
        defer { if place >= Place.lanes { Thread.lane = 0 } }
        repeat {
            thread.store(Thread.current, ordering: .relaxed)
            guard unsafe drain(own) else {
                unsafe own.deallocate()
                departed.wrappingSubtract(1, ordering: .acquiringAndReleasing)
                return
            }
            thread.store(0, ordering: .releasing)
        } while !inbox.compareExchange(
            expected: SerialPlace.busy, desired: SerialPlace.idle, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Runs a list until nothing is ready.
    ///
    /// - Returns: false if the place has passed to another thread, with another list.
    private func drain(_ list: UnsafeMutablePointer<WorkList>) -> Bool {
        repeat {
            unsafe WorkList.drain(list)
            if unsafe list.pointee.place == Place.nowhere { return false }
        } while takeInbox()
        return true
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
