/// The options for plans that `run` and `batch` share.
struct PlanOptions<Format: RawRepresentable<String> & CaseIterable & Sendable>: OptionGroup {
    let dryRun: DryRunOptions<Format>
    @Option("plan-out", "FILE", "Save the plan of a dry run, to approve it and run it with '--plan'.", isOutput: true)
    var output: String?
    @Option<String?> var approved: String?
    let age = PlanAgeOption()

    var mode: Plan.Mode? { dryRun.mode }

    /// - Parameters:
    ///   - actor: Whose effects a dry run shows: `a run`.
    ///   - help: The help of `--plan`.
    ///   - purpose: What the formats are for, for errors.
    init(of actor: String, approved help: String, format usual: Format, purpose: String) {
        dryRun = DryRunOptions(of: actor, format: usual, purpose: purpose)
        _approved = Option("plan", "FILE", help)
    }

    func validate() throws(UsageError) {
        try dryRun.demand(for: $output)
        try exclude($approved, dryRun.$mode)
        try age.validate(with: approved)
    }
}

/// How everything that a command would do is shown instead.
struct DryRunOptions<Format: RawRepresentable<String> & CaseIterable & Sendable>: OptionGroup {
    @Option<Plan.Mode?> var mode: Plan.Mode?
    @Option<Format?> private var givenFormat: Format?
    @Flag("requests", "Show every request of a dry run as well.") var showsRequests

    var format: Format { givenFormat ?? usual }
    private let usual: Format

    /// - Parameters:
    ///   - actor: Whose effects a dry run shows: `a run`.
    ///   - purpose: What the formats are for, for errors.
    init(of actor: String, format usual: Format, purpose: String) {
        self.usual = usual
        _mode = Option(
            "dry-run", optional: "read",
            "Show everything that \(actor) would do, and do nothing. With\n"
                + "'--dry-run=read', requests that only read are sent.",
            as: Conversion(offering: .names([Plan.Mode.read.rawValue]), Self.mode))
        _givenFormat = Option(
            "format", "FORMAT",
            "The format of a dry run: \(Format.allCases.map(\.rawValue).joined(separator: ", ")).",
            as: .choice("format", purpose: purpose))
    }

    func validate() throws(UsageError) {
        try demand(for: $givenFormat)
        try demand(for: $showsRequests)
    }

    fileprivate func demand(for option: any DeclaredOption) throws(UsageError) {
        guard !option.isGiven || mode != nil else {
            throw UsageError("'\(option.syntax.dashed)' needs a dry run", hint: "add '--dry-run'")
        }
    }

    /// The mode of that name; without a name, the mode that sends nothing.
    private static func mode(named name: String, _ option: String) throws -> Plan.Mode {
        guard name.isEmpty || name == Plan.Mode.read.rawValue else {
            throw UsageError("there is no dry run '\(name)'", hint: "use '--dry-run' or '--dry-run=read'")
        }
        return name.isEmpty ? .dry : .read
    }
}

extension DryRunOptions<PlanFormat> {
    func show(_ plan: Plan, base: URL, on console: Console) {
        format.print(PlanView(plan, base: base), of: plan.workflow, showsRequests: showsRequests, on: console)
    }
}

extension Value {
    /// Writes a plan to a file that only its owner can read, because it has the workflow's input.
    func write(asPlanTo path: String, _ console: Console) throws(UsageError) {
        let plan = Data((json(pretty: true).escapingControls + "\n").utf8)
        // The file must have exactly what is approved, so nothing can be concealed in it.
        guard ConcealedBytes.conceal(plan, console.secrets) == plan else {
            throw UsageError(
                "a service returned the access token, so the plan contains it and is not written",
                hint: "plan without '=read', or leave out the task that asks that service")
        }
        try OutputFile.write(plan, to: path, sparing: console.files, or: "the plan cannot be written to '\(path)'")
    }
}

extension Console {
    /// Whether a plan has all permissions; if not, says how to get those that are missing.
    func hasPermissions(but missing: [String], for file: String) -> Bool {
        guard !missing.isEmpty else { return true }
        complain(
            "the token lacks \(missing.joined(separator: ", ")): 'graphflow login --for \(file)' asks for what the "
                + "workflow needs")
        return false
    }
}
