/// `graphflow types`: shows the types of the data at each task.
struct TypesCommand: Command {
    static let name = "types"
    static let onlyReads = true
    static let summary = "Show what the data can be at each task."
    static let examples = ["types workflows/share-profile-photo.yaml"]
    static let discussion = """
        For each task: its input, its output, and $context after it. A member with '?' may be missing, and '…' stands
        for members that are not known. 'graphflow validate' uses the same types to find expressions that read missing
        data.
        """

    @Operand("FILE", "a workflow file", hint: "graphflow types workflows/share-profile-photo.yaml")
    private var file: String
    @Flag("json", "Print one JSON object for each task.") private var wantsJSON

    func run(on console: Console) async throws -> ExitStatus {
        let (checked, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
        guard let workflow = checked else { throw InvalidWorkflow(diagnostics: findings) }
        console.report(findings)
        var context: DataType?
        for place in TypeFlow(workflow, with: Catalog.default).places {
            if wantsJSON {
                let line: Value = [
                    "task": .string(place.task.description), "name": .string(place.name),
                    "input": .string(place.input.words), "output": .string(place.output.words),
                    "context": .string(place.context.words),
                ]
                console.print(line.json())
                continue
            }
            let depth = place.task.tokens.count / 2 - 1
            let indent = String(repeating: "  ", count: max(0, min(depth, 20)))
            console.print("\(indent)\(PlainText.line(place.name, limit: 200))")
            console.print("\(indent)  input    \(place.input.words)")
            console.print("\(indent)  output   \(place.output.words)")
            if place.context != context { console.print("\(indent)  context  \(place.context.words)") }
            context = place.context
        }
        return .success
    }
}
