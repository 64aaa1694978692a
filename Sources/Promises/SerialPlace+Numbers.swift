internal import Synchronization

/// The places that programs make; each is kept for the next one that needs a place.
extension SerialPlace {
    private struct Numbers {
        /// The number of places that exist.
        var made = 0
        /// Those that no one uses.
        var free: [SerialPlace] = []
        /// How many use each place: one, unless there are more users than numbers.
        var users: [Int] = []
        var next = 0
    }

    private static let most = Int(PlaceNumber.mask - PlaceNumber.first) + 1
    private static let numbers = Locked(Numbers())
    /// Written under the lock above before anyone knows the number.
    private nonisolated(unsafe) static let places = UnsafeMutablePointer<SerialPlace>.allocate(capacity: most)

    static func numbered(_ number: UInt16) -> SerialPlace { unsafe places[Int(number - PlaceNumber.first)] }

    static func take() -> SerialPlace {
        conf.beginPlaces()
        return numbers.withLock { numbers in
            if let place = numbers.free.popLast() {
                numbers.users[place.index] = 1
                return place
            }
            guard numbers.made < most else {
                numbers.next = (numbers.next + 1) % most
                numbers.users[numbers.next] += 1
                return unsafe places[numbers.next]
            }
            let place = SerialPlace(PlaceNumber.first + UInt16(numbers.made))
            unsafe (places + numbers.made).initialize(to: place)
            numbers.made += 1
            numbers.users.append(1)
            return place
        }
    }

    func giveBack() {
        SerialPlace.numbers.withLock { numbers in
            numbers.users[index] -= 1
            if numbers.users[index] == 0 { numbers.free.append(self) }
        }
    }

    private var index: Int { Int(number - PlaceNumber.first) }
}

/// Places as queues.
extension SerialPlace {
    private static let key = DispatchSpecificKey<UInt16>()
    private static let haveQueues = Atomic<Bool>(false)

    var queue: DispatchQueue {
        ownQueue.withLock { queue in
            if let queue { return queue }
            let new = DispatchQueue(label: "Promises place")
            new.setSpecific(key: SerialPlace.key, value: number)
            SerialPlace.haveQueues.store(true, ordering: .relaxed)
            queue = new
            return new
        }
    }

    /// The number of the place that a queue stands for; nil for any other queue.
    static func number(of queue: DispatchQueue) -> UInt16? {
        haveQueues.load(ordering: .relaxed) ? queue.getSpecific(key: key) : nil
    }
}
