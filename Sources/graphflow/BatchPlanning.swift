/// The options of `batch` for plans: a dry run, where its plan is saved, and the approved plan to follow.
struct BatchPlanning: OptionGroup {
    enum Format: String, CaseIterable {
        case text, json, html, markdown
    }

    private let options = PlanOptions(
        of: "the runs", approved: "Do what an approved plan says for each item, and refuse everything else.",
        format: Format.text, purpose: " for a batch's plan")

    var files: [String?] { [options.approved, options.output] }

    var mode: Plan.Mode? { options.mode }

    /// The approved plan, if there is one.
    /// - Parameters:
    ///   - name: The batch's name, by which its mails are looked up; nil for no lookup.
    ///   - digest: The source's hash, as `BatchItems.check()` returned it.
    ///   - runner: The runner of the batch.
    /// - Throws: ``PlanMismatch`` if the workflow or the items are not those of the plan.
    func approved(
        for items: BatchItems, named name: String?, digest: String, with runner: RunnerSettings, _ console: Console
    ) throws -> ApprovedBatch? {
        guard let approved = options.approved else { return nil }
        let plan = try ApprovedBatch(try DataFile.read(approved))
        try options.age.limit.demand(plan.plannedAt)
        try plan.demand(
            items, named: name, digest: digest, variables: runner.givenVariables(console), without: runner.ownFiles)
        return plan
    }

    /// Shows what the runs of the items would do.
    /// - Parameters:
    ///   - file: The workflow's file, for the command that signs in.
    ///   - digest: The source's hash, as `BatchItems.check()` returned it.
    ///   - runner: Its client sends the requests that only read.
    func show(
        _ items: BatchItems, digest: String, mode: Plan.Mode, file: String, by runner: Runner, on console: Console
    ) async throws -> ExitStatus {
        let isPinned = options.output != nil || options.dryRun.format == .json
        let plan = try await runner.plan(items, digest: digest, mode: mode, isPinned: isPinned).value
        if let output = options.output { try ApprovedBatch(plan).value.write(asPlanTo: output, console) }
        return options.dryRun.format.show(plan, showsRequests: options.dryRun.showsRequests, file: file, on: console)
    }
}

extension BatchPlanning.Format {
    /// - Parameter file: The workflow's file, for the command that signs in.
    func show(_ plan: PlannedBatch, showsRequests: Bool, file: String, on console: Console) -> ExitStatus {
        switch self {
        case .text:
            let hasColour = console.outputHasColour
            console.print(painted: BatchPlanText(plan, showsRequests: showsRequests, hasColour: hasColour).text)
        case .json: console.print(plan.value)
        case .html: PlanFormat.html.print(PlanView(plan), of: plan.items.workflow, on: console)
        case .markdown: PlanFormat.markdown.print(PlanView(plan), of: nil, on: console)
        }
        guard console.hasPermissions(but: plan.missingPermissions ?? [], for: file) else { return .signInRequired }
        return plan.failing.isEmpty ? .success : .faulted
    }
}
