/// The sources of changes that a service follows, each with what it has seen on disk.
final class FollowedChanges: Sendable {
    private struct Followed {
        let workflow: String
        let feed: ChangeFeed
        var isStopped = false

        func follows(_ source: ChangeSource, for name: String) -> Bool { workflow == name && feed.source == source }
    }

    /// In seconds: clocks of disks differ.
    private static let overlap = 60.0

    private let graph: GraphClient
    private let own: OwnWrites
    /// What the cursors depend on: another account has other items.
    private let account: String
    private let receive: EventServer.Receiving
    /// Whether an in-process sandbox answers, which has forgotten everything of its former life.
    private let isSandboxed: Bool
    private let now: @Sendable () -> Date
    private let console: Console
    private let followed = Locked<[Followed]>([])
    private let hook = Locked<ChangeHook?>(nil)
    /// Since when the writes of earlier services are known.
    private let remembered = Locked(Date.distantFuture)
    /// How long the removal of subscriptions may take.
    private static let lastWait = Duration.seconds(2)

    init(
        over runner: Runner, own: OwnWrites, receive: @escaping EventServer.Receiving, at address: URL?,
        isSandboxed: Bool, now: @escaping @Sendable () -> Date, _ console: Console
    ) {
        (graph, self.own, self.receive, self.isSandboxed) = (runner.graph, own, receive, isSandboxed)
        (account, self.now, self.console) = (runner.perspective.account ?? "", now, console)
        guard let address else { return }
        let hook = ChangeHook(at: address, over: graph, now: now) { [weak self] resource in
            self?.ring(resource)
        } report: { report in
            switch report {
            case .subscribed(let resource, let end):
                console.complain("changes of \(PlainText.line(resource, limit: 200)): subscribed until \(end.iso8601)")
            case .failed(let resource, let error, let pause):
                console.complain(
                    "warning: changes of \(PlainText.line(resource, limit: 200)): no subscription, tried again in "
                        + "\(pause.text); they are read at their interval: \(PlainText.line("\(error)", limit: 500))")
            }
        }
        self.hook.withLock { $0 = hook }
    }

    /// Answers a request at the hook's path; nil for any other.
    func answer(_ request: HTTPRequest) -> HTTPResponse? {
        guard let hook = hook.withLock({ $0 }), request.url.path() == hook.path else { return nil }
        return hook.answer(request)
    }

    /// Follows the sources of these workflows, and no others; those that have stopped begin again.
    func follow(_ workflows: [Workflow]) {
        let wanted = workflows.flatMap { workflow in workflow.changes.map { (workflow.metadata.qualifiedName, $0) } }
        let former = followed.withLock { followed in
            let isKept = { (feed: Followed) in !feed.isStopped && wanted.contains { feed.follows($0.1, for: $0.0) } }
            defer { followed.removeAll { !isKept($0) } }
            return followed.filter { !isKept($0) }
        }
        for feed in former { feed.feed.stop() }
        for (name, source) in wanted where !followed.withLock({ $0.contains { $0.follows(source, for: name) } }) {
            follow(source, for: name)
        }
        hook.withLock { $0 }?.follow(wanted.map(\.1))
    }

    func stop() async {
        for feed in followed.withLock({ $0 }) { feed.feed.stop() }
        guard let hook = hook.withLock({ $0 }) else { return }
        _ = try? await race(hook.stop(), after(Self.lastWait, clock: graph.clock).asPromise()).value
    }

    /// Reads the sources of a resource soon.
    private func ring(_ resource: String) {
        for feed in followed.withLock({ $0 }) where feed.feed.source.resource == resource { feed.feed.ring() }
    }

    private func follow(_ source: ChangeSource, for workflow: String) {
        let words = "\(source.resource) for '\(workflow)'"
        do {
            let folder = try Self.folder(of: source, for: workflow, graph, account: account, console)
            if isSandboxed { try? FileManager.default.removeItem(atPath: folder.path) }
            let log = try ChangeLog(in: folder, of: words, at: now())
            if let time = log.writtenAt { remember(since: time) }
            let feed = ChangeFeed(
                source, for: workflow, from: log, over: graph, own: own, now: now,
                accept: { [receive] events in try receive(events) }
            ) { [weak self] report in self?.tell(report, of: source, for: workflow) }
            followed.withLock { $0.append(Followed(workflow: workflow, feed: feed)) }
            feed.start()
        } catch {
            console.complain(
                "warning: the changes of \(words) are not followed: \(PlainText.line("\(error)", limit: 500))")
        }
    }

    /// Recognises what runs wrote that an earlier service performed after a time.
    private func remember(since time: Date) {
        let isKnown = remembered.withLock { remembered in
            defer { remembered = min(remembered, time) }
            return remembered <= time
        }
        guard !isSandboxed, !isKnown else { return }
        let runs = RunsFolder.standard(environment: console.environment)
        for name in (try? runs.names(writtenSince: time.addingTimeInterval(-Self.overlap))) ?? [] {
            // A run that cannot be read does not continue either.
            for event in (try? Journal.read(name, in: runs))?.events ?? [] {
                own.take(event, recognisedUntil: time)
            }
        }
    }

    private func tell(_ report: ChangeFeed.Report, of source: ChangeSource, for workflow: String) {
        let what = "changes of \(PlainText.line(source.resource, limit: 200))"
        switch report {
        case .first(let count): console.complain("\(what): followed from now on; there are \(count) items")
        case .changes(let count): console.complain("\(what): \(count)")
        case .compared(let count):
            console.complain("\(what): the cursor had expired; all items were read and compared, \(count) had changed")
        case .waiting(let time, let error):
            console.complain(
                "warning: \(what): asked again in \(time.text): \(PlainText.line("\(error)", limit: 500))")
        case .recovered: console.complain("\(what): read again")
        case .stopped(let reason):
            followed.withLock { followed in
                for index in followed.indices where followed[index].follows(source, for: workflow) {
                    followed[index].isStopped = true
                }
            }
            console.complain(
                "warning: \(what) are no longer followed: \(PlainText.line(reason, limit: 500)); SIGHUP or a new start "
                    + "follows them again")
        }
    }

    /// Where it is kept what a source has seen.
    static func folder(
        of source: ChangeSource, for workflow: String, _ graph: GraphClient, account: String, _ console: Console
    ) throws -> PrivateFolder {
        let identity: Value = [
            .string(workflow), .string(source.resource), .array(source.select.sorted().map(Value.string)),
            .string(try graph.baseURL.absoluteString), .string(account.lowercased()),
        ]
        let folder = GraphflowHome.folder(console.environment).appendingPathComponent("changes", isDirectory: true)
            .appendingPathComponent(String(SHA256.hex(of: Data(identity.canonicalJSON)).prefix(32)), isDirectory: false)
        return PrivateFolder(path: folder.path(percentEncoded: false))
    }
}
