extension WaitingRun {
    /// The run, or the item of a batch, that a person names.
    /// - Throws: ``UsageError`` if it waits for nothing, or for more than one thing and the task is not named.
    ///
    /// A run of which no plan could be made yet can be rejected, too.
    init(_ name: String, task: String?, toReject: Bool = false, _ console: Console) throws {
        let kept = KeptRuns.standard(environment: console.environment)
        guard try name != "last" || !kept.summaries(limit: 1, where: { $0.state == .waiting }).isEmpty else {
            throw UsageError("no run waits for an approval")
        }
        let (summary, folder, item) = try kept.find(name) { $0.state == .waiting }
        let open = try ApprovalRequests(of: summary.run, in: folder).open.filter { item == nil || $0.run == item }
        let found = open.filter { task == nil || [Self.task(of: $0), $0.name, $0.reference].contains(task) }
        guard let first = found.first else {
            if toReject, open.isEmpty, task == nil, item == nil, summary.state == .waiting {
                let now = Date()
                self.init(summary, folder, ApprovalRequest(.plan(digest: ""), by: nil, since: now, expires: now))
                return
            }
            guard !open.isEmpty, let task else {
                throw UsageError(
                    "the run \(summary.run) waits for no approval",
                    hint: "'graphflow runs --state waiting' lists those that do")
            }
            throw UsageError(
                "no task '\(PlainText.exact(task, limit: 200))' of this run waits",
                hint: Self.list(open, of: summary, toReject))
        }
        guard found.count == 1 else {
            throw UsageError(
                summary.isBatch ? "more than one item waits: name one" : "more than one task waits: add '--task TASK'",
                hint: Self.list(found, of: summary, toReject))
        }
        self.init(summary, folder, first)
    }

    private static func task(of request: ApprovalRequest) -> String? {
        guard case .question(_, let task, _, _) = request.subject else { return nil }
        return task
    }

    /// The requests, each with the command that answers it.
    private static func list(_ requests: [ApprovalRequest], of summary: RunSummary, _ toReject: Bool) -> String {
        let lines = requests.prefix(20).flatMap { request in
            let task = PlainText.line(task(of: request) ?? "", limit: 300)
            return [task, request.commands(in: summary.run)[toReject ? 1 : 0]]
        }
        let more = requests.count > 20 ? "\n  … and \(requests.count - 20) more" : ""
        return "these wait:\n  " + lines.joined(separator: "\n  ") + more
    }

    /// What is approved, as the approver sees it.
    func text(_ style: PlanStyle) -> String {
        let until = limit
        switch request.subject {
        case .plan:
            let view = request.plan.flatMap { try? ApprovedPlan($0) }.map { PlanView($0.plan) }
            let plan = view.map {
                "\(PlanText(view: $0, style: style).text)\n\n\(PlainText.line($0.planner, limit: 500))"
            }
            return (changes + [plan ?? "The plan cannot be read.", "", until]).joined(separator: "\n")
        case .question(_, let task, let text, let data):
            let workflow = summary.workflow.map { "\($0.name) \($0.version)" } ?? summary.run
            let shown = data.isNull ? [] : [""] + Self.quoted(data.json(pretty: true))
            let name = request.name.map { "'\(PlainText.exact($0, limit: 300))', " } ?? ""
            let head = "\(style.bold(PlainText.escaped(workflow))) asks at \(name)\(PlainText.escaped(task)):"
            return ([head, ""] + Self.quoted(text) + shown + ["", until]).joined(separator: "\n")
        }
    }

    /// Until when it can be approved, and by whom.
    var limit: String {
        "It can be approved until \(request.expires.formatted(.iso8601))"
            + (request.approvers.map { " by \(PlainText.exact($0.joined(separator: ", "), limit: 2_000))" } ?? "") + "."
    }

    private var changes: [String] {
        guard !request.changes.isEmpty else { return [] }
        return ["Since an earlier plan was approved, this has changed:"]
            + request.changes.map { "  \(PlainText.line($0, limit: 500))" } + [""]
    }

    /// The plan as a part of a page; nil for a question, or if the plan cannot be read.
    var page: String? {
        guard let plan = request.plan.flatMap({ try? ApprovedPlan($0) }) else { return nil }
        return PlanPage(view: PlanView(plan.plan), workflow: RunReport.workflow(of: summary.run, in: folder)).content
    }

    /// What is approved, as a part of a page.
    var html: String {
        let page = page
        let text = page == nil ? self.text(PlanStyle(hasColour: false)) : changes.joined(separator: "\n")
        let shown = text.isEmpty ? "" : "<pre>\(PageText.text(text, keepingLines: true))</pre>\n"
        return shown + (page ?? "")
    }

    /// The lines of a text from a workflow, each marked, so that none is mistaken for one of this program.
    private static func quoted(_ text: String) -> [String] {
        PlainText.escaped(text, keepingLines: true).split(separator: "\n", omittingEmptySubsequences: false)
            .map { "  │ \($0)" }
    }

    /// Records that somebody who did not sign in rejects it.
    func reject(_ note: String, _ console: Console, at now: Date) throws {
        let account = console.signedInAccount
        let user = console.variable("USER") ?? console.variable("LOGNAME") ?? "somebody"
        let name = account.flatMap { $0.username.isEmpty ? nil : $0.username } ?? user
        try reject(by: account?.objectID ?? "", named: name, note, at: now)
    }

}

extension ApprovalRequest {
    /// The commands that approve and reject it.
    func commands(in run: String) -> [String] {
        let words = self.run.map { "\($0) --task \(reference)" } ?? run
        return ["  graphflow approve \(words)", "  graphflow reject \(words)"]
    }
}
