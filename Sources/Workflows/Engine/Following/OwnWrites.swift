/// What the runs of a service wrote: changes that they made themselves start no run of the same workflow.
///
/// A change is own if the writes explain all of it. An item with an etag has the one that the service answered, and
/// nobody set a property that no run wrote. An item without one has the values that were written, and no other difference
/// from the version that the source had. A mail that was sent is known by its id, and the copy that arrives by its message
/// id, subject and sender; each counts once.
package final class OwnWrites: Sendable {
    /// A round of a source, whose changes may be own.
    package struct Round: Sendable {
        package var workflow: String
        package var source: ChangeSource
        /// When it began: all earlier writes are in its answers, or replaced by others.
        package var began: Date
        /// Writes before this time were in an earlier round.
        package var since: Date
    }

    fileprivate enum Mark: Hashable {
        case version(String), mail(String), item(ItemHash)

        /// Names of people are equal in any case.
        static func item(named id: String) -> Mark { .item(ItemHash(id.contains("@") ? id.lowercased() : id)) }
    }

    fileprivate struct Write {
        let time: Date
        /// The run, and the event's number in it.
        let event: String
        /// The properties that it set; nil for a value that is unknown.
        var values: [String: Value?] = [:]
        /// The members that it added to a group or removed.
        var members: [String: Bool] = [:]
        var etag: String?
        /// Whether the item is no longer where it was.
        var isRemoval = false
        /// The mail that was sent.
        var sent: Effect.Mail?
        /// The sources in which it was recognised or replaced, of a draft with the kind of change, and when the round began.
        var uses: [String: Date] = [:]
    }

    fileprivate struct Workflow {
        var known: [Mark: [Write]] = [:]
        /// The oldest first.
        var order: [Mark] = []
    }

    private struct State {
        var workflows: [String: Workflow] = [:]
        /// The outermost run of each inner run in progress.
        var outer: [String: (run: String, workflow: String)] = [:]
        /// The message ids of drafts that each run has made, by the tasks that send them.
        var drafts: [String: [String: String]] = [:]
        /// The requests in progress that write, by their numbers.
        var active: Set<Int> = []
        var next = 0
        var waiting: [(last: Int, resolver: Resolver<Void>)] = []
    }

    /// How many writes of a workflow are remembered.
    fileprivate static let most = 100_000
    /// How many of them are writes of one item.
    fileprivate static let mostOfItem = 1_000
    /// An answer is recorded a moment after it arrived, which waits for the disk.
    private static let recording = Duration.seconds(1)
    /// What the directory itself sets when somebody creates a person or group.
    fileprivate static let setByService = [
        "createdDateTime", "creationOptions", "mail", "proxyAddresses", "renewedDateTime", "securityIdentifier",
        "userType",
    ]

    private let state = Locked(State())
    private let clock: any PromiseClock

    package init(clock: any PromiseClock) { self.clock = clock }

    /// A transport whose writes are known while they are in progress.
    package func watching(_ transport: any HTTPTransport) -> any HTTPTransport {
        ObservedTransport(transport) { [self] request in
            guard !["GET", "HEAD"].contains(request.method) else { return nil }
            let number = state.withLock { state in
                state.next += 1
                state.active.insert(state.next)
                return state.next
            }
            return { [self] in
                after(Self.recording, clock: clock).done(on: nil) { [self] in end(number) }
            }
        }
    }

    /// Is fulfilled when the writes have ended that are in progress now.
    package var settled: Promise<Void> {
        Promise { resolver in
            let isCalm = state.withLock { state in
                guard !state.active.isEmpty else { return true }
                state.waiting.append((state.next, resolver))
                return false
            }
            if isCalm { resolver.fulfill(()) }
        }
    }

    private func end(_ number: Int) {
        let done = state.withLock { state in
            state.active.remove(number)
            let first = state.active.min() ?? .max
            let done = state.waiting.filter { $0.last < first }
            state.waiting.removeAll { $0.last < first }
            return done
        }
        for waiting in done { waiting.resolver.fulfill(()) }
    }

    /// Records what the service's runs write.
    package var recorder: Recorder { .ofProgress { [self] event in take(event) } }

    /// Takes an event of a run, as it happens or from its journal.
    package func take(_ event: Event) {
        state.withLock { state in
            let own = (run: event.run, workflow: event.workflow.qualifiedName)
            let outer = event.parent.map { state.outer[$0.run] ?? ($0.run, own.workflow) } ?? own
            switch event.kind {
            case .workflowStarted, .workflowResumed: state.outer[event.run] = outer
            case .workflowCompleted, .workflowFaulted, .workflowCancelled, .workflowSuspended:
                state.outer[event.run] = nil
                state.drafts[event.run] = nil
            case .request(let task, let request):
                let place = "\(task?.description ?? "") \(event.occurrence)"
                if case .drafted(_, let messageID?) = request.kind {
                    state.drafts[event.run, default: [:]][place] = messageID
                }
                let messageID = state.drafts[event.run]?[place]
                let first = Write(time: event.time, event: "\(event.run) \(event.number)")
                for (mark, write) in first.marks(of: request, sending: messageID) {
                    state.workflows[outer.workflow, default: Workflow()].add(write, as: mark)
                }
            default: break
            }
        }
    }

    /// Whether a run of the round's workflow made a change.
    /// - Parameter log: What the source has seen, with this round.
    package func made(_ change: ItemChange, in round: Round, knowing log: ChangeLog) -> Bool {
        state.withLock { $0.workflows[round.workflow]?.made(change, in: round, knowing: log) ?? false }
    }

    /// Ends a round: earlier writes of the items that it has listed explain no later change.
    package func end(_ round: Round, knowing log: ChangeLog) {
        state.withLock { state in
            guard state.workflows[round.workflow] != nil else { return }
            for item in log.listed { state.workflows[round.workflow]?.use(.item(item), before: round) }
        }
    }

    /// Forgets what a round recognised, which could not be written and is read again.
    package func retract(_ round: Round) {
        state.withLock { state in
            for (mark, writes) in state.workflows[round.workflow]?.known ?? [:] {
                for (index, write) in writes.enumerated() where write.uses.values.contains(round.began) {
                    state.workflows[round.workflow]?.known[mark]?[index].uses = write.uses.filter {
                        $0.value != round.began || !$0.key.hasSuffix(round.source.resource)
                    }
                }
            }
        }
    }
}

extension OwnWrites.Write {
    /// How the changes of a request are recognised.
    fileprivate func marks(
        of request: GraphEvent, sending messageID: String?
    ) -> [(OwnWrites.Mark, OwnWrites.Write)] {
        var write = self
        switch request.kind {
        case .drafted(let id, _):
            write.sent = Effect.Mail()
            return [(.item(named: id), write)]
        case .effect(let effect, .begun) where effect.kind == .mail:
            write.sent = effect.mail
            return messageID.map { [(.mail($0), write)] } ?? []
        case .effect(let effect, .done):
            for (name, value) in effect.objectChange?.properties ?? [:] { write.values[name] = value["after"] }
            // Journals of before have a move as a change.
            write.isRemoval =
                effect.kind == .delete || effect.action?.action == "move" || write.values["move"] != nil
            if effect.kind == .file { write.values["cTag"] = .some(nil) }
            if let member = effect.member?.member.string { write.members[member] = effect.member?.added == true }
            write.etag = effect.object?.etag
            let ids = Set(
                [
                    effect.objectChange?.id.string, effect.action?.id.string, effect.member?.group.string,
                    effect.object?.id,
                ].compactMap(\.self))
            return ids.map { (.item(named: $0), write) } + (write.etag.map { [(.version($0), write)] } ?? [])
        default: return []
        }
    }
}

extension OwnWrites.Workflow {
    fileprivate mutating func add(_ write: OwnWrites.Write, as mark: OwnWrites.Mark) {
        // A journal has what was recognised as it happened.
        guard !(known[mark]?.contains { $0.event == write.event } ?? false) else { return }
        known[mark, default: []].append(write)
        order.append(mark)
        if known[mark]?.count ?? 0 > OwnWrites.mostOfItem { known[mark]?.removeFirst() }
        guard order.count > 2 * OwnWrites.most else { return }
        for mark in order.prefix(OwnWrites.most) where known[mark]?.isEmpty == false { known[mark]?.removeFirst() }
        known = known.filter { !$0.value.isEmpty }
        order.removeFirst(OwnWrites.most)
    }

    /// Uses the writes before a round, and those that explained a change in it.
    fileprivate mutating func use(
        _ mark: OwnWrites.Mark, before round: OwnWrites.Round, upTo last: Date = .distantPast
    ) {
        for (index, write) in (known[mark] ?? []).enumerated() where write.time < round.began || write.time <= last {
            known[mark]?[index].uses[round.source.resource] = round.began
        }
    }

    /// Uses the first write that a test accepts.
    private mutating func use(
        _ mark: OwnWrites.Mark, as use: String, at time: Date, where isWanted: (OwnWrites.Write) -> Bool
    ) -> Bool {
        guard let index = known[mark]?.firstIndex(where: { $0.uses[use] == nil && isWanted($0) }) else { return false }
        known[mark]?[index].uses[use] = time
        return true
    }

    fileprivate mutating func made(
        _ change: ItemChange, in round: OwnWrites.Round, knowing log: ChangeLog
    ) -> Bool {
        let source = round.source.resource
        let marks = [change.id, change.userPrincipalName].compactMap { $0.map(OwnWrites.Mark.item(named:)) }
        if change.kind != .updated || change.isDraft,
            use(marks[0], as: "\(change.kind) \(source)", at: round.began, where: { $0.sent != nil })
        {
            // Only a person removes it from where it was sent.
            if change.kind == .created, !change.isDraft {
                _ = use(marks[0], as: "deleted \(source)", at: round.began, where: { $0.sent != nil })
            }
            return true
        }
        if let mail = change.mail, let id = change.internetMessageID,
            use(.mail(id), as: source, at: round.began, where: { $0.sent.map(mail.isCopy) ?? false })
        {
            return true
        }
        let all: [OwnWrites.Write] = marks.flatMap { known[$0] ?? [] }
        let open = all.filter { $0.sent == nil && $0.uses[source] == nil && $0.time >= round.since }
        let writes = open.sorted { $0.time < $1.time }
        var last: OwnWrites.Write?
        if let etag = change.etag {
            // The answer can have another form of the id, of which nothing else is known.
            let isExplained = writes.isEmpty || change.isExplained(by: writes, knowing: log)
            last = isExplained ? known[.version(etag)]?.last : nil
        } else {
            // Later ones may be in the answers.
            let certain = max(1, writes.prefix { $0.time < round.began }.count)
            let count = (certain...max(certain, writes.count)).first { count in
                change.isExplained(by: writes.prefix(count), knowing: log)
            }
            last = count.flatMap { writes.prefix($0).last }
        }
        for mark in marks { use(mark, before: round, upTo: last?.time ?? .distantPast) }
        return last != nil
    }
}

extension ItemChange {
    /// Whether writes made all of a change, in their order.
    fileprivate func isExplained(by writes: some Collection<OwnWrites.Write>, knowing log: ChangeLog) -> Bool {
        guard kind != .deleted else { return Array(writes).last?.isRemoval ?? false }
        guard let version = log.newVersion(of: id) else { return false }
        let former = log.version(of: id)
        // An etag says who wrote last, and the service has its own forms of values.
        guard former != nil || etag == nil else { return true }
        var values: [String: Value?] = [:]
        var written: [String: Bool] = [:]
        for write in writes {
            for (name, value) in write.values { values[name] = .some(etag == nil ? value : nil) }
            for (member, isAdded) in write.members { written["\(id) \(member)"] = isAdded }
        }
        let outcome = version.outcome(of: former, with: values, ignoring: OwnWrites.setByService)
        guard outcome.isExact, etag != nil || outcome.hasChanged || !members.isEmpty else { return false }
        return members.allSatisfy { written[$0] != nil }
            && written.allSatisfy { member, isAdded in (log.newVersion(of: member) != nil) == isAdded }
    }
}
