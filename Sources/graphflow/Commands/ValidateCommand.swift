/// `graphflow validate`: reports every mistake in workflow files, and runs nothing.
struct ValidateCommand: Command {
    enum WorkflowRunner: String, CaseIterable {
        case delegated, application
    }

    static let name = "validate"
    static let onlyReads = true
    static let summary = "Check workflow files and their tests without running them."
    static let examples = ["validate workflows/*.yaml", "validate --schema > workflow.schema.json"]
    static let discussion = """
        Every mistake is reported, with its line and column. Errors give status 2, and so do warnings with '--strict'.
        """

    @Operand("FILE…") private var files: [String]
    @Option(
        "format", "FORMAT",
        "The format of findings: text (to standard error), or\njson, sarif or github (to standard output).",
        as: .choice("format"))
    private var format = DiagnosticFormat.text
    @Flag("strict", "Treat warnings as errors.") private var isStrict
    @Option(
        "for", "WHO",
        "Who will run them: delegated (a signed-in user) or\napplication (a program without a user). Shows the\n"
            + "permissions they need, and finds tasks that need a user.",
        as: .choice("who"))
    private var runner: WorkflowRunner?
    @Flag("schema", "Print the JSON Schema of workflow files, for editors; takes no file.") private var wantsSchema
    @Flag("plan-schema", "Print the JSON Schema of 'run --dry-run --format json'; takes no file.")
    private var wantsPlanSchema
    @Flag("test-schema", "Print the JSON Schema of files of tests, NAME.test.yaml, for editors; takes no file.")
    private var wantsTestSchema

    func validate() throws(UsageError) {
        guard let schema = [$wantsSchema, $wantsTestSchema, $wantsPlanSchema].first(where: \.isGiven) else {
            guard files.isEmpty else { return }
            throw UsageError("'graphflow validate' needs a workflow file", hint: "graphflow validate workflows/*.yaml")
        }
        guard files.isEmpty else {
            throw UsageError(
                "'\(schema.syntax.dashed)' takes no file",
                hint: "graphflow validate --schema > workflows/graphflow.schema.json")
        }
    }

    /// The schema to print; nil to check files.
    private var schema: Value? {
        if wantsSchema { return Workflow.fileSchema() }
        if wantsTestSchema { return TestFile.schema }
        // A literal nil would become the JSON value null.
        return wantsPlanSchema ? Plan.schema : Optional<Value>.none
    }

    func run(on console: Console) async throws -> ExitStatus {
        if let schema {
            // Indented, even if the output is not a terminal.
            console.print(schema.json(pretty: true))
            return .success
        }
        var all: [Diagnostic] = []
        for file in files {
            let (workflow, diagnostics) = check(file)
            all += diagnostics
            guard format == .text else { continue }
            console.report(diagnostics)
            guard !diagnostics.contains(where: { $0.severity == .error }) else { continue }
            console.print("\(file): valid\(workflow.map(need) ?? "")")
        }
        switch format {
        case .text: break
        case .json: console.print(.array(all.map(\.json)))
        case .sarif: console.print(all.sarif)
        case .github: for diagnostic in all { console.print(diagnostic.githubCommand) }
        }
        return all.contains { $0.severity == .error } ? .invalid : .success
    }

    /// The permissions that a workflow needs, in words; empty without '--for'.
    private func need(of workflow: Workflow) -> String {
        guard let runner else { return "" }
        let needed = workflow.neededPermissions()
        let names = runner == .application ? needed.application : needed.delegated
        if !names.isEmpty { return ", needs \(names.joined(separator: ", ")) (\(runner.rawValue))" }
        return workflow.needsToken ? ", needs permissions that cannot be seen in the file" : ", needs no permission"
    }

    /// The findings in a file, and its workflow if it has one.
    private func check(_ file: String) -> (workflow: Workflow?, diagnostics: [Diagnostic]) {
        let (workflow, findings) =
            TestFile.isNamed(file)
            ? (nil, TestFile.findings(in: file)) : Workflow.check(contentsOf: URL(fileURLWithPath: file))
        var diagnostics = findings
        if runner == .application { diagnostics += workflow?.findingsForApplication() ?? [] }
        if isStrict {
            for index in diagnostics.indices { diagnostics[index].severity = .error }
        }
        return (workflow, diagnostics)
    }
}
