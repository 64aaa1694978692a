/// `graphflow undo`: takes back what a run or a batch did.
struct UndoCommand: Command {
    static let name = "undo"
    static let summary = "Take back what a run or a batch did."
    static let examples = ["undo last --dry-run", "undo last", "undo last --only file --force"]
    static let discussion = """
        What the run made is removed, the last first: links, files, folders, events, drafts, people and groups, and
        members. What a run with '--undoable' changed and replaced is set back. What somebody has changed since stays, and so does what cannot come back, such as a mail that was
        sent. Both are listed; the exit code is 0 if everything was taken back, and 1 if something was left.

        An undo is a run as well: it can be planned, approved, shown and resumed. Afterwards 'graphflow show RUN'
        says which effects are 'undone', and another undo does nothing twice.

        With '--draft-corrections', the recipients of each mail get a draft in your mailbox, which you can write and
        send.
        """

    @Operand("RUN", "the name of a run or a batch", hint: "'graphflow runs' lists them", offering: .runs) private
        var run: String
    @Option("key", "KEY", "Only the item of a batch that has this key: JSON, or plain text.")
    private var key: String?
    @Option("only", "TASK|KIND", "Only the effects of the task of that name, or of that kind.")
    private var selection: String?
    @Flag("force", "Take back what somebody has changed since, as well.") private var isForced
    @Flag("draft-corrections", "Save a draft of a correction to the recipients of each mail; nothing is sent.")
    private var draftsCorrections
    private let plans = PlanOptions(
        of: "an undo", approved: "Do what an approved plan says, and refuse everything else.",
        format: PlanFormat.text, purpose: " for a plan")
    private let approvals = ApprovalOptions()
    private let options = RunnerOptions()
    private let detail = DetailOption()

    func run(on console: Console) async throws -> ExitStatus {
        let options = try options.settings(ownFiles: [plans.approved, plans.output] + approvals.paths, console)
        let kept = KeptRuns.standard(environment: console.environment)
        let (summary, folder, named) = try kept.find(run) { $0.workflow.map { !Undo.isUndo($0) } ?? true }
        let item = try key.map { try ShowCommand.itemRun($0, of: summary, named, in: folder) } ?? named
        let words = "graphflow undo \(item ?? summary.run)\(words)"
        let target = try check(summary, in: folder)
        let header = target.header
        let images = try BeforeImages(of: summary.run, in: folder).all(at: Date())
        let undo = try undo(target.effects, of: summary, item, images)
        // Another person's '/me' has none of these objects, which would look as if they were gone.
        if let account = EffectPerspective(console, in: nil).account, let owner = undo.owner(otherThan: account) {
            throw UsageError(
                "\(summary.run) changed what belongs to \(PlainText.exact(owner, limit: 200)), but the account is "
                    + PlainText.exact(account, limit: 200), hint: "sign in as that person: graphflow login")
        }
        let workflow = try Undo.workflow()
        let input = undo.input(isForced: isForced, isCorrected: draftsCorrections)
        let approved = try plans.approved.map { try ApprovedPlan(try DataFile.readStrictly($0)) }
        if let approved {
            try plans.age.limit.demand(approved.plannedAt)
            let differences = approved.differences(to: workflow, input: input, without: options.ownFiles)
            guard differences.isEmpty else { throw PlanMismatch(differences) }
        }
        guard plans.mode == nil || approvals.paths.isEmpty else {
            throw UsageError("'--approval' is for runs, and a dry run needs none")
        }
        let lasting = undo.lasting
        for (effect, why) in lasting {
            console.complain("stays: \(PlainText.line(effect.summary, limit: 1_000)): \(why.reason); \(why.advice)")
        }
        if let file = undo.inUnknownFolders.first?.path.string {
            console.complain(
                "stays: each folder that an upload made on its way, such as that of \(PlainText.line(file, limit: 200)); "
                    + "'run --undoable' would have looked for them")
        }
        let asked = try CommandOrder(
            of: workflow, input: input, as: approved, planned: plans.mode, under: approvals.demand, options, console)
        let graph = try await asked.graph(console)
        if plans.mode != .dry { try graph.demandService(of: header, called: header.run) { "\($0) \(words)" } }
        guard let mode = asked.mode else {
            return try await perform(asked, images, target, over: graph, on: console)
        }
        return try await plan(asked, mode, images, words, over: graph, on: console)
    }

    /// Reads the run; refuses one whose effects cannot be taken back at all.
    private func check(_ summary: RunSummary, in folder: RunsFolder) throws -> UndoneRun {
        let name = summary.run
        guard !summary.isSandboxed else {
            throw UsageError(
                "the effects of \(name) are gone: it ran with '--sandbox', and the sandbox ended with it",
                hint: "to try an undo, start 'graphflow sandbox' and run the workflow against it")
        }
        guard summary.state != .running, summary.state != .waiting else {
            throw UsageError("\(name) is in progress", hint: "stop it, or wait until it has ended")
        }
        return try UndoneRun(reading: name, in: folder)
    }

    private func undo(
        _ all: [AccountedEffect], of summary: RunSummary, _ item: String?, _ images: [String: BeforeImages.Image]
    ) throws -> Undo {
        func isWanted(_ accounted: AccountedEffect) -> Bool {
            guard item == nil || accounted.run == item else { return false }
            guard let selection else { return true }
            return accounted.effect.kind.rawValue == selection || accounted.effect.task?.tokens.last == selection
        }
        let undo = Undo(summary.run, all, images, where: isWanted)
        if let selection, !all.contains(where: isWanted) {
            let names = all.flatMap { [$0.effect.kind.rawValue, $0.effect.task?.tokens.last].compactMap(\.self) }
            let known = Set(names).sorted().map { PlainText.exact($0, limit: 100) }
            throw UsageError(
                "no effect is of a task or kind '\(PlainText.exact(selection, limit: 100))'",
                hint: known.isEmpty ? nil : "there are: \(known.joined(separator: ", "))")
        }
        return undo
    }

    private func plan(
        _ asked: CommandOrder, _ mode: Plan.Mode, _ images: [String: BeforeImages.Image], _ words: String,
        over graph: GraphClient, on console: Console
    ) async throws -> ExitStatus {
        let plan = try await asked.options.runner(over: graph, console).undoing(images)
            .plan(asked.workflow, input: asked.input, mode: mode).value
        if let output = plans.output { try ApprovedPlan(plan).value.write(asPlanTo: output, console) }
        plans.dryRun.show(plan, base: try graph.baseURL, on: console)
        if let output = plans.output {
            console.complain("run it: \(words) --plan \(output.shellWord)")
        }
        return .success
    }

    /// The options that the undo needs again.
    private var words: String {
        (selection.map { " --only \($0.shellWord)" } ?? "") + (isForced ? " --force" : "")
            + (draftsCorrections ? " --draft-corrections" : "")
    }

    private func perform(
        _ asked: CommandOrder, _ images: [String: BeforeImages.Image], _ target: UndoneRun, over graph: GraphClient,
        on console: Console
    ) async throws -> ExitStatus {
        let given = try await approvals.approvals(
            of: asked.approved, under: asked.order.policy, in: nil,
            runBy: { await graph.runnerID(console, in: nil) }, console)
        let runs = RunsFolder.standard(environment: console.environment)
        let session = RunSession(options: asked.options, journals: runs, approvals: given, detail: detail.detail)
        let report = UndoReport(of: asked.input, target, console)
        defer { Retention(keeping: RetentionOption.usual, in: runs, console).prune() }
        return try await report.status {
            try await session.perform(asked.workflow, over: graph, on: console) { runner in
                var runner = runner.undoing(images)
                runner.recorders.append(Recorder { report.take($0) })
                return asked.begin(by: runner).get { report.take($0) }
            }
        }
    }
}

/// What became of the effects that a run takes back, which it records and says at its end.
final class UndoReport: Sendable {
    private let console: Console
    private let input: Value
    /// The run whose effects are taken back; nil if it is read when something is recorded.
    private let target: UndoneRun?
    /// The effects that were taken back, and the run's output.
    private let state = Locked((undone: [String: String?](), output: Value?.none))

    /// - Parameters:
    ///   - input: The run's input.
    ///   - target: The run whose effects are taken back, if it was read.
    ///   - events: What it did before it was interrupted.
    init(of input: Value, _ target: UndoneRun? = nil, after events: [Event] = [], _ console: Console) {
        (self.input, self.target, self.console) = (input, target, console)
        for event in events { take(event) }
    }

    /// Takes an event of the run.
    func take(_ event: Event) {
        let undone = Undo.undone(in: event)
        if !undone.isEmpty { state.withLock { $0.undone.merge(undone) { $1 } } }
    }

    func take(_ output: Value) { state.withLock { $0.output = output } }

    /// The exit status of the run, whose effects are recorded even if it was interrupted.
    func status(of perform: () async throws -> ExitStatus) async throws -> ExitStatus {
        let status: ExitStatus
        do { status = try await perform() } catch {
            record()
            throw error
        }
        record()
        guard status == .success, let output = state.withLock({ $0.output }) else { return status }
        let left = output["left"]?.array ?? []
        for result in left where result["state"] == "changed" {
            func text(_ name: String) -> String? { result[name]?.string.map { PlainText.escaped($0) } }
            let who = text("by").map { " by \($0)" } ?? ""
            let when = text("at").map { " at \($0)" } ?? ""
            console.complain(
                "left as it is: \(text("effect") ?? ""): \(text("reason") ?? "")\(who)\(when); \(text("advice") ?? "")")
        }
        return left.isEmpty ? .success : .faulted
    }

    private func record() {
        do {
            let undone = state.withLock(\.undone)
            guard !undone.isEmpty else { return }
            let kept = KeptRuns.standard(environment: console.environment)
            try (try target ?? UndoneRun(of: input, in: kept))?.record(undone, at: Date())
        } catch {
            console.complain("warning: what was taken back cannot be recorded: \(error)")
        }
    }
}
