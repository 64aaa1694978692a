import Essentials
import Workflows

/// `graphflow graph`: draws a workflow.
struct GraphCommand: Command {
    static let name = "graph"
    static let summary = "Draw a workflow as a picture."
    static let operands = "FILE"
    static let examples = [
        "graph workflow.yaml --format svg > workflow.svg",
        "graph workflow.yaml --format dot | dot -Tpdf > workflow.pdf",
    ]
    static let discussion = """
        The picture goes to standard output: as Mermaid for GitHub and editors, as DOT for Graphviz, or as an SVG that
        follows its viewer's light or dark mode. It shows each task's effect (read, idempotent, once), what is retried,
        and where errors lead.
        """
    static let options = [
        Option(
            name: "format", argument: .required("FORMAT"), values: Format.allCases.map(\.rawValue),
            help: "How the picture is written: mermaid (the default), dot or svg.")
    ]

    /// How a picture is written.
    private enum Format: String, CaseIterable {
        case mermaid
        case dot
        case svg
    }

    private let file: String
    private let format: Format

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        file = try arguments.operand(
            "workflow file", hint: "graphflow graph workflows/share-profile-photo.yaml --format svg > picture.svg")
        format = try Format(option: arguments.value("format") ?? Format.mermaid.rawValue, "format")
    }

    func run(on console: Console) async throws -> ExitStatus {
        let (checked, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
        guard let workflow = checked else { throw InvalidWorkflow(diagnostics: findings) }
        let graph = WorkflowDrawing(workflow)
        switch format {
        case .mermaid: console.print(graph.mermaid)
        case .dot: console.print(graph.dot)
        case .svg: console.print(graph.svg)
        }
        return .success
    }
}
