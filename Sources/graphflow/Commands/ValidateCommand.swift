import Essentials
import Workflows

/// `graphflow validate`: reports every mistake in workflow files, and runs nothing.
struct ValidateCommand: Command {
    static let name = "validate"
    static let summary = "Check workflow files and their tests without running them."
    static let operands = "FILE…"
    static let examples = ["validate workflows/*.yaml", "validate --schema > workflow.schema.json"]
    static let discussion = """
        Every mistake is reported, with its line and column. Errors end with status 2; so do warnings with '--strict'.
        """
    static let options = [
        Option(
            name: "format", argument: .required("FORMAT"), values: DiagnosticFormat.allCases.map(\.rawValue),
            help: "How findings are written: text (to standard error), or\njson, sarif or github (to standard output)."),
        Option(name: "strict", help: "Treat warnings as errors."), schemaOption, planSchemaOption,
        testSchemaOption,
    ]

    private let files: [String]
    private let format: DiagnosticFormat
    private let isStrict: Bool
    private let schema: Value?

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        schema = try Self.schema(arguments)
        guard schema != nil || !arguments.operands.isEmpty else {
            throw UsageError("'graphflow validate' needs a workflow file", hint: "graphflow validate workflows/*.yaml")
        }
        files = arguments.operands
        format = try DiagnosticFormat(option: arguments.value("format") ?? "text", "format")
        isStrict = arguments.has("strict")
    }

    func run(on console: Console) async throws -> ExitStatus {
        if let schema { return Self.print(schema, on: console) }
        var all: [Diagnostic] = []
        for file in files {
            let diagnostics = diagnostics(of: file)
            all += diagnostics
            if format == .text { show(diagnostics, of: file, on: console) }
        }
        switch format {
        case .text: break
        case .json: console.print(.array(all.map(\.json)))
        case .sarif: console.print(all.sarif)
        case .github: for diagnostic in all { console.print(diagnostic.githubCommand) }
        }
        return all.contains { $0.severity == .error } ? .invalid : .success
    }

    private func show(_ diagnostics: [Diagnostic], of file: String, on console: Console) {
        for diagnostic in diagnostics {
            console.complain(painted: diagnostic.text(colour: console.errorHasColour))
        }
        if !diagnostics.contains(where: { $0.severity == .error }) { console.print("\(file): valid") }
    }

    private func diagnostics(of file: String) -> [Diagnostic] {
        var diagnostics =
            TestFile.isNamed(file)
            ? TestFile.findings(in: file) : Workflow.check(contentsOf: URL(fileURLWithPath: file)).diagnostics
        if isStrict {
            for index in diagnostics.indices { diagnostics[index].severity = .error }
        }
        return diagnostics
    }
}
