/// A workflow as a picture: its tasks as nodes, the ways between them as edges, and tasks that hold others as clusters.
///
/// An edge leads from one part of a cluster to another part of the same cluster, so every cluster can be laid out by
/// itself. ``mermaid``, ``dot`` and ``svg`` draw the same picture.
public struct WorkflowDrawing: Sendable, Hashable {
    /// Tells a node or a cluster from every other one; parts come in the order of their numbers.
    public typealias ID = Int

    /// What the workflow is called.
    public var title: String
    /// The tasks that hold no others, and where the workflow begins and ends.
    package var nodes: [Node]
    /// The tasks that hold others, each before those in it.
    package var clusters: [Cluster]
    /// The ways from one to another.
    package var edges: [Edge]

    /// Draws a workflow.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - catalog: The functions that it calls, whose effects are shown.
    public init(_ workflow: Workflow, catalog: any FunctionCatalog) {
        var builder = DrawingBuilder(workflow, catalog: catalog)
        self = builder.build()
    }

    init(title: String) {
        self.title = title
        nodes = []
        clusters = []
        edges = []
    }

    /// The picture with notes at tasks.
    package func marking(_ notes: [JSONPointer: [String]]) -> WorkflowDrawing {
        func marks(_ task: JSONPointer?) -> [Mark] { (task.flatMap { notes[$0] } ?? []).map(Mark.note) }
        var drawing = self
        for index in nodes.indices { drawing.nodes[index].caption.marks += marks(nodes[index].task) }
        for index in clusters.indices { drawing.clusters[index].caption.marks += marks(clusters[index].task) }
        return drawing
    }
}

extension WorkflowDrawing {
    /// What stands at a node or a cluster.
    package struct Caption: Sendable, Hashable {
        /// The task's name.
        package var title: String
        /// What the task does, in the words of the file: `call upload`.
        package var words: [String] = []
        /// Under which condition it is performed, how long it may take, and how often it is tried again.
        package var marks: [Mark] = []

        /// Everything that stands there, a line each.
        package var lines: [String] { [title] + words + marks.map(\.text) }
    }

    /// Something that holds for a task beside what it does.
    package enum Mark: Sendable, Hashable {
        /// The condition without which it is skipped.
        case condition(String)
        /// How long it may take.
        case timeout(String)
        /// How often and when it is tried again.
        case retry(String)
        /// After which errors it is tried again: `on status 503 · when .isSlow`.
        case errors(String)
        /// What a program says about it.
        case note(String)

        /// The mark as it is read.
        package var text: String {
            switch self {
            case .condition(let expression): "if \(expression)"
            case .timeout(let time): "timeout \(time)"
            case .retry(let policy): "↻ \(policy)"
            case .errors(let errors): errors
            case .note(let text): text
            }
        }
    }

    /// A task that holds no others, or a place where a list begins or ends.
    package struct Node: Sendable, Hashable, Identifiable {
        /// What a node stands for.
        package enum Kind: String, Sendable, Hashable, CaseIterable {
            /// Where the workflow begins.
            case start
            /// Where the workflow is complete.
            case end
            /// Where a list of tasks is left.
            case exit
            /// An error that is caught and has no further consequence.
            case ignored
            /// A list without tasks.
            case empty
            /// A call of a function.
            case call
            /// An event that is emitted.
            case emit
            /// A wait for events.
            case listen
            /// An error that is raised.
            case raise
            /// A program, or another workflow.
            case run
            /// Data that is set.
            case set
            /// A choice of where to go on.
            case `switch`
            /// A wait.
            case wait
        }

        /// Which node this is.
        package let id: ID
        /// The cluster that it is in; nil for none.
        package let cluster: ID?
        /// What it stands for.
        package let kind: Kind
        /// What stands in it.
        package var caption: Caption
        /// What it does to the world; nil where nothing outside the run notices it.
        package let effect: Idempotency?
        /// The task; nil for a place that is none.
        package let task: JSONPointer?
    }

    /// A task that holds others.
    package struct Cluster: Sendable, Hashable, Identifiable {
        /// What a cluster stands for.
        package enum Kind: String, Sendable, Hashable, CaseIterable {
            /// Tasks one after the other.
            case `do`
            /// Tasks for each element.
            case `for`
            /// Tasks side by side.
            case fork
            /// Tasks for each event.
            case listen
            /// Tasks whose errors are caught.
            case `try`
            /// Tasks for an error that was caught.
            case `catch`
            /// A function that the workflow defines.
            case function
            /// What is performed before or after other tasks.
            case `extension`
        }

        /// Which cluster this is.
        package let id: ID
        /// The cluster that it is in; nil for none.
        package let cluster: ID?
        /// What it stands for.
        package let kind: Kind
        /// What stands at its head.
        package var caption: Caption
        /// The task; nil for what is none.
        package let task: JSONPointer?
    }

    /// A way from one node or cluster to another one.
    package struct Edge: Sendable, Hashable {
        /// Why the workflow goes this way.
        package enum Kind: Sendable, Hashable {
            /// Because nothing else was said, or because `then` or a case says so.
            case flow
            /// Because an error was caught.
            case fallback
        }

        /// Where the way begins.
        package let from: ID
        /// Where it leads.
        package let to: ID
        /// Why it is gone.
        package let kind: Kind
        /// When it is gone, a line for each reason: a case's name and condition, or the errors that are caught.
        package internal(set) var label: [String]
    }
}

/// The name of a drawing before `MicrosoftGraph` was a product.
@available(*, deprecated, renamed: "WorkflowDrawing")
public typealias WorkflowGraph = WorkflowDrawing
