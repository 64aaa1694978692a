/// Passes events from outside and from emitting tasks to tasks that listen.
///
/// Events are kept in order of arrival: one that arrives before a task listens is not lost. The bus is bounded: the
/// oldest events are dropped first.
public final class EventBus: Sendable {
    private struct State {
        /// Nil where an event no longer counts.
        var events: [CloudEvent?] = []
        /// The position of the oldest kept event.
        var first = 0
        var waiting: [Int: (position: Int, resolver: Resolver<Void>)] = [:]
        var nextTicket = 0
        var subscribers: [Int: @Sendable (CloudEvent) -> Void] = [:]
        var connecting: [Resolver<Void>] = []

        var end: Int { first + events.count }
    }

    private let capacity: Int
    private let state = Locked(State())

    /// Creates a bus that keeps at most `capacity` events.
    public init(capacity: Int = 10_000) { self.capacity = capacity }

    /// Adds an event and notifies all tasks and subscribers that wait for one.
    public func publish(_ event: CloudEvent) { publish(event, by: nil) }

    /// Adds an event and notifies everyone but the subscriber that it comes from.
    package func publish(_ event: CloudEvent, by subscriber: Int?) {
        let told = state.withLock { state in
            state.subscribers.filter { $0.key != subscriber }.sorted { $0.key < $1.key }.map(\.value)
        }
        for tell in append(event) { tell.fulfill(()) }
        for tell in told { tell(event) }
    }

    /// Adds an event, nil for one that no longer counts; the caller must fulfill the returned resolvers.
    func append(_ event: CloudEvent?) -> [Resolver<Void>] {
        state.withLock { state -> [Resolver<Void>] in
            state.events.append(event)
            if state.events.count > capacity {
                // Half of them at once, because each removal at the front moves all others.
                let surplus = state.events.count - capacity / 2
                state.events.removeFirst(surplus)
                state.first += surplus
            }
            let due = state.waiting.filter { $0.value.position < state.end }
            for ticket in due.keys { state.waiting[ticket] = nil }
            return due.sorted { $0.key < $1.key }.map(\.value.resolver)
        }
    }

    /// Calls the body with every later event, inside the call that publishes it; returns the subscriber's number.
    package func subscribe(_ body: @escaping @Sendable (CloudEvent) -> Void) -> Int {
        let (ticket, connecting) = state.withLock { state in
            state.nextTicket += 1
            state.subscribers[state.nextTicket] = body
            defer { state.connecting = [] }
            return (state.nextTicket, state.connecting)
        }
        for resolver in connecting { resolver.fulfill(()) }
        return ticket
    }

    package var connected: Promise<Void> {
        Promise { resolver in
            let isConnected = state.withLock { state in
                if state.subscribers.isEmpty { state.connecting.append(resolver) }
                return !state.subscribers.isEmpty
            }
            if isConnected { resolver.fulfill(()) }
        }
    }

    package func unsubscribe(_ subscriber: Int) { state.withLock { $0.subscribers[subscriber] = nil } }

    var end: Int { state.withLock { $0.end } }

    /// The first event at or after a position, with its own position; nil if there is none yet.
    func event(from position: Int) -> (position: Int, event: CloudEvent)? {
        state.withLock { state in
            var found = max(position, state.first)
            while found < state.end {
                if let event = state.events[found - state.first] { return (found, event) }
                found += 1
            }
            return nil
        }
    }

    func arrival(at position: Int) -> Promise<Void> {
        Promise { resolver in
            let ticket = state.withLock { state -> Int? in
                guard position >= state.end else { return nil }
                state.nextTicket += 1
                state.waiting[state.nextTicket] = (position, resolver)
                return state.nextTicket
            }
            guard let ticket else { return resolver.fulfill(()) }
            resolver.onCancel { [state] in state.withLock { $0.waiting[ticket] = nil } }
        }
    }
}
