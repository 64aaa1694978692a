/// The sources of changes that a service follows, each with what it has seen on disk.
package final class FollowedChanges: Sendable {
    private struct Followed {
        let id = UUID()
        let workflow: String
        let source: ChangeSource
        /// Nil while another process follows the source.
        var feed: ChangeFeed?
        var isStopped = false

        func follows(_ source: ChangeSource, for name: String) -> Bool { workflow == name && self.source == source }
    }

    /// In seconds: clocks of disks differ.
    private static let overlap = 60.0

    private let graph: GraphClient
    private let own: OwnWrites
    private let inbox: Inbox
    /// What the cursors depend on: another account has other items.
    private let account: String
    private let receive: EventServer.Receiving
    /// Whether an in-process sandbox answers, which has forgotten everything of its former life.
    private let isSandboxed: Bool
    private let now: @Sendable () -> Date
    private let home: URL
    private let runs: RunsFolder?
    private let notify: @Sendable (RunNotice) -> Void
    private let followed = Locked<[Followed]>([])
    private let hook = Locked<ChangeHook?>(nil)
    /// Since when the writes of earlier services are known.
    private let remembered = Locked(Date.distantFuture)
    /// How often it is tried to follow what another process follows.
    private static let untilNextTry = Duration.seconds(15)
    /// How long the removal of subscriptions may take.
    private static let lastWait = Duration.seconds(2)

    /// - Parameters:
    ///   - address: Where Microsoft Graph rings; nil without subscriptions.
    ///   - home: Where it is kept what each source has seen.
    package init(
        over runner: Runner, own: OwnWrites, into inbox: Inbox, receive: @escaping EventServer.Receiving,
        at address: URL?, home: URL, notify: @escaping @Sendable (RunNotice) -> Void
    ) {
        (graph, self.own, self.receive, isSandboxed) = (runner.graph, own, receive, runner.isSandboxed)
        (self.inbox, self.home, runs, self.notify) = (inbox, home, runner.journals, notify)
        (account, now) = (runner.perspective.account ?? "", runner.now)
        guard let address else { return }
        let hook = ChangeHook(at: address, over: graph, now: now) { [weak self] resource in
            self?.ring(resource)
        } report: {
            notify(.subscription($0))
        }
        self.hook.withLock { $0 = hook }
    }

    /// Answers a request at the hook's path; nil for any other.
    package func answer(_ request: HTTPRequest) -> HTTPResponse? {
        guard let hook = hook.withLock({ $0 }), request.url.path() == hook.path else { return nil }
        return hook.answer(request)
    }

    /// Follows the sources of these workflows, and no others; those that have stopped begin again.
    package func follow(_ workflows: [Workflow]) {
        let wanted = workflows.flatMap { workflow in workflow.changes.map { (workflow.metadata.qualifiedName, $0) } }
        let former = followed.withLock { followed in
            let isKept = { (feed: Followed) in !feed.isStopped && wanted.contains { feed.follows($0.1, for: $0.0) } }
            defer { followed.removeAll { !isKept($0) } }
            return followed.filter { !isKept($0) }
        }
        for feed in former { feed.feed?.stop() }
        for (name, source) in wanted where !followed.withLock({ $0.contains { $0.follows(source, for: name) } }) {
            let new = Followed(workflow: name, source: source)
            followed.withLock { $0.append(new) }
            open(new)
        }
        hook.withLock { $0 }?.follow(wanted.map(\.1))
    }

    package func stop() async {
        let former = followed.withLock { followed in
            defer { followed = [] }
            return followed
        }
        for feed in former { feed.feed?.stop() }
        guard let hook = hook.withLock({ $0 }) else { return }
        _ = try? await race(hook.stop(), after(Self.lastWait, clock: graph.clock).asPromise()).value
    }

    /// Reads the sources of a resource soon.
    private func ring(_ resource: String) {
        for feed in followed.withLock({ $0 }) where feed.source.resource == resource { feed.feed?.ring() }
    }

    /// Opens what the source has seen, again and again while another process follows it.
    private func open(_ new: Followed, isAgain: Bool = false) {
        let (source, workflow) = (new.source, new.workflow)
        let words = "\(source.resource) for '\(workflow)'"
        do {
            let folder = try Self.folder(of: source, for: workflow, graph, account: account, in: home)
            if isSandboxed { try? FileManager.default.removeItem(atPath: folder.path) }
            var log = try ChangeLog(in: folder, of: words, at: now(), patience: isAgain ? 0 : 1)
            do {
                // The other service has performed runs since the last look.
                if let time = log.writtenAt { remember(since: time, isAnew: isAgain) }
                let others = log.undelivered == nil ? [] : try inbox.othersKeys()
                let feed = ChangeFeed(
                    source, for: workflow, from: log, over: graph, own: own, now: now,
                    accept: { [receive] events in try receive(events.filter { !others.contains(EventKey($0)) }) }
                ) { [weak self] report in self?.tell(report, of: source, for: workflow) }
                let isWanted = followed.withLock { followed in
                    guard let index = followed.firstIndex(where: { $0.id == new.id }) else { return false }
                    followed[index].feed = feed
                    return true
                }
                guard isWanted else { return feed.stop() }
                if isAgain { notify(.followedHere(words)) }
                feed.start()
            } catch {
                log.close()
                throw error
            }
        } catch {
            if !isAgain { notify(.notFollowed(words, why: error)) }
            after(Self.untilNextTry, clock: graph.clock).done { [weak self] in
                DispatchQueue.global().async {
                    guard let self, self.followed.withLock({ $0.contains { $0.id == new.id } }) else { return }
                    self.open(new, isAgain: true)
                }
            }
        }
    }

    /// Recognises what runs wrote that an earlier service performed after a time.
    private func remember(since time: Date, isAnew: Bool) {
        let isKnown = remembered.withLock { remembered in
            defer { remembered = min(remembered, time) }
            return remembered <= time && !isAnew
        }
        guard !isSandboxed, !isKnown, let runs else { return }
        for name in (try? runs.names(writtenSince: time.addingTimeInterval(-Self.overlap))) ?? [] {
            // A run that cannot be read does not continue either.
            for event in (try? Journal.read(name, in: runs))?.events ?? [] { own.take(event) }
        }
    }

    private func tell(_ report: ChangeFeed.Report, of source: ChangeSource, for workflow: String) {
        if case .stopped = report {
            followed.withLock { followed in
                for index in followed.indices where followed[index].follows(source, for: workflow) {
                    followed[index].isStopped = true
                }
            }
        }
        notify(.changes(of: source.resource, report))
    }

    /// Where it is kept what a source has seen.
    package static func folder(
        of source: ChangeSource, for workflow: String, _ graph: GraphClient, account: String, in home: URL
    ) throws -> PrivateFolder {
        let identity: Value = [
            .string(workflow), .string(source.resource), .array(source.select.sorted().map(Value.string)),
            .string(try graph.baseURL.absoluteString), .string(account.lowercased()),
        ]
        let folder = home.appendingPathComponent("changes", isDirectory: true)
            .appendingPathComponent(String(SHA256.hex(of: Data(identity.canonicalJSON)).prefix(32)), isDirectory: false)
        return PrivateFolder(path: folder.path(percentEncoded: false))
    }
}
