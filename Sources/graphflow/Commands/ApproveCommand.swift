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
    @Option(
        "out", "FILE", "Where the approval of a plan is written\n(default: NAME.approval.json for NAME.json).",
        isOutput: true)
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
            throw UsageError("there is no file '\(PlainText.exact(operand, limit: 300))'")
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
                "'\(PlainText.exact(path, limit: 300))' exists", hint: "two approvers, two files: add '--out FILE'")
        }
        let style = PlanStyle(hasColour: console.errorHasColour)
        let view = PlanView(plan.plan)
        console.complain(painted: PlanText(view: view, style: style).text)
        console.complain(view.planner)
        let statement = try ApprovalStatement(
            try ApprovedPlan.subject(of: value), until: Date(timeIntervalSinceNow: patience.seconds),
            note: note ?? "")
        let approval: CheckedApproval
        let end = try await sign(statement, isSandboxed: isSandbox, on: console) { approval in
            try OutputFile.write(
                Data((approval.approval.value.json(pretty: true) + "\n").utf8), to: path,
                sparing: console.files, or: "the approval cannot be written to '\(path)'")
            return .decided(
                title: "You approved the plan of '\(plan.plan["workflow"]?["name"]?.string ?? "")'",
                text: "You signed in as \(approval.name). You can close this window and go back to graphflow.")
        }
        switch end {
        case .approved(let given): approval = given
        case .ended(let status): return status
        }
        if let planner = plan.planner, planner.lowercased() == approval.by.lowercased() {
            console.complain("note: you planned it yourself, so a run accepts this only with '--self-approval'")
        }
        console.print(
            "approved by \(PlainText.line(approval.name, limit: 200)) until \(statement.expires): \(path.shellWord)")
        return .success
    }

    private func approveRun(on console: Console) async throws -> ExitStatus {
        let waiting = try WaitingRun(operand, task: task, console)
        let request = waiting.request
        let statement = try waiting.statement(note ?? "")
        console.complain(painted: waiting.text(PlanStyle(hasColour: console.errorHasColour)))
        let approval: CheckedApproval
        let isSandboxed = waiting.summary.isSandboxed
        let end = try await sign(statement, isSandboxed: isSandboxed, on: console, for: request.approvers) {
            try waiting.keep(.approve, by: $0)
        }
        switch end {
        case .approved(let given): approval = given
        case .ended(let status): return status
        }
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
        _ statement: ApprovalStatement, isSandboxed: Bool, on console: Console, for approvers: [String]? = nil,
        keep: @escaping @Sendable (CheckedApproval) throws -> RedirectPage
    ) async throws -> SignIn {
        if !isSure {
            guard console.inputIsTerminal, console.errorIsTerminal else {
                throw UsageError("without a terminal, no one can be asked", hint: "add '--yes' after reading the plan")
            }
            guard console.confirms("approve this? [y/N] ") else {
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
        let start = Promise<Void>.pending()
        let promise = start.promise.then(on: nil) { [port] in
            authority.sign(
                statement, as: ApprovalPolicy(approvers: approvers), port: port ?? 0, browser,
                prompt: { console.complain($0.text) }, keep: keep)
        }
        let interruption = Interruption(on: console) { promise.cancel() }
        defer { interruption.end() }
        start.resolver.fulfill(())
        do { return .approved(try await promise.value) } catch let error as CredentialError {
            throw error.code == .declined || error.code == .expired
                ? ApprovalRefusal("no one signed in", hint: "to try again: graphflow approve \(operand.shellWord)")
                : error
        } catch  where error.isCancelled {
            guard let status = interruption.status else { throw error }
            console.complain("interrupted; nothing was approved")
            return .ended(status)
        }
    }
}
