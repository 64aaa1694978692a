/// Where requests wait before they are sent: one gate for all of a process's requests to Microsoft Graph.
///
/// It distinguishes hosts and services. If a service asks for a pause, all its requests wait. The number of concurrent
/// requests adapts to the answers, and requests slow down when a service says that its limit is near. All clients that
/// share a gate must share a clock.
public final class RequestGate: Sendable {
    /// The gate that all clients of this process share by default.
    public static let shared = RequestGate()

    struct Key: Sendable, Hashable {
        var origin: Origin
        var service: GraphService
    }

    struct Ticket: Sendable {
        var key: Key
        var cost: Int
        /// The attempt's number, from 1: later attempts go first.
        var attempt: Int
        var onHold: @Sendable (Duration, String) -> Void
    }

    fileprivate struct Waiter: Sendable {
        var number: Int
        var ticket: Ticket
        var toldUntil = Duration.zero
        var start: @Sendable () -> Void
    }

    fileprivate struct Queue: Sendable {
        var lane: GateLane
        var retries: [Waiter] = []
        var others: ArraySlice<Waiter> = []
        var alarmAt: Duration?
    }

    fileprivate struct State {
        var queues: [Key: Queue] = [:]
        var count = 0
    }

    private let state = Locked(State())

    /// Creates a gate.
    public init() {}

    func pass(
        _ ticket: Ticket, clock: any PromiseClock, now: @escaping @Sendable () -> Date,
        _ work: @escaping @Sendable () -> Promise<HTTPResponse>
    ) -> Promise<HTTPResponse> {
        let key = ticket.key
        return Promise { resolver in
            let (passage, place) = (Passage(), HandlerPlace())
            let begin: @Sendable () -> Void = {
                guard let sent = passage.begin(work) else { return self.leave(key, nil, clock) }
                sent.done(on: nil) { response in
                    self.leave(key, ThrottleSigns(response, now: now()), clock)
                    resolver.fulfill(response)
                }.catch(on: nil, policy: .allErrors) { error in
                    self.leave(key, nil, clock)
                    resolver.reject(error)
                }
            }
            // Where it was asked for: another run's answer may let it pass.
            let number = enqueue(ticket) { place.performHereOrThere(begin) }
            resolver.onCancel {
                self.withdraw(number, key)
                passage.cancel()
            }
            pump(key, clock)
        }
    }

    private func enqueue(_ ticket: Ticket, _ start: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.count += 1
            let waiter = Waiter(number: state.count, ticket: ticket, start: start)
            state.queues[ticket.key, default: Queue(lane: GateLane(ticket.key.service))].add(waiter)
            return state.count
        }
    }

    private func withdraw(_ number: Int, _ key: Key) {
        state.withLock { state in
            state.queues[key]?.retries.removeAll { $0.number == number }
            state.queues[key]?.others.removeAll { $0.number == number }
        }
    }

    private func leave(_ key: Key, _ signs: ThrottleSigns?, _ clock: any PromiseClock) {
        let now = clock.now
        state.withLock { $0.queues[key]?.lane.leave(signs, service: key.service, at: now) }
        pump(key, clock)
    }

    fileprivate enum Step {
        case start(Waiter)
        case alarm(after: Duration)
        case rest
    }

    /// Starts all requests that may start; work that they cause on this thread runs afterwards and does not grow the
    /// stack.
    private func pump(_ key: Key, _ clock: any PromiseClock) {
        let round: @Sendable () -> Void = { self.serve(key, clock) }
        guard GateRounds.current?.add(round) != true else { return }
        let rounds = GateRounds()
        GateRounds.$current.withValue(rounds) { rounds.run(round) }
    }

    private func serve(_ key: Key, _ clock: any PromiseClock) {
        while true {
            let now = clock.now
            let (step, told) = state.withLock { $0.step(key, now) }
            for (waiter, time, reason) in told { waiter.ticket.onHold(time, reason) }
            switch step {
            case .start(let waiter): waiter.start()
            case .alarm(let delay):
                _ = clock.schedule(after: delay) {
                    self.state.withLock { $0.queues[key]?.alarmAt = nil }
                    self.pump(key, clock)
                }
                return
            case .rest: return
            }
        }
    }
}

extension RequestGate.State {
    fileprivate mutating func step(
        _ key: RequestGate.Key, _ now: Duration
    ) -> (RequestGate.Step, told: [(RequestGate.Waiter, Duration, String)]) {
        guard let index = queues.index(forKey: key) else { return (.rest, []) }
        defer { if queues.values[index].isOver(at: now) { queues.remove(at: index) } }
        // In place, because there may be many waiters.
        return queues.values[index].step(now)
    }
}

extension RequestGate.Queue {
    fileprivate func isOver(at now: Duration) -> Bool { retries.isEmpty && others.isEmpty && lane.isIdle(at: now) }

    fileprivate mutating func add(_ waiter: RequestGate.Waiter) {
        let attempt = waiter.ticket.attempt
        guard attempt > 1 else { return others.append(waiter) }
        retries.insert(waiter, at: retries.firstIndex { $0.ticket.attempt < attempt } ?? retries.endIndex)
    }

    fileprivate mutating func step(
        _ now: Duration
    ) -> (RequestGate.Step, told: [(RequestGate.Waiter, Duration, String)]) {
        guard let first = retries.first ?? others.first else { return (.rest, []) }
        switch lane.admit(cost: first.ticket.cost, at: now) {
        case .go:
            if retries.isEmpty { others.removeFirst() } else { retries.removeFirst() }
            return (.start(first), [])
        case .full: return (.rest, [])
        case .later(let time):
            var told: [(RequestGate.Waiter, Duration, String)] = []
            let (opensAt, reason) = (lane.opensAt, lane.reason)
            func tell(_ waiter: inout RequestGate.Waiter) {
                guard opensAt > max(now, waiter.toldUntil) else { return }
                told.append((waiter, opensAt - max(now, waiter.toldUntil), reason))
                waiter.toldUntil = opensAt
            }
            for index in retries.indices { tell(&retries[index]) }
            for index in others.indices { tell(&others[index]) }
            if let alarmAt, alarmAt <= time { return (.rest, told) }
            alarmAt = time
            return (.alarm(after: time - now), told)
        }
    }
}
