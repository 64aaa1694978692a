/// A workflow as a picture: its tasks as nodes, the ways between them as edges, and tasks that contain others as
/// clusters.
///
/// An edge joins two parts of the same cluster, so every cluster can be laid out alone. ``mermaid``, ``dot`` and
/// ``svg`` draw the same picture.
public struct WorkflowDrawing: Sendable, Hashable {
    /// Identifies a node or a cluster; parts come in the order of their numbers.
    public typealias ID = Int

    /// What the workflow is called.
    public var title: String
    /// The tasks that contain no others, and where the workflow begins and ends.
    package var nodes: [Node]
    /// The tasks that contain others, each before its inner tasks.
    package var clusters: [Cluster]
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

    /// The text of a node or a cluster.
    package struct Caption: Sendable, Hashable {
        package var title: String
        /// What the task does, as the file writes it: `call upload`.
        package var words: [String] = []
        /// Its condition, time limit and retries.
        package var marks: [Mark] = []

        package var lines: [String] { [title] + words + marks.map(\.text) }
    }

    /// A property of a task in addition to its action.
    package enum Mark: Sendable, Hashable {
        /// The condition without which it is skipped.
        case condition(String)
        case timeout(String)
        case retry(String)
        /// The errors after which it is retried: `on status 503 · when .isSlow`.
        case errors(String)
        /// A note that a program adds.
        case note(String)

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

    /// A task that contains no others, or a place where a list begins or ends.
    package struct Node: Sendable, Hashable, Identifiable {
        package enum Kind: String, Sendable, Hashable, CaseIterable {
            case start
            case end
            /// Where a list of tasks is left.
            case exit
            /// An error that is caught and has no further consequence.
            case ignored
            /// A list without tasks.
            case empty
            case call
            case emit
            case listen
            case raise
            case run
            case set
            case `switch`
            case wait
        }

        package let id: ID
        /// The cluster that it is in; nil for none.
        package let cluster: ID?
        package let kind: Kind
        package var caption: Caption
        /// What it does to the world; nil if nothing outside the run notices it.
        package let effect: Idempotency?
        /// The task; nil for a place without one.
        package let task: JSONPointer?
    }

    /// A task that contains others.
    package struct Cluster: Sendable, Hashable, Identifiable {
        package enum Kind: String, Sendable, Hashable, CaseIterable {
            case `do`
            case `for`
            case fork
            case listen
            case `try`
            case `catch`
            /// A function that the workflow defines.
            case function
            /// Tasks before or after other tasks.
            case `extension`
        }

        package let id: ID
        /// The cluster that it is in; nil for none.
        package let cluster: ID?
        package let kind: Kind
        package var caption: Caption
        package let task: JSONPointer?
    }

    /// A way from one node or cluster to another.
    package struct Edge: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            /// The normal order, or that of `then` or a case.
            case flow
            case fallback
        }

        package let from: ID
        package let to: ID
        package let kind: Kind
        /// Its reasons, one per line: a case's name and condition, or the errors that are caught.
        package internal(set) var label: [String]
    }
}

/// The name of a drawing before `MicrosoftGraph` was a product.
@available(*, deprecated, renamed: "WorkflowDrawing")
public typealias WorkflowGraph = WorkflowDrawing
