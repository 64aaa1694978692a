internal import Synchronization

/// The places that programs make; each is kept for the next one that needs a place.
extension SerialPlace {
    private struct Numbers {
        /// The number of places that exist.
        var made = 0
        /// Those that no one uses, from the first of them on in the order in which they were given back.
        var free: [SerialPlace] = []
        private var firstFree = 0
        /// How many use each place: one, unless there are more users than numbers.
        var users: [Int] = []
        var next = 0

        /// A place that no one uses, and that is idle if possible: a thread may still hold one that was given back just
        /// now, or be about to.
        mutating func takeFree() -> SerialPlace? {
            for _ in 0..<min(8, free.count - firstFree) {
                let place = free[firstFree]
                firstFree += 1
                if firstFree * 2 > free.count {
                    free.removeSubrange(..<firstFree)
                    firstFree = 0
                }
                if place.isIdle { return place }
                free.append(place)
            }
            return made == SerialPlace.most && firstFree < free.count ? free.popLast() : nil
        }
    }

    private static let most = Int(PlaceNumber.mask - PlaceNumber.first) + 1
    private static let numbers = Locked(Numbers())
    /// Written under the lock above before anyone knows the number.
    private nonisolated(unsafe) static let places = UnsafeMutablePointer<SerialPlace>.allocate(capacity: most)

    static func numbered(_ number: UInt16) -> SerialPlace { unsafe places[Int(number - PlaceNumber.first)] }

    static func take() -> SerialPlace {
        conf.beginPlaces()
        return numbers.withLock { numbers in
            if let place = numbers.takeFree() {
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
