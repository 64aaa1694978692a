/// Work that runs once for all concurrent callers.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let flights = Locked<[Key: Promise<Value>]>([:])

    func join(_ key: Key, _ work: @escaping @Sendable () -> Promise<Value>) -> Promise<Value> {
        let (promise, resolver) = Promise<Value>.pending()
        let going = flights.withLock { flights in
            let going = flights[key]
            if going == nil { flights[key] = promise }
            return going
        }
        // Each caller gets its own promise: cancelling one does not affect the others.
        if let going { return going.map(on: nil) { $0 } }
        let done = work()
        resolver.onCancel { done.cancel() }
        promise.pipe { [flights] _ in flights.withLock { _ = $0.removeValue(forKey: key) } }
        done.pipe { resolver.resolve($0) }
        return promise.map(on: nil) { $0 }
    }
}
