/// Follows a source of changes round after round, and passes its changes on as events.
///
/// The cursor and the events of a round are on disk before anything else happens with them. Events are passed on until
/// they are accepted, and only then the next round begins.
package final class ChangeFeed: Sendable {
    /// What a person should know.
    package enum Report: Sendable {
        /// The first round has seen this many items.
        case first(Int)
        case changes(Int)
        /// All items were read, because the cursor had expired.
        case compared(Int)
        case waiting(Duration, any Error)
        case recovered
        case stopped(String)
    }

    private struct State {
        var follower: ChangeFollower
        var log: ChangeLog
        /// Identifies the last wait: only its end continues.
        var wait = 0
        var isWaiting = false
        /// What continues after the wait.
        var next: @Sendable (ChangeFeed) -> Void = { _ in }
        var isRung = false
        var isEnded = false
        var roundBegan: Duration?
        /// When this round began and, less ``delay``, the one before.
        var beganAt: Date
        var formerlyBegan: Date
        var pause: Promise<Void>?
    }

    /// The shortest time between two rounds that subscriptions ask for: a forged notification costs one request.
    private static let shortest = Duration.seconds(5)
    /// How old a cursor may get on disk while nothing changes; those of the directory expire after 7 days.
    private static let oldest = 6.0 * 3_600
    private static let untilNextTry = Duration.seconds(5)
    private static let longestWrite = Duration.seconds(120)
    /// How late the directory may tell of a change, in seconds.
    private static let delay = 120.0

    package let source: ChangeSource
    private let workflow: String
    private let graph: GraphClient
    private let own: OwnWrites
    private let now: @Sendable () -> Date
    private let accept: @Sendable ([CloudEvent]) throws -> Void
    private let report: @Sendable (Report) -> Void
    private let state: Locked<State>

    /// - Parameters:
    ///   - source: The source.
    ///   - workflow: The name of the workflow that its events are for.
    ///   - accept: Keeps events, all or none; it has them on disk when it returns.
    package init(
        _ source: ChangeSource, for workflow: String, from log: ChangeLog, over graph: GraphClient, own: OwnWrites,
        now: @escaping @Sendable () -> Date, accept: @escaping @Sendable ([CloudEvent]) throws -> Void,
        report: @escaping @Sendable (Report) -> Void
    ) {
        (self.source, self.workflow, self.graph, self.own) = (source, workflow, graph, own)
        (self.now, self.accept, self.report) = (now, accept, report)
        let begin = log.writtenAt ?? now()
        state = Locked(
            State(
                follower: ChangeFollower(source, from: log.cursor), log: log, beganAt: begin, formerlyBegan: begin))
    }

    package func start() { later { $0.deliver() } }

    /// Begins a round soon, because something may have changed.
    package func ring() {
        let (wait, began) = state.withLock { state in
            state.isRung = true
            return (state.isWaiting && !state.isEnded ? state.wait : nil, state.roundBegan)
        }
        guard let wait else { return }
        let rest = began.map { Self.shortest - (graph.clock.now - $0) } ?? .zero
        after(max(.zero, rest), clock: graph.clock).done { [weak self] in self?.resume(wait) }
    }

    package func stop() {
        let pause = state.withLock { state in
            guard !state.isEnded else { return Promise<Void>?.none }
            state.isEnded = true
            state.log.close()
            return state.pause
        }
        pause?.cancel()
    }

    /// Changes the state, unless the source is no longer followed: another feed may then write its log.
    private func whileFollowed<Result>(_ body: (inout State) throws -> Result) throws -> Result {
        try state.withLock { state in
            guard !state.isEnded else { throw GraphError(.cancelled, message: "The source is no longer followed.") }
            return try body(&state)
        }
    }

    private func later(_ body: @escaping @Sendable (ChangeFeed) -> Void) {
        DispatchQueue.global().async { [self] in
            if state.withLock({ !$0.isEnded }) { body(self) }
        }
    }

    /// Passes on what the last round found, then continues.
    private func deliver(then next: @escaping @Sendable (ChangeFeed) -> Void = { $0.begin() }) {
        do {
            if let events = try whileFollowed({ $0.log.undelivered }) {
                // What was accepted before an error is accepted again, and recognised.
                try events.forEachPart { part in
                    try whileFollowed { _ in }
                    try accept(part)
                }
                try whileFollowed { state in try state.log.delivered() }
            }
        } catch {
            guard state.withLock({ !$0.isEnded }) else { return }
            report(.waiting(Self.untilNextTry, error))
            return wait(Self.untilNextTry) { $0.deliver(then: next) }
        }
        next(self)
    }

    private func begin() {
        perform(
            state.withLock { state in
                (state.isRung, state.roundBegan, state.beganAt) = (false, graph.clock.now, now())
                return state.follower.begin()
            })
    }

    private func perform(_ action: ChangeFollower.Action) {
        switch action {
        case .ask(let address): ask(address)
        case .compare: forget { $0.ask(nil) }
        case .pause(let time, let error):
            report(.waiting(time, error))
            wait(time) { feed in
                let (next, isAnew) = feed.state.withLock { ($0.follower.resumption, $0.follower.isAnew) }
                if isAnew { feed.forget { $0.perform(next) } } else { feed.perform(next) }
            }
        case .stop(let reason): end(reason.words(for: source))
        case .commit(let round): settle(round)
        }
    }

    /// Forgets what was written of the round.
    private func forget(then next: (ChangeFeed) -> Void) {
        do { try whileFollowed { state in try state.log.abandon() } } catch {
            return fail(error)
        }
        next(self)
    }

    private func ask(_ address: String?) {
        graph.changes(of: source, at: address).finally { [weak self] result in
            self?.later { $0.take(result) }
        }
    }

    private func take(_ result: Result<Value, any Error>) {
        do {
            switch result {
            case .failure(let error):
                guard let error = GraphError(error) else { throw error }
                perform(state.withLock { $0.follower.take(error) })
            case .success(let page):
                let time = now()
                let (action, isRecovered) = try whileFollowed { state in
                    let wasWell = state.follower.isWell
                    let (found, action) = try state.follower.take(page, knowing: state.log)
                    let events = found.changes.compactMap { number, change in
                        change.event(state.log.eventID(number), of: source, for: workflow, at: time)
                    }
                    try state.log.note(found.items, events)
                    return (action, !wasWell && state.follower.isWell)
                }
                if isRecovered { report(.recovered) }
                perform(action)
            }
        } catch {
            fail(error)
        }
    }

    /// Waits for what runs are writing, then writes the round.
    private func settle(_ round: ChangeFollower.Round) {
        guard round.changes.contains(where: { $0 != nil }) else { return commit(round) }
        race(own.settled, after(Self.longestWrite, clock: graph.clock).asPromise()).finally { [weak self] _ in
            self?.later { $0.commit(round) }
        }
    }

    private func commit(_ round: ChangeFollower.Round) {
        let count: Int
        let ours = state.withLock { state in
            OwnWrites.Round(workflow: workflow, source: source, began: state.beganAt, since: state.formerlyBegan)
        }
        do {
            let time = now()
            count = try whileFollowed { state in
                try state.log.note(round.removed.map { ($0, nil) })
                let leftOut = round.changes.indices.filter { index in
                    round.changes[index].map { own.made($0, in: ours, knowing: state.log) } ?? true
                }
                own.end(ours, knowing: state.log)
                let isOld = state.log.writtenAt.map { time.timeIntervalSince($0) > Self.oldest } ?? true
                if state.log.hasOpenItems || isOld {
                    try state.log.commit(leavingOut: leftOut, cursor: round.cursor, at: ours.began)
                }
                state.follower.committed(round)
                state.formerlyBegan = ours.began.addingTimeInterval(-Self.delay)
                return round.changes.count - leftOut.count
            }
            if let count = round.firstCount { report(.first(count)) }
            if round.isComparison {
                report(.compared(count))
            } else if count > 0 {
                report(.changes(count))
            }
        } catch {
            own.retract(ours)
            return fail(error)
        }
        deliver { $0.waitForNextRound() }
    }

    private func waitForNextRound() {
        let (began, isRung) = state.withLock { ($0.roundBegan ?? graph.clock.now, $0.isRung) }
        let interval = isRung ? min(Self.shortest, source.every) : source.every
        wait(max(.zero, interval - (graph.clock.now - began))) { $0.begin() }
    }

    private func wait(_ time: Duration, then next: @escaping @Sendable (ChangeFeed) -> Void) {
        let number = state.withLock { state in
            state.wait += 1
            (state.isWaiting, state.next) = (true, next)
            return state.wait
        }
        let pause = graph.clock.pause(for: time)
        state.withLock { $0.pause = pause }
        pause.done(on: nil) { [weak self] in self?.resume(number) }.catch { _ in }
    }

    private func resume(_ wait: Int) {
        let next = state.withLock { state -> (@Sendable (ChangeFeed) -> Void)? in
            guard state.isWaiting, state.wait == wait, !state.isEnded else { return nil }
            state.isWaiting = false
            return state.next
        }
        if let next { later(next) }
    }

    /// The log cannot be written: what is on disk is whole, so the round begins again, when the disk has room.
    private func fail(_ error: any Error) {
        guard !error.isCancelled else { return }
        do {
            guard (error as? JournalError)?.code == .failed else { throw error }
            try state.withLock { state throws(JournalError) in try state.log.abandon() }
        } catch {
            return end("\(error)")
        }
        report(.waiting(Self.untilNextTry, error))
        wait(Self.untilNextTry) { $0.deliver() }
    }

    private func end(_ reason: String) {
        let isFirst = state.withLock { state in
            guard !state.isEnded else { return false }
            state.isEnded = true
            state.log.close()
            return true
        }
        if isFirst { report(.stopped(reason)) }
    }
}
