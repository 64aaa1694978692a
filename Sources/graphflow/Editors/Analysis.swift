/// What is known of one version of a text: its findings, and its workflow, though it may be half typed.
///
/// All parts are computed when they are first needed. Nothing here runs a workflow, reads a secret, or uses the network.
final class Analysis: Sendable {
    enum Kind: Sendable {
        case workflow, tests, other
    }

    let text: EditedText
    /// The texts that count instead of files.
    let open: OpenTexts
    private let parts = Locked(Parts())

    private struct Parts {
        var document: Document?
        var findings: [Diagnostic]?
        var model: Model?
    }

    /// The workflow of a text, whole or not.
    struct Model: Sendable {
        let workflow: Workflow
        let outline: WorkflowOutline
        let flow: TypeFlow
        let effects: [JSONPointer: Idempotency]
    }

    private static let known: Set<String> = [
        "document", "input", "use", "do", "timeout", "output", "schedule", "evaluate",
    ]

    init(_ text: EditedText, _ open: OpenTexts) { (self.text, self.open) = (text, open) }

    /// The same text, after other texts have changed.
    func renewed(_ open: OpenTexts) -> Analysis { Analysis(text, open) }

    private var isRead: Bool { [".yaml", ".yml", ".json"].contains { text.path.hasSuffix($0) } }

    /// What can be read of the text.
    var document: Document {
        if let known = parts.withLock({ $0.document }) { return known }
        let document = Document(incomplete: isRead ? Data(text.bytes) : Data(), name: text.path)
        parts.withLock { $0.document = document }
        return document
    }

    var kind: Kind {
        if TestFile.isNamed(text.path) { return .tests }
        // Editors open many files of these formats.
        let names = document.value.object?.keys ?? []
        return isRead && (names.isEmpty || names.contains(where: Self.known.contains)) ? .workflow : .other
    }

    /// The folder of the text, with a slash at its end.
    var folder: String { text.path.lastIndex(of: "/").map { String(text.path[...$0]) } ?? "/" }

    var url: URL { URL(fileURLWithPath: text.path) }

    /// The findings of `graphflow validate`, those in the files that it names included.
    var findings: [Diagnostic] {
        if let known = parts.withLock({ $0.findings }) { return known }
        let found =
            switch kind {
            case .workflow: Workflow.check(contentsOf: url, with: Catalog.default, open).diagnostics
            case .tests: TestFile.findings(in: text.path, open)
            case .other: [Diagnostic]()
            }
        parts.withLock { $0.findings = found }
        return found
    }

    /// Nil for texts that are no workflows.
    var model: Model? {
        guard kind == .workflow, !text.bytes.isEmpty else { return nil }
        if let known = parts.withLock({ $0.model }) { return known }
        guard let workflow = Workflow(incomplete: document, at: url, open) else { return nil }
        let effects = WorkflowDrawing(workflow).nodes.compactMap { node in
            node.task.flatMap { task in node.effect.map { (task, $0) } }
        }
        let model = Model(
            workflow: workflow, outline: WorkflowOutline(workflow), flow: TypeFlow(workflow, with: Catalog.default),
            effects: Dictionary(effects) { first, _ in first })
        parts.withLock { $0.model = model }
        return model
    }

    /// The task that contains a place, the innermost one.
    func task(around pointer: JSONPointer) -> Workflow.Task? {
        model?.outline.allTasks.filter { pointer.tokens.starts(with: $0.reference.tokens) }
            .max { $0.reference.tokens.count < $1.reference.tokens.count }
    }

    /// The file of the workflow that tests are about, and its workflow.
    var tested: Analysis? {
        guard kind == .tests, let file = try? TestFile.workflow(of: url, document, open) else { return nil }
        return Self.file(file, open)
    }

    /// The tests next to a workflow.
    var tests: Analysis? {
        guard kind == .workflow, let stem = text.path.stem else { return nil }
        return TestFile.endings.lazy.compactMap { Self.file(URL(fileURLWithPath: stem + $0), self.open) }.first
    }

    /// The files next to the text; others are not read.
    var files: WorkflowFiles { WorkflowFiles(folder: URL(fileURLWithPath: folder, isDirectory: true), open) }

    /// What is known of another file; nil if it cannot be read, or is a link that leads out of its folder.
    static func file(_ url: URL, _ open: OpenTexts) -> Analysis? {
        let path = url.absoluteURL.standardizedFileURL.path(percentEncoded: false)
        let files = WorkflowFiles(folder: url.absoluteURL.deletingLastPathComponent(), open)
        guard (try? files.locate(url.lastPathComponent, upTo: Document.sizeLimit)) != nil,
            let data = try? files.contents(of: url.lastPathComponent)
        else { return nil }
        let text = EditedText(EditedText.uri(of: path), version: 0, String(decoding: data, as: UTF8.self))
        return Analysis(text, open)
    }

    func location(_ bytes: Range<Int>) -> Value { ["uri": .string(text.uri), "range": text.range(bytes)] }
}
