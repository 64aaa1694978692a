internal import Synchronization

/// A queue on which handlers run one after another, from one list of work.
///
/// Links that are settled elsewhere go through the inbox; only the first entry of an idle place costs a hop. Links that
/// are settled by a handler here go directly into the list.
///
/// The place passes between threads: a handler that gives way continues alongside the others, and everything ready
/// runs, in order, on another thread, until it is the handler's turn again.
@safe
final class SerialPlace: Sendable {
    static let standard = SerialPlace(DispatchQueue(label: "Promises"), place: Place.standard)
    static let main = SerialPlace(.main, place: Place.main)
    /// One for each core, up to the largest lane number.
    static let lanes = (0..<UInt8(min(Thread.cores, Int(Place.own - Place.lanes)))).map { number in
        SerialPlace(DispatchQueue(label: "Promises lane \(number)"), place: Place.lanes + number)
    }

    let queue: DispatchQueue
    private let place: UInt8
    /// Idle, busy, or the newest link that was sent here.
    private let inbox = Atomic<UInt>(idle)
    private let thread = Atomic<UInt>(0)
    /// That thread's list, which only it accesses.
    @exclusivity(unchecked) private nonisolated(unsafe) var work: UnsafeMutablePointer<WorkList>
    /// The number of threads held by handlers that have given way; one may be the queue's.
    private let departed = Atomic<Int>(0)

    private static let idle: UInt = 0
    private static let busy: UInt = 1

    private init(_ queue: DispatchQueue, place: UInt8) {
        (self.queue, self.place) = (queue, place)
        unsafe work = SerialPlace.list(WorkList(place: place))
    }

    /// Sends a ready link to its place, and takes over the caller's reference.
    static func send(_ entry: Unmanaged<Link>) {
        switch unsafe entry._withUnsafeGuaranteedRef({ $0.where }) {
        case Place.main: unsafe main.enqueue(entry)
        case let lane where lane >= Place.lanes: unsafe lanes[Int(lane - Place.lanes)].enqueue(entry)
        default: unsafe standard.enqueue(entry)
        }
    }

    /// Nil if the caller is not a handler of a serial place.
    static var current: SerialPlace? {
        let own = Lane.current
        let place = own == Place.standard ? standard : lanes[Int(own - Place.lanes)]
        if place.isCurrent { return place }
        return main.isCurrent ? main : nil
    }

    var isCurrent: Bool { thread.load(ordering: .relaxed) == Thread.current }

    /// Whether no handler runs or is ready here, and none has given way.
    var isIdle: Bool {
        departed.load(ordering: .acquiring) == 0 && inbox.load(ordering: .acquiring) == SerialPlace.idle
    }

    private static func list(_ list: WorkList) -> UnsafeMutablePointer<WorkList> {
        let pointer = UnsafeMutablePointer<WorkList>.allocate(capacity: 1)
        unsafe pointer.initialize(to: list)
        return unsafe pointer
    }

    /// Adds a ready link from any thread, and takes over the caller's reference.
    private func enqueue(_ entry: Unmanaged<Link>) {
        if isCurrent {
            // Links that were sent from elsewhere earlier come first.
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

    /// How many handlers may have given way at a time; each holds a thread.
    private static let mostDeparted = 64

    /// Lets other handlers run while the caller, a handler of this place, computes.
    ///
    /// Meanwhile the caller has an empty list without a place, so links that it settles are sent here as from any other
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

    /// Waits for the turn of a handler that has given way; it then runs alone again, with everything that is ready.
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
    /// - Returns: The handler's list, to come back to: what runs here may give way and leave the place.
    @discardableResult
    func drainNested() -> UnsafeMutablePointer<WorkList> {
        let own = unsafe work
        _ = unsafe drain(own)
        return unsafe own
    }

    /// Runs what is ready on a thread while no other thread does.
    private func start() {
        let isKept = departed.load(ordering: .acquiring) > 0
        (isKept ? DispatchQueue(label: "Promises") : queue).async { self.drain() }
    }

    private func drain() {
        // Ordered after the writes of the previous thread.
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
    /// - Returns: False if the place has passed to another thread, with another list.
    private func drain(_ list: UnsafeMutablePointer<WorkList>) -> Bool {
        repeat {
            unsafe WorkList.drain(list)
            if unsafe list.pointee.place == Place.nowhere { return false }
        } while takeInbox()
        return true
    }

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
