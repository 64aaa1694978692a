/// The workflows that a service runs, on their schedules and for the events that it accepts.
package final class Service: Sendable {
    private struct Served {
        var workflow: Workflow
        /// The name in the queue, in the inbox and in the records of its schedule.
        var name: String
        var feed: EventFeed?
        /// Ends when the schedule has no more times; cancelling it stops the schedule.
        var times: Promise<Void>?
    }

    private struct State {
        /// In the order of the files.
        var served: [Served] = []
        /// How many runs of a schedule wait for their turn.
        var waiting: [String: Int] = [:]
        var isStopped = false
    }

    private let files: [String]
    private let timeZone: @Sendable (Workflow) -> SystemTimeZone
    private let catchUp: CatchUp
    private let notify: @Sendable (RunNotice) -> Void
    private let runs: ServedRuns
    private let queue: RunQueue
    private let inbox: Inbox?
    private let followed: FollowedTimes
    private let onEnd: @Sendable (Result<Value, any Error>, Workflow) -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - home: Where it is kept up to when each schedule was followed.
    ///   - onEnd: Is called with the result of each run.
    package init(
        _ files: [String], in timeZone: @escaping @Sendable (Workflow) -> SystemTimeZone, catchUp: CatchUp,
        by runs: ServedRuns, in queue: RunQueue, with inbox: Inbox?, home: URL,
        notify: @escaping @Sendable (RunNotice) -> Void,
        onEnd: @escaping @Sendable (Result<Value, any Error>, Workflow) -> Void
    ) {
        (self.files, self.timeZone, self.catchUp, self.notify) = (files, timeZone, catchUp, notify)
        (self.runs, self.queue, self.inbox, self.onEnd) = (runs, queue, inbox, onEnd)
        followed = FollowedTimes(home: home)
    }

    package var workflows: [Workflow] { state.withLock { $0.served.map(\.workflow) } }

    /// The feed of the events of a workflow; nil if events do not start its runs.
    func feed(named name: String) -> EventFeed? {
        state.withLock { state in state.served.first { $0.name == name }?.feed }
    }

    /// The workflow of a file; nil if it is not served.
    func workflow(ofFile path: String?) -> (workflow: Workflow, name: String)? {
        state.withLock { state in
            state.served.first { $0.workflow.path == path }.map { ($0.workflow, $0.name) }
        }
    }

    /// - Parameter onOver: Is called when no workflow will run again.
    package func start(_ workflows: [Workflow], onOver: @escaping @Sendable () -> Void) throws {
        let names = Self.names(of: workflows)
        try inbox?.serve(zip(workflows, names).filter { $0.0.isStartedByEvents }.map(\.1))
        let served = zip(workflows, names).map { serve($0, named: $1) }
        state.withLock { $0.served = served }
        when(resolved: served.compactMap(\.times)).done { [self] _ in
            // A file that was read again has another schedule.
            if state.withLock({ $0.served.allSatisfy { $0.times?.isFulfilled == true } }) { onOver() }
        }
    }

    /// Takes the events of the inbox from now on.
    package func takeEvents() {
        inbox?.onArrival { [weak self] in self?.look() }
        look()
    }

    /// Reads the files again; an invalid file keeps the workflow that is served.
    package func reload(_ check: (_ file: String) throws -> Workflow) {
        var workflows = state.withLock { $0.served.map(\.workflow) }
        for (index, file) in files.enumerated() {
            do {
                let workflow = try check(file)
                guard inbox != nil || !workflow.isStartedByEvents else {
                    notify(.needsStart(file: file, to: .receiveEvents))
                    continue
                }
                guard workflow.changes.isEmpty || workflows.contains(where: { !$0.changes.isEmpty }) else {
                    notify(.needsStart(file: file, to: .followChanges))
                    continue
                }
                guard workflow.document.text != workflows[index].document.text else { continue }
                workflows[index] = workflow
                notify(.readAnew(file: file))
            } catch {
                notify(.notRead(file: file, why: error))
            }
        }
        let names = Self.names(of: workflows)
        do {
            try inbox?.serve(zip(workflows, names).filter { $0.0.isStartedByEvents }.map(\.1))
        } catch {
            return notify(.failed(error))
        }
        for (index, (workflow, name)) in zip(workflows, names).enumerated() {
            let former = state.withLock { $0.isStopped ? nil : $0.served[index] }
            guard let former, former.name != name || former.workflow.document.text != workflow.document.text else {
                continue
            }
            if let feed = former.feed, former.name == name, workflow.isStartedByEvents {
                feed.replace(with: workflow)
                state.withLock { $0.served[index].workflow = workflow }
                continue
            }
            former.feed?.stop()
            former.times?.cancel()
            let next = serve(workflow, named: name)
            state.withLock { $0.served[index] = next }
        }
        look()
    }

    package func stop() {
        let served = state.withLock { state in
            state.isStopped = true
            return state.served
        }
        queue.close()
        for workflow in served {
            workflow.feed?.stop()
            workflow.times?.cancel()
        }
    }

    private func look() { for feed in state.withLock({ $0.served.compactMap(\.feed) }) { feed.look() } }

    /// The names of workflows; several versions of one are distinguished by their files.
    private static func names(of workflows: [Workflow]) -> [String] {
        let names = workflows.map(\.metadata.qualifiedName)
        return zip(workflows, names).map { workflow, name in
            names.count { $0 == name } == 1 ? name : "\(name) \(workflow.path ?? "")"
        }
    }

    private func serve(_ workflow: Workflow, named name: String) -> Served {
        let end: @Sendable (Result<Value, any Error>) -> Void = { [onEnd] in onEnd($0, workflow) }
        if let inbox {
            let feed = EventFeed(
                workflow, named: name, from: inbox, by: runs, in: queue,
                onTrouble: { [notify] in notify(.nextWaits(workflow: name, why: $0)) }, onEnd: end)
            if let feed { return Served(workflow: workflow, name: name, feed: feed) }
        }
        let isTimed = if case .cron? = workflow.schedule { true } else { false }
        let last = isTimed ? followed.last(of: name) : nil
        if isTimed, last == nil { record(runs.now(), of: name) }
        let scheduler = Scheduler(
            workflow, by: runs.runner, in: timeZone(workflow), since: last, catchUp: catchUp
        ) {
            [weak self] time, input in
            self?.start(workflow, named: name, at: time, input, end) ?? .value(())
        }
        return Served(workflow: workflow, name: name, times: scheduler?.run())
    }

    private func start(
        _ workflow: Workflow, named name: String, at time: Date?, _ input: Value,
        _ end: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Promise<Void> {
        let most = time == nil ? 1 : CatchUp.most
        let isCrowded = state.withLock { state in
            guard state.waiting[name, default: 0] < most else { return true }
            state.waiting[name, default: 0] += 1
            return false
        }
        guard !isCrowded else {
            notify(.skipped(workflow: name))
            return .value(())
        }
        return Promise { resolver in
            queue.add(name) { [self] in
                state.withLock { $0.waiting[name, default: 1] -= 1 }
                let run = begin(workflow, named: name, at: time, input, end)
                run.finally { _ in resolver.fulfill(()) }
                return run
            }
        }
    }

    private func begin(
        _ workflow: Workflow, named name: String, at time: Date?, _ input: Value,
        _ end: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Promise<Void> {
        do {
            let suffix = time.map { ULID.suffix(of: "\(name) \($0.iso8601)") }
            let run = try runs.begin(workflow, input: input, suffix: suffix ?? ServedRuns.randomSuffix()) { _ in
                if let time { record(time, of: name) }
            }
            guard let run else { return .value(()) }
            return run.reporting(to: end)
        } catch {
            end(.failure(error))
            return .value(())
        }
    }

    private func record(_ time: Date, of name: String) {
        do { try followed.record(time, of: name) } catch {
            notify(.notRecorded(workflow: name, why: error))
        }
    }
}

extension Workflow {
    fileprivate var path: String? { file?.path(percentEncoded: false) }

    package var isStartedByEvents: Bool { if case .on? = schedule { true } else { false } }
}
