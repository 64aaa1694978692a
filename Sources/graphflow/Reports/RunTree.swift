import Essentials
import Workflows

/// What happened in a run: its tasks, each with its inner tasks.
struct RunTree {
    /// One execution of a task, or a run inside the run.
    struct Node {
        /// How far it got.
        enum State: String {
            case running, completed, faulted, cancelled, skipped
        }

        /// Something that happened before it ended.
        struct Note {
            enum Kind: String {
                case retried, requestRetried, held, uploaded, drafted, emitted, waiting, received, resumed
            }

            let kind: Kind
            let time: Date
            var text = ""
            var attempt: Int?
            var delay: Duration?
        }

        var run: String
        /// The task; nil for a run inside the run.
        var task: JSONPointer?
        var occurrence = ""
        var name: String
        var state = State.running
        var startedAt: Date
        var endedAt: Date?
        var attempt = 1
        var effect: Effect?
        var error: WorkflowError?
        var output: Value?
        var notes: [Note] = []
        var children: [Int] = []

        /// How long the task waited before retries of it or of its requests.
        var waited: Duration { notes.compactMap(\.delay).reduce(.zero, +) }
    }

    private struct Place: Hashable {
        var run: String
        var task: JSONPointer?
        var occurrence: String
    }

    /// All nodes; the first one is the run itself.
    private(set) var nodes: [Node]
    private var places: [Place: Int] = [:]

    /// Builds the tree of a run from its events.
    init(_ header: Journal.Header, _ events: [Event]) {
        nodes = [Node(run: header.run, name: header.workflow.name, startedAt: header.startedAt)]
        places[Place(run: header.run, task: nil, occurrence: "")] = 0
        for event in events { take(event) }
    }

    private mutating func take(_ event: Event) {
        switch event.kind {
        case .workflowStarted:
            guard let parent = event.parent else { return }
            let around = enclosing(parent.run, parent.task, parent.occurrence, includingItself: true)
            add(Node(run: event.run, name: event.workflow.name, startedAt: event.time), inside: around)
        case .workflowCompleted(let output): end(event, .completed, output: output)
        case .workflowFaulted(let error): end(event, .faulted, error: error)
        case .workflowCancelled: end(event, .cancelled)
        case .workflowSuspended: break
        case .workflowResumed:
            change(event) { node in
                (node.state, node.endedAt, node.error) = (.running, nil, nil)
                node.notes.append(Node.Note(kind: .resumed, time: event.time))
            }
        case .taskStarted(let task, _): begin(event, task)
        case .taskSkipped(let task):
            begin(event, task)
            end(event, .skipped)
        case .taskCompleted(_, let output, _, _): end(event, .completed, output: output)
        case .taskFaulted(_, let error): end(event, .faulted, error: error)
        case .taskCancelled: end(event, .cancelled)
        case .taskRetried(_, let attempt, let delay, let error):
            change(event) { node in
                node.attempt = attempt
                node.notes.append(
                    Node.Note(
                        kind: .retried, time: event.time, text: error.description, attempt: attempt, delay: delay))
            }
        case .callStarted(_, let effect): change(event) { $0.effect = effect }
        case .eventEmitted(_, let emitted): note(event, .emitted, emitted.type)
        case .correlationStarted: note(event, .waiting)
        case .correlationCompleted: note(event, .received)
        case .request(_, let request): take(request, of: event)
        case .taskCreated, .decided, .iterationStarted, .iterationCompleted, .jumped, .eventReceived, .eventRead,
            .callEnded:
            break
        }
    }

    private mutating func take(_ request: GraphEvent, of event: Event) {
        change(event) { node in
            switch request.kind {
            case .retrying(let attempt, let reason, let delay):
                node.attempt = max(node.attempt, attempt)
                node.notes.append(
                    Node.Note(kind: .requestRetried, time: event.time, text: reason, attempt: attempt, delay: delay))
            case .held(let delay, let reason):
                node.notes.append(Node.Note(kind: .held, time: event.time, text: reason, delay: delay))
            case .uploaded(let bytes, let total):
                // One line per file, however many ranges it is sent in.
                if node.notes.last?.kind == .uploaded { node.notes.removeLast() }
                node.notes.append(
                    Node.Note(kind: .uploaded, time: event.time, text: "\(bytes.byteText) of \(total.byteText)"))
            case .drafted(let id, _): node.notes.append(Node.Note(kind: .drafted, time: event.time, text: id))
            case .committing: break
            }
        }
    }

    /// A task begins, or begins again when the run is resumed.
    private mutating func begin(_ event: Event, _ task: JSONPointer) {
        let place = Place(run: event.run, task: task, occurrence: event.occurrence)
        if let known = places[place] {
            (nodes[known].state, nodes[known].endedAt, nodes[known].error) = (.running, nil, nil)
            return
        }
        let around = enclosing(event.run, task, event.occurrence, includingItself: false)
        add(
            Node(
                run: event.run, task: task, occurrence: event.occurrence, name: task.tokens.last ?? "",
                startedAt: event.time), inside: around)
    }

    private mutating func add(_ node: Node, inside around: Int) {
        places[Place(run: node.run, task: node.task, occurrence: node.occurrence)] = nodes.count
        nodes[around].children.append(nodes.count)
        nodes.append(node)
    }

    private mutating func note(_ event: Event, _ kind: Node.Note.Kind, _ text: String = "") {
        change(event) { $0.notes.append(Node.Note(kind: kind, time: event.time, text: text)) }
    }

    private mutating func end(_ event: Event, _ state: Node.State, output: Value? = nil, error: WorkflowError? = nil) {
        change(event) { node in
            (node.state, node.endedAt, node.output, node.error) = (state, event.time, output, error)
        }
    }

    private mutating func change(_ event: Event, _ body: (inout Node) -> Void) {
        let occurrence = event.task == nil ? "" : event.occurrence
        guard let index = places[Place(run: event.run, task: event.task, occurrence: occurrence)] else { return }
        body(&nodes[index])
    }

    /// The innermost node around a task.
    private func enclosing(
        _ run: String, _ task: JSONPointer, _ occurrence: String, includingItself: Bool
    ) -> Int {
        var place: JSONPointer? = includingItself ? task : task.parent
        while let around = place, !around.tokens.isEmpty {
            if let found = find(run, around, occurrence) { return found }
            place = around.parent
        }
        // Tasks of a function or an extension belong to the task that they run for.
        var parts = occurrence.split(separator: "/")
        while let part = parts.popLast() {
            guard let sign = part.firstIndex(of: ":"), ["call", "extend"].contains(part[..<sign]) else { continue }
            let text = part[part.index(after: sign)...].replacing("~1", with: "/").replacing("~0", with: "~")
            guard let caller = JSONPointer(rfc6901: String(text)) else { continue }
            return enclosing(run, caller, parts.joined(separator: "/"), includingItself: true)
        }
        return places[Place(run: run, task: nil, occurrence: "")] ?? 0
    }

    /// The node of a task with the same occurrence, or with one around it.
    private func find(_ run: String, _ task: JSONPointer, _ occurrence: String) -> Int? {
        var parts = occurrence.split(separator: "/")
        while true {
            let text = parts.joined(separator: "/")
            if let found = places[Place(run: run, task: task, occurrence: text)] { return found }
            guard parts.popLast() != nil else { return nil }
        }
    }
}

extension RunTree.Node {
    /// The round or attempt of this execution; nil if there is only one.
    var label: String? {
        guard let part = occurrence.split(separator: "/").last, let sign = part.firstIndex(of: ":"),
            let number = Int(part[part.index(after: sign)...])
        else { return nil }
        return switch part[..<sign] {
        case "for", "foreach": "round \(number + 1)"
        case "try": number > 1 ? "attempt \(number)" : nil
        case "jump": number > 0 ? "again, \(number)" : nil
        default: nil
        }
    }
}
