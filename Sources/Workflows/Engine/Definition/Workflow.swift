public import Foundation

/// A workflow as a file of the Serverless Workflow DSL 1.0.3 defines it: pure data, ready to be run.
///
/// Every definition is one that the standard's own schema accepts; what graphflow adds are functions to call.
public struct Workflow: Sendable {
    /// Who the workflow is.
    public var metadata: Metadata
    /// How the input is checked and transformed before the first task.
    package var input: Input
    /// The tasks in order.
    package var tasks: [Task]
    /// How the last task's output is transformed and checked.
    package var output: Output
    /// How long a run may take; nil for as long as it needs.
    package var timeout: DurationSource?
    /// What the workflow defines for reuse.
    package var components: Components
    /// When the workflow is started without anybody who starts it; nil for never.
    package var schedule: Schedule?
    /// The text that this was read from, with the place of everything in it.
    public let document: Document
    /// The file that this was read from; nil where it was not read from one.
    public private(set) var file: URL?
    /// The folder in which the workflow's own files lie; nil where it was not read from a file.
    public let folder: URL?

    /// Reads a workflow file, which diagnostics call by the address's relative path.
    /// - Throws: ``InvalidWorkflow`` with everything that is wrong with the file.
    public init(contentsOf url: URL) throws(InvalidWorkflow) {
        let document: Document
        do {
            document = try Document(contentsOf: url)
        } catch {
            throw InvalidWorkflow(diagnostics: error.diagnostics)
        }
        try self.init(document, folder: url.deletingLastPathComponent())
        file = url.absoluteURL.standardizedFileURL
    }

    /// Reads a workflow from text, for tests and for programs that make their workflows.
    /// - Parameters:
    ///   - text: YAML or JSON.
    ///   - name: What diagnostics call the text.
    ///   - folder: Where the files lie that the workflow names; nil where it may name none.
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

    private init(_ document: Document, folder: URL?) throws(InvalidWorkflow) {
        let decoding = Decoding(document, files: WorkflowFiles(folder: folder))
        let decoded = Workflow(DocumentNode(document.value), document: document, folder: folder, decoding)
        let diagnostics = decoding.diagnostics.inFileOrder
        guard let decoded, !diagnostics.contains(where: { $0.severity == .error }) else {
            throw InvalidWorkflow(diagnostics: diagnostics, decoded: decoded)
        }
        self = decoded
    }

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
}

extension Workflow {
    /// What a workflow says of itself.
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

        /// Creates what a workflow says of itself.
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

    /// Every task at every depth: those that the workflow defines for reuse, then its own in the order of the file.
    package var allTasks: [Task] {
        var all: [Task] = []
        for list in components.taskLists + [tasks] { for task in list { task.append(to: &all) } }
        return all
    }
}

/// A workflow file, or the input for one, that cannot be run.
public struct InvalidWorkflow: Error, Sendable {
    /// Everything that was found, errors and warnings, in the order of the file.
    public let diagnostics: [Diagnostic]

    /// What could be decoded in spite of the errors, so that more can be found in it; never to be run.
    let decoded: Workflow?

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
