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
    static let standard = SerialPlace(PlaceNumber.standard, DispatchQueue(label: "Promises"))
    static let main = SerialPlace(PlaceNumber.main, .main)

    let number: UInt16
    /// Of a place that a program has made, nil until somebody asks for it.
    let ownQueue: Locked<DispatchQueue?>
    /// The place after this one of those that wait for a thread.
    @exclusivity(unchecked) nonisolated(unsafe) var nextReady: SerialPlace?
    /// Idle, busy, or the newest link that was sent here.
    private let inbox = Atomic<UInt>(idle)
    private let thread = Atomic<UInt>(0)
    /// That thread's list, which only it accesses.
    @exclusivity(unchecked) private nonisolated(unsafe) var work: UnsafeMutablePointer<WorkList>
    /// The number of threads held by handlers that have given way; one may be the queue's.
    private let departed = Atomic<Int>(0)

    private static let idle: UInt = 0
    private static let busy: UInt = 1
    /// The number of places with ready handlers, and of handlers that have given way.
    private static let occupied = Atomic<Int>(0)

    init(_ number: UInt16, _ queue: DispatchQueue? = nil) {
        (self.number, ownQueue) = (number, Locked(queue))
        unsafe work = SerialPlace.list(WorkList(place: number))
    }

    /// Sends a ready link to its place, and takes over the caller's reference.
    static func send(_ entry: Unmanaged<Link>) {
        switch unsafe entry._withUnsafeGuaranteedRef({ $0.where }) {
        case PlaceNumber.main: unsafe main.enqueue(entry)
        case let number where number >= PlaceNumber.first: unsafe numbered(number).enqueue(entry)
        default: unsafe standard.enqueue(entry)
        }
    }

    /// Nil if the caller is not a handler of a serial place.
    static var current: SerialPlace? {
        let own = PlaceNumber.current
        let place = own == PlaceNumber.standard ? standard : numbered(own)
        if place.isCurrent { return place }
        return main.isCurrent ? main : nil
    }

    var isCurrent: Bool { thread.load(ordering: .relaxed) == Thread.current }

    /// Whether no handler runs or is ready at any place but the main queue, and none has given way.
    static var areIdle: Bool { occupied.load(ordering: .acquiring) == 0 }

    var isIdle: Bool { inbox.load(ordering: .relaxed) == SerialPlace.idle }

    /// Whether the threads of `PlaceThreads` run it.
    var isPooled: Bool { number >= PlaceNumber.first }

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
        if current == SerialPlace.idle {
            SerialPlace.occupied.wrappingAdd(1, ordering: .relaxed)
            start()
        }
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
        SerialPlace.occupied.wrappingAdd(1, ordering: .relaxed)
        let own = unsafe work
        unsafe work = SerialPlace.list(own.pointee)
        unsafe own.pointee = WorkList(place: PlaceNumber.nowhere)
        thread.store(0, ordering: .releasing)
        if isPooled { PlaceThreads.leave() }
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
                unsafe work.pointee = WorkList(place: PlaceNumber.nowhere)
                self.thread.store(returning, ordering: .releasing)
                turn.signal()
                return false
            }, number, Origin(#fileID, #line), traits: Trait.bystander)
        unsafe enqueue(Unmanaged.passRetained(link))
        turn.wait()
        if isPooled { PlaceThreads.comeBack() }
        _ = thread.load(ordering: .acquiring)
    }

    /// Calls a body at once, as a handler of this place, and leaves what follows to the threads for places.
    /// - Returns: Nil if the place is not idle, and nothing was done.
    func enter<Result>(_ body: () -> Result) -> Result? {
        let isIdle = inbox.compareExchange(
            expected: SerialPlace.idle, desired: SerialPlace.busy, ordering: .acquiringAndReleasing
        ).exchanged
        guard isIdle else { return nil }
        SerialPlace.occupied.wrappingAdd(1, ordering: .relaxed)
        let outer = Thread.place
        Thread.place = number
        thread.store(Thread.current, ordering: .relaxed)
        defer {
            thread.store(0, ordering: .releasing)
            Thread.place = outer
            PlaceThreads.run(self)
        }
        return body()
    }

    /// Runs everything that is ready, nested in a handler that blocks this place.
    /// - Returns: The handler's list, to come back to: what runs here may give way and leave the place.
    @discardableResult
    func drainNested() -> UnsafeMutablePointer<WorkList> {
        let own = unsafe work
        unsafe drain(own, inTurn: false)
        return unsafe own
    }

    /// Runs what is ready on a thread while no other thread does.
    private func start() {
        if isPooled { return PlaceThreads.run(self) }
        (isKept ? DispatchQueue(label: "Promises") : queue).async { self.drain() }
    }

    /// Whether a handler that has given way keeps the queue.
    private var isKept: Bool { departed.load(ordering: .acquiring) > 0 }

    /// Runs what is ready on one of the threads for places, until nothing is or others have waited long enough.
    func runTurn() {
        // Also while one of its handlers has given way.
        Thread.place = number
        defer { Thread.place = 0 }
        if !isKept, let queue = ownQueue.withLock({ $0 }) { queue.sync { drain() } } else { drain() }
    }

    private func drain() {
        // Ordered after the writes of the previous thread.
        _ = thread.load(ordering: .acquiring)
        let own = unsafe work
        repeat {
            thread.store(Thread.current, ordering: .relaxed)
            let progress = unsafe drain(own, inTurn: isPooled)
            guard progress != .passed else {
                unsafe own.deallocate()
                departed.wrappingSubtract(1, ordering: .acquiringAndReleasing)
                SerialPlace.occupied.wrappingSubtract(1, ordering: .releasing)
                return
            }
            thread.store(0, ordering: .releasing)
            if progress == .interrupted { return PlaceThreads.run(self) }
        } while !inbox.compareExchange(
            expected: SerialPlace.busy, desired: SerialPlace.idle, ordering: .acquiringAndReleasing
        ).exchanged
        SerialPlace.occupied.wrappingSubtract(1, ordering: .releasing)
    }

    private enum Progress {
        case done
        /// Other places wait for the thread.
        case interrupted
        /// The place has passed to another thread, with another list.
        case passed
    }

    /// Runs a list until nothing is ready, or until its turn on a thread for places has ended.
    @discardableResult
    private func drain(_ list: UnsafeMutablePointer<WorkList>, inTurn: Bool) -> Progress {
        let turn = inTurn ? PlaceThreads.Turn() : nil
        repeat {
            let isDone = unsafe WorkList.drain(list, turn)
            if unsafe list.pointee.place == PlaceNumber.nowhere { return .passed }
            if !isDone { return .interrupted }
        } while takeInbox()
        return .done
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
