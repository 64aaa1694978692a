/// A workflow as a file of the Serverless Workflow DSL 1.0.3 defines it: pure data, ready to be run.
///
/// The standard's own schema accepts every definition; graphflow only adds functions to call.
public struct Workflow: Sendable {
    /// The workflow's name, version and description.
    public var metadata: Metadata
    package var input: Input
    package var tasks: [Task]
    package var output: Output
    /// The time limit of a run; nil for none.
    package var timeout: DurationSource?
    package var components: Components
    /// When the workflow starts by itself; nil for never.
    package var schedule: Schedule?
    /// The sources of changes in Microsoft 365 that a service follows.
    package var changes: [ChangeSource] = []
    /// The source text, with the place of everything in it.
    public let document: Document
    /// The workflow's file; nil if it was not read from a file.
    public private(set) var file: URL?
    /// The folder of the workflow's own files; nil if it was not read from a file.
    public let folder: URL?
    /// The open texts that it was read with.
    package private(set) var texts = OpenTexts()

    /// Reads a workflow file; diagnostics name it by the URL's relative path.
    /// - Throws: ``InvalidWorkflow`` with everything that is wrong with the file.
    public init(contentsOf url: URL) throws(InvalidWorkflow) { try self.init(contentsOf: url, OpenTexts()) }

    package init(contentsOf url: URL, _ texts: OpenTexts) throws(InvalidWorkflow) {
        let document: Document
        do {
            document = try texts.document(at: url)
        } catch {
            throw InvalidWorkflow(diagnostics: error.diagnostics)
        }
        try self.init(document, folder: url.deletingLastPathComponent(), texts)
        file = url.absoluteURL.standardizedFileURL
    }

    /// Reads a workflow from text, for tests and for programs that generate workflows.
    /// - Parameters:
    ///   - text: YAML or JSON.
    ///   - name: The name of the text in diagnostics.
    ///   - folder: The folder of the files that the workflow names; nil if it may name none.
    /// - Throws: ``InvalidWorkflow`` with everything that is wrong with the text.
    public init(text: String, name: String = "workflow.yaml", folder: URL? = nil) throws(InvalidWorkflow) {
        let document: Document
        do {
            document = try Document(text: text, name: name)
        } catch {
            throw InvalidWorkflow(diagnostics: error.diagnostics)
        }
        try self.init(document, folder: folder)
    }

    private init(_ document: Document, folder: URL?, _ texts: OpenTexts = OpenTexts()) throws(InvalidWorkflow) {
        let decoding = Decoding(document, files: WorkflowFiles(folder: folder, texts))
        var decoded = Workflow(DocumentNode(document.value), document: document, folder: folder, decoding)
        decoded?.texts = texts
        let diagnostics = decoding.findings
        guard let decoded, !diagnostics.contains(where: { $0.severity == .error }) else {
            // If not all findings are shown, there are enough.
            throw InvalidWorkflow(
                diagnostics: document.warnings + diagnostics, decoded: decoding.omitted > 0 ? nil : decoded)
        }
        self = decoded
    }

    /// What a document that may be half typed has of a workflow; expressions that cannot be read are `.`.
    package init?(incomplete document: Document, at url: URL, _ texts: OpenTexts) {
        let folder = url.deletingLastPathComponent()
        let decoding = Decoding(document, files: WorkflowFiles(folder: folder, texts))
        decoding.completes = true
        self.init(DocumentNode(document.value), document: document, folder: folder, decoding)
        (self.texts, file) = (texts, url.absoluteURL.standardizedFileURL)
    }

    /// The files next to the workflow.
    package var files: WorkflowFiles { WorkflowFiles(folder: folder, texts) }

    init(
        metadata: Metadata, input: Input, tasks: [Task], output: Output, timeout: DurationSource?,
        components: Components, schedule: Schedule?, document: Document, folder: URL?
    ) {
        self.metadata = metadata
        self.input = input
        self.tasks = tasks
        self.output = output
        self.timeout = timeout
        self.components = components
        self.schedule = schedule
        self.document = document
        self.folder = folder
    }

    /// A workflow's metadata.
    public struct Metadata: Sendable, Hashable {
        /// The version of the DSL that the file is written in.
        public var dsl: String
        /// The group that the workflow belongs to.
        public var namespace: String
        /// The workflow's name, unique in its namespace.
        public var name: String
        /// The workflow's semantic version.
        public var version: String
        /// A title for people.
        public var title: String?
        /// A summary in Markdown.
        public var summary: String?

        /// The namespace and the name: what versions of one workflow share.
        package var qualifiedName: String { "\(namespace)/\(name)" }

        /// Creates metadata.
        public init(
            dsl: String, namespace: String, name: String, version: String, title: String? = nil, summary: String? = nil
        ) {
            self.dsl = dsl
            self.namespace = namespace
            self.name = name
            self.version = version
            self.title = title
            self.summary = summary
        }
    }

    /// Every task at every depth: the reusable ones, then the workflow's own in the order of the file.
    package var allTasks: [Task] {
        var all: [Task] = []
        for list in components.taskLists + [tasks] { for task in list { task.append(to: &all) } }
        return all
    }
}

/// A workflow file, or the input for one, that cannot be run.
public struct InvalidWorkflow: Error, Sendable {
    /// All findings, errors and warnings, in the order of the file.
    public let diagnostics: [Diagnostic]

    /// What could be decoded despite the errors, for more findings; never run.
    package let decoded: Workflow?

    /// Creates the error from what was found.
    public init(diagnostics: [Diagnostic]) { self.init(diagnostics: diagnostics, decoded: nil) }

    init(diagnostics: [Diagnostic], decoded: Workflow?) {
        self.diagnostics = diagnostics
        self.decoded = decoded
    }
}

extension InvalidWorkflow: CustomStringConvertible {
    /// The findings as a compiler would print them.
    public var description: String { diagnostics.map { $0.text() }.joined(separator: "\n") }
}
