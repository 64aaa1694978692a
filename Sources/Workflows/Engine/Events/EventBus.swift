import Promises

/// Where events come from outside and from tasks that emit them, and where tasks that listen wait for them.
///
/// Events are kept in the order in which they came, so that one that comes before anybody listens is not lost. The bus is
/// bounded: of events that nobody takes, the oldest are dropped.
public final class EventBus: Sendable {
    private struct State {
        var events: [CloudEvent] = []
        /// The position of the first event that is kept.
        var first = 0
        var waiting: [Int: (position: Int, resolver: Resolver<Void>)] = [:]
        var nextTicket = 0
        var subscribers: [Int: @Sendable (CloudEvent) -> Void] = [:]

        var end: Int { first + events.count }
    }

    private let capacity: Int
    private let state = Locked(State())

    /// Creates a bus that keeps that many events.
    public init(capacity: Int = 10_000) { self.capacity = capacity }

    /// Takes an event, and tells everybody who waits for one.
    public func publish(_ event: CloudEvent) { publish(event, by: nil) }

    /// Takes an event, and tells everybody who waits for one but the subscriber that it comes from.
    func publish(_ event: CloudEvent, by subscriber: Int?) {
        let told = state.withLock { state in
            state.subscribers.filter { $0.key != subscriber }.sorted { $0.key < $1.key }.map(\.value)
        }
        for tell in append(event) { tell.fulfill(()) }
        for tell in told { tell(event) }
    }

    /// Takes an event without telling anybody.
    /// - Returns: Who waits for it and is to be told.
    func append(_ event: CloudEvent) -> [Resolver<Void>] {
        state.withLock { state -> [Resolver<Void>] in
            state.events.append(event)
            if state.events.count > capacity {
                // Half of them at once, because each removal at the front moves all the others.
                let surplus = state.events.count - capacity / 2
                state.events.removeFirst(surplus)
                state.first += surplus
            }
            let due = state.waiting.filter { $0.value.position < state.end }
            for ticket in due.keys { state.waiting[ticket] = nil }
            return due.sorted { $0.key < $1.key }.map(\.value.resolver)
        }
    }

    /// Calls the body with every event from now on, inside the call that publishes it.
    /// - Returns: What ends the subscription, and names it.
    func subscribe(_ body: @escaping @Sendable (CloudEvent) -> Void) -> Int {
        state.withLock { state in
            state.nextTicket += 1
            state.subscribers[state.nextTicket] = body
            return state.nextTicket
        }
    }

    /// Ends a subscription.
    func unsubscribe(_ subscriber: Int) { state.withLock { $0.subscribers[subscriber] = nil } }

    /// The position behind the last event.
    var end: Int { state.withLock { $0.end } }

    /// The first event at that position or behind it, with its own position; nil where there is none yet.
    func event(from position: Int) -> (position: Int, event: CloudEvent)? {
        state.withLock { state in
            let found = max(position, state.first)
            guard found < state.end else { return nil }
            return (found, state.events[found - state.first])
        }
    }

    /// Waits until there is an event at that position.
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
