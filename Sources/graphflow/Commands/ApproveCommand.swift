import Essentials
import Promises
import WorkflowHTTP
import Workflows

/// `graphflow approve`: shows a plan or a question, signs the approver in, and keeps the approval.
struct ApproveCommand: Command {
    static let name = "approve"
    static let summary = "Approve a plan, or what a run waits for."
    static let examples = ["approve plan.json --note 'checked the list'", "approve last"]
    static let discussion = """
        PLAN is a file that 'run --dry-run --plan-out' saved; RUN is a run that waits, as 'runs --state waiting' lists
        them. The command shows what would happen, asks, and signs the approver in with a browser. The approval is the
        sign-in itself: its token names the plan, the expiry and the note. It changes nothing of who is signed in.

        For a plan, the approval is a file for 'run --plan PLAN --approval FILE'. For a run, the run gets it.
        """

    @Operand("PLAN|RUN", "a plan's file or a run's name", hint: "graphflow approve plan.json", offering: .runs)
    private var operand: String
    @Option("note", "TEXT", "A note that is part of the approval.") private var note: String?
    @Option("expires", "TIME", "How long the approval of a plan is valid: 30m, 8h (default: 8h).", as: .time(from: 60))
    private var patience = Duration.seconds(8 * 3_600)
    @Option("out", "FILE", "Where the approval of a plan is written\n(default: NAME.approval.json for NAME.json).")
    private var output: String?
    @Option("task", "TASK", "Which task of a run, if more than one waits.") private var task: String?
    @Flag("yes", "Do not ask before the sign-in.") private var isSure
    @Flag("print-url", "Print the address of the sign-in instead of opening a browser.") private var printsAddress
    @Option("port", "N", "The port that the browser returns to (default: a free one).", as: .port)
    private var port: UInt16?
    @Flag("sandbox", "Sign in to a sandbox, for a plan to run with '--sandbox'.") private var isSandbox
    private let environmentFile = EnvironmentFile()

    func run(on console: Console) async throws -> ExitStatus {
        if FileManager.default.fileExists(atPath: operand) { return try await approvePlan(on: console) }
        if operand.contains("/") || operand.hasSuffix(".json") {
            throw UsageError("there is no file '\(PlainText.line(operand, limit: 300))'")
        }
        for option in [$patience, $output] as [any DeclaredOption] where option.isGiven {
            throw UsageError("'\(option.syntax.dashed)' is for plans in files")
        }
        return try await approveRun(on: console)
    }

    private func approvePlan(on console: Console) async throws -> ExitStatus {
        guard task == nil else { throw UsageError("'--task' is for runs") }
        let value = try DataFile.readStrictly(operand)
        guard value["approvedBatch"] == nil else {
            throw UsageError(
                "a person cannot approve the plan of a batch, only plans of runs",
                hint: "'call: approval' in the workflow asks for each item")
        }
        let plan = try ApprovedPlan(value)
        let path = output ?? (operand.hasSuffix(".json") ? String(operand.dropLast(5)) : operand) + ".approval.json"
        guard !FileManager.default.fileExists(atPath: path) else {
            throw UsageError(
                "'\(PlainText.line(path, limit: 300))' exists", hint: "two approvers, two files: add '--out FILE'")
        }
        console.complain(painted: PlanViewText(PlanView(plan.plan), PlanStyle(hasColour: console.errorHasColour)).text)
        let statement = try ApprovalStatement(
            .plan(digest: try value.approvalDigest), until: Date(timeIntervalSinceNow: patience.seconds),
            note: note ?? "")
        let approval: CheckedApproval
        switch try await sign(statement, isSandboxed: isSandbox, on: console) {
        case .approved(let given): approval = given
        case .ended(let status): return status
        }
        if let planner = plan.plan["plannedBy"]?.string, planner.lowercased() == approval.by.lowercased() {
            console.complain("note: you planned it yourself, so a run accepts this only with '--self-approval'")
        }
        try OutputFile.write(
            Data((approval.approval.value.json(pretty: true) + "\n").utf8), to: path,
            or: "the approval cannot be written to '\(path)'")
        console.print(
            "approved by \(PlainText.line(approval.name, limit: 200)) until \(statement.expires): \(path.shellWord)")
        return .success
    }

    private func approveRun(on console: Console) async throws -> ExitStatus {
        let waiting = try WaitingRun(operand, task: task, console)
        let request = waiting.request
        try waiting.demandShownPlan()
        guard request.expires > Date() else {
            throw ApprovalRefusal("it could be approved until \(request.expires.formatted(.iso8601))")
        }
        console.complain(painted: waiting.text(PlanStyle(hasColour: console.errorHasColour)))
        let statement = try ApprovalStatement(request.subject, until: request.expires, note: note ?? "")
        let isSandboxed = waiting.summary.isSandboxed
        let approval: CheckedApproval
        switch try await sign(statement, isSandboxed: isSandboxed, on: console, for: request.approvers) {
        case .approved(let given): approval = given
        case .ended(let status): return status
        }
        try waiting.requests.answer(request.id, by: approval.by, approval.approval.value)
        console.print("approved by \(PlainText.line(approval.name, limit: 200)): \(waiting.summary.run)")
        return .success
    }

    private enum SignIn {
        case approved(CheckedApproval)
        /// The person said no, or interrupted it.
        case ended(ExitStatus)
    }

    /// Asks, and signs the approver in.
    private func sign(
        _ statement: ApprovalStatement, isSandboxed: Bool, on console: Console, for approvers: [String]? = nil
    ) async throws -> SignIn {
        if !isSure {
            guard console.inputIsTerminal, console.errorIsTerminal else {
                throw UsageError("without a terminal, no one can be asked", hint: "add '--yes' after reading the plan")
            }
            console.ask("approve this? [y/N] ")
            guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
                console.complain("not approved")
                return .ended(.faulted)
            }
        }
        let server = isSandboxed ? SandboxServer(Sandbox()) : nil
        defer { server?.stop() }
        let authority =
            try server.map { try ApprovalAuthority(servedAt: try $0.start()) }
            ?? ApprovalAuthority(console, in: nil)
        if server != nil { console.complain("This is the sandbox: sign in with any account there.") }
        let browser = printsAddress ? Browser.none : .system(environment: console.environment)
        let policy = ApprovalPolicy(approvers: approvers)
        let start = Promise<Void>.pending()
        let promise = start.promise.then(on: nil) { [port] in
            authority.sign(statement, port: port ?? 0, browser) { console.complain($0.text) }
        }
        let interruption = Interruption(on: console) { promise.cancel() }
        defer { interruption.end() }
        start.resolver.fulfill(())
        let approval: CheckedApproval
        do { approval = try await promise.value } catch let error as CredentialError {
            throw error.code == .declined || error.code == .expired
                ? ApprovalRefusal("no one signed in", hint: "to try again: graphflow approve \(operand.shellWord)")
                : error
        } catch  where error.isCancelled {
            guard let status = interruption.status else { throw error }
            console.complain("interrupted; nothing was approved")
            return .ended(status)
        }
        let keys = try await authority.keys().value
        return .approved(try policy.check(approval.approval, with: keys, now: Date()))
    }
}

/// A run that waits for a person, and what it waits for.
struct WaitingRun {
    let summary: RunSummary
    let folder: RunsFolder
    let request: ApprovalRequest

    init(_ summary: RunSummary, _ folder: RunsFolder, _ request: ApprovalRequest) {
        (self.summary, self.folder, self.request) = (summary, folder, request)
    }

    /// Fails if the plan that is shown is not the one that is signed.
    func demandShownPlan() throws(ApprovalRefusal) {
        guard case .plan(let digest) = request.subject else { return }
        guard let plan = request.plan, try plan.approvalDigest == digest else {
            throw ApprovalRefusal("its plan was changed")
        }
    }

    /// Where the answer goes.
    var requests: ApprovalRequests {
        get throws { try ApprovalRequests(of: summary.run, in: folder) }
    }

    /// The run, or the item of a batch, that a person names.
    /// - Throws: ``UsageError`` if it waits for nothing, or for more than one thing and the task is not named.
    ///
    /// A run of which no plan could be made yet can be rejected, too.
    init(_ name: String, task: String?, toReject: Bool = false, _ console: Console) throws {
        let kept = KeptRuns.standard(environment: console.environment)
        guard try name != "last" || !kept.summaries(limit: 1, where: { $0.state == .waiting }).isEmpty else {
            throw UsageError("no run waits for an approval")
        }
        let batch = try kept.batch(ofItem: name)
        let (summary, folder) = try kept.find(batch ?? name) { $0.state == .waiting }
        let open = try ApprovalRequests(of: summary.run, in: folder).open.filter { batch == nil || $0.run == name }
        let found = open.filter { task == nil || [Self.task(of: $0), Self.name(of: $0)].contains(task) }
        guard let first = found.first else {
            if toReject, open.isEmpty, task == nil, batch == nil, summary.state == .waiting {
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
                "no task '\(PlainText.line(task, limit: 200))' of this run waits", hint: Self.list(open, of: summary))
        }
        guard found.count == 1 else {
            throw UsageError(
                summary.isBatch ? "more than one item waits: name one" : "more than one task waits: add '--task TASK'",
                hint: Self.list(found, of: summary))
        }
        self.init(summary, folder, first)
    }

    private static func task(of request: ApprovalRequest) -> String? {
        guard case .question(_, let task, _, _) = request.subject else { return nil }
        return task
    }

    private static func name(of request: ApprovalRequest) -> String? {
        task(of: request)?.split(separator: "@").first?.split(separator: "/").last.map(String.init)
    }

    private static func list(_ requests: [ApprovalRequest], of summary: RunSummary) -> String {
        let lines = requests.prefix(20).map { request in
            PlainText.line(summary.isBatch ? request.run ?? "" : task(of: request) ?? "", limit: 300)
        }
        let more = requests.count > lines.count ? "\n  … and \(requests.count - lines.count) more" : ""
        return "these wait:\n  " + lines.joined(separator: "\n  ") + more
    }

    /// What is approved, as the approver sees it.
    func text(_ style: PlanStyle) -> String {
        let until =
            "It can be approved until \(request.expires.formatted(.iso8601))"
            + (request.approvers.map { " by \(PlainText.line($0.joined(separator: ", "), limit: 2_000))" } ?? "") + "."
        switch request.subject {
        case .plan:
            let plan = request.plan.flatMap { try? ApprovedPlan($0) }.map {
                PlanViewText(PlanView($0.plan), style).text
            }
            let changes = request.changes.map { "  \(PlainText.line($0, limit: 500))" }
            let changed =
                changes.isEmpty ? [] : ["Since an earlier plan was approved, this has changed:"] + changes + [""]
            return (changed + [plan ?? "The plan cannot be read.", "", until]).joined(separator: "\n")
        case .question(_, let task, let text, let data):
            let workflow = summary.workflow.map { "\($0.name) \($0.version)" } ?? summary.run
            let shown = data.isNull ? [] : [""] + Self.quoted(data.json(pretty: true))
            let head = "\(style.bold(PlainText.escaped(workflow))) asks at \(PlainText.escaped(task)):"
            return ([head, ""] + Self.quoted(text) + shown + ["", until]).joined(separator: "\n")
        }
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
        let rejection: Value = [
            "approved": false, "by": .string(account?.objectID ?? ""), "name": .string(name),
            "at": .string(now.iso8601), "note": .string(note),
        ]
        switch request.subject {
        case .question: try requests.answer(request.id, by: "rejection", rejection)
        case .plan:
            var members = rejection.object ?? [:]
            members["state"] = "rejected"
            try folder.cancel(summary.run, at: now, because: .object(members))
            try requests.settle(request.id)
        }
    }
}
