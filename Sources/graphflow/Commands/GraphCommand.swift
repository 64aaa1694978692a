/// `graphflow graph`: draws a workflow.
struct GraphCommand: Command {
    static let name = "graph"
    static let onlyReads = true
    static let summary = "Draw a workflow as a picture."
    static let examples = [
        "graph workflow.yaml --format svg > workflow.svg",
        "graph workflow.yaml --format dot | dot -Tpdf > workflow.pdf",
    ]
    static let discussion = """
        The picture goes to standard output: as Mermaid for GitHub and editors, as DOT for Graphviz, or as an SVG that
        follows its viewer's light or dark mode. It shows each task's effect (read, idempotent, once), what is retried,
        and where errors lead.
        """

    @Operand(
        "FILE", "a workflow file", hint: "graphflow graph workflows/share-profile-photo.yaml --format svg > picture.svg"
    )
    private var file: String
    @Option("format", "FORMAT", "The format of the picture: mermaid (the default), dot or svg.", as: .choice("format"))
    private var format = Format.mermaid

    private enum Format: String, CaseIterable {
        case mermaid
        case dot
        case svg
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
