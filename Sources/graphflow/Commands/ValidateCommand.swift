import Foundation
import Workflows

/// `graphflow validate`: says everything that is wrong with workflow files, and runs nothing.
struct ValidateCommand: Command {
    static let name = "validate"
    static let summary = "Check workflow files without running them."
    static let operands = "FILE…"
    static let discussion = "Everything that is wrong is reported at once, with its line and column."
    static let options: [Option] = []

    private let files: [String]

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        guard !arguments.operands.isEmpty else {
            throw UsageError("'graphflow validate' needs a workflow file", hint: "graphflow validate workflows/*.yaml")
        }
        files = arguments.operands
    }

    func run(on console: Console) async throws -> ExitStatus {
        var status = ExitStatus.success
        for file in files {
            let diagnostics = diagnostics(of: file)
            for diagnostic in diagnostics { console.complain(diagnostic.text(colour: console.errorHasColour)) }
            if diagnostics.contains(where: { $0.severity == .error }) {
                status = .invalid
            } else {
                console.print("\(file): valid")
            }
        }
        return status
    }

    private func diagnostics(of file: String) -> [Diagnostic] {
        do {
            return try Workflow(contentsOf: URL(fileURLWithPath: file)).validate()
        } catch {
            return error.diagnostics
        }
    }
}
