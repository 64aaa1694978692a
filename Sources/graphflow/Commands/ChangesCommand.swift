/// `graphflow changes`: shows what the sources of a workflow would report now.
struct ChangesCommand: Command {
    static let name = "changes"
    static let summary = "Show what the sources of changes of a workflow would report now."
    static let examples = [
        "changes workflows/welcome-new-people.yaml",
        "changes workflows/welcome-new-people.yaml --since all --sandbox",
    ]
    static let discussion = """
        Reads each source in 'document.metadata.changes' from where 'graphflow serve' was, and prints one CloudEvent a
        line. Nothing is started or remembered: the service will find the same changes. A source that was never followed
        has no changes yet; '--since' then shows what it has.

        A source has 'resource' and, if needed, 'kinds' (created, updated, deleted), 'every' (PT1M), 'since' (now, all,
        or a time), 'select' (properties) and 'maximum' (changes a round; more stop the source).
        Resources are /me/mailFolders/inbox/messages, /me/drive/root, /me/calendarView?startDateTime=…&endDateTime=…,
        the same of /users/NAME, and /users and /groups. 'graphflow help when-something-changes' explains them.
        """

    @Operand("FILE", "a workflow file", hint: "graphflow changes workflows/welcome-new-people.yaml") private var file:
        String
    @Option(
        "since", "now|all|TIME",
        "Read each source from its beginning: all items, or those that arrived or\nchanged at a time or later, such as "
            + "2026-01-31T12:00:00Z.", as: Conversion(beginning))
    private var since: ChangeSource.Beginning?
    @Flag("skip", "Leave out the changes so far: the service begins after them.") private var isSkipping
    private let sandbox = SandboxOption()

    func validate() throws(UsageError) {
        guard !isSkipping || since == nil && sandbox.sandbox == nil else {
            throw UsageError(
                "'--skip' is for the changes that a service would find", hint: "leave the other options out")
        }
    }

    func run(on console: Console) async throws -> ExitStatus {
        let (checked, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
        guard let workflow = checked else { throw InvalidWorkflow(diagnostics: findings) }
        console.report(findings)
        guard !workflow.changes.isEmpty else {
            throw UsageError(
                "\(file) follows no changes",
                hint: "its sources belong in 'document.metadata.changes': graphflow help changes")
        }
        if case .time? = since, let source = workflow.changes.first(where: { $0.item == .user || $0.item == .group }) {
            throw UsageError(
                "\(source.item.rawValue)s do not say when they changed, so '--since' cannot be a time",
                hint: "write '--since now' or '--since all'")
        }
        let graph = try await GraphClient.forRunning([workflow], in: sandbox.sandbox, console)
        let account = EffectPerspective(console, in: sandbox.sandbox).account ?? ""
        let (name, home) = (workflow.metadata.qualifiedName, GraphflowHome.folder(console.environment))
        for source in workflow.changes {
            let folder = try FollowedChanges.folder(of: source, for: name, graph, account: account, in: home)
            let words = "\(source.resource) for '\(name)'"
            var log = isSkipping ? try ChangeLog(in: folder, of: words, at: Date()) : try ChangeLog(reading: folder)
            defer { log.close() }
            var wanted = source
            wanted.since = since ?? source.since
            wanted.maximum = nil
            if since == nil, log.cursor == nil, !isSkipping {
                console.complain(
                    "\(source.resource): never followed, so nothing has changed; '--since all' shows all items")
                continue
            }
            var follower = ChangeFollower(wanted, from: since == nil ? log.cursor : nil)
            let (round, changes) = try await round(&follower, &log, graph)
            if isSkipping {
                try log.note(round.removed.map { ($0, nil) })
                try log.commit(cursor: round.cursor, at: Date())
                try log.delivered()
                console.complain("\(source.resource): changes left out: \(changes.count)")
                continue
            }
            if changes.isEmpty { console.complain("\(source.resource): nothing has changed") }
            for (number, change) in changes {
                let event = change.event(log.eventID(number), of: source, for: nil, at: Date())
                if let event { console.print(event.envelope.json()) }
            }
        }
        return .success
    }

    private func round(
        _ follower: inout ChangeFollower, _ log: inout ChangeLog, _ graph: GraphClient
    ) async throws -> (ChangeFollower.Round, changes: [(number: Int, change: ItemChange)]) {
        var action = follower.begin()
        var changes: [(number: Int, change: ItemChange)] = []
        while true {
            switch action {
            case .ask(let address):
                do {
                    let page = try await graph.changes(of: follower.source, at: address).value
                    let found: ChangeFollower.Found
                    (found, action) = try follower.take(page, knowing: log)
                    changes += found.changes
                    if isSkipping { try log.note(found.items) }
                } catch let error as GraphError {
                    action = follower.take(error)
                }
            case .compare:
                try log.abandon()
                changes = []
                action = .ask(nil)
            case .commit(let round): return (round, changes.filter { round.changes[$0.number] != nil })
            case .pause(_, let error), .stop(.refused(let error)): throw error
            case .stop(let reason): throw UsageError(reason.words(for: follower.source))
            }
        }
    }

    private static func beginning(_ text: String, _ name: String) throws -> ChangeSource.Beginning {
        guard let beginning = ChangeSource.Beginning(text) else {
            throw UsageError(
                "'\(name)' cannot be '\(text)'", hint: "write now, all, or a time such as 2026-01-31T12:00:00Z")
        }
        return beginning
    }
}
