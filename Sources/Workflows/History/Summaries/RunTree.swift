/// The events of a run as a tree: its tasks, each with its inner tasks.
package struct RunTree {
    /// One execution of a task, or an inner run.
    package struct Node {
        package enum State: String {
            case running, completed, faulted, cancelled, skipped
        }

        /// An event before it ended.
        package struct Note {
            package enum Kind: String {
                case retried, requestRetried, held, uploaded, drafted, direct, emitted, waiting, received, resumed
            }

            package let kind: Kind
            package let time: Date
            package var text = ""
            package var attempt: Int?
            package var delay: Duration?
        }

        package var run: String
        package var task: JSONPointer?
        package var occurrence = ""
        /// The index of the `forEach` item of a run; nil for any other execution.
        package var item: Int?
        package var name: String
        package var state = State.running
        package var startedAt: Date
        package var endedAt: Date?
        package var attempt = 1
        /// Whether a directive led back to it, and not only to its list.
        package var isRepeated = false
        package var effect: Idempotency?
        package var error: WorkflowError?
        /// Its input; nil if that is not recorded or not kept.
        package var input: Value?
        package var output: Value?
        /// The data of its current round: the input of the round's first task.
        fileprivate var data: Value?
        package var notes: [Note] = []
        package var children: [Int] = []
        package var forgotten: Forgotten?

        package var place: RunPlace {
            RunPlace(run: run, execution: task.map { TaskExecution($0, occurrence) } ?? .run)
        }

        /// How long the task waited before retries of it or of its requests.
        package var waited: Duration { notes.compactMap(\.delay).reduce(.zero, +) }
    }

    /// All nodes; the first one is the run itself.
    package private(set) var nodes: [Node]
    /// The times in which the run was interrupted.
    package private(set) var pauses: [Range<Date>] = []
    private var places: [RunPlace: Int] = [:]
    /// The data in each list of tasks, after the tasks that have ended.
    private var flow: [RunPlace: Value] = [:]
    private var lastTime: Date
    /// The tasks so far, so that a repeated task is in memory once.
    private var tasks: Set<JSONPointer> = []
    private let keepsData: Bool
    /// The number of nodes at which repetitions are next forgotten; nil to keep all.
    private var limit: Int?
    /// The strongest effects that the workflow's tasks can have.
    private let effects: [JSONPointer: Idempotency]

    /// - Parameters:
    ///   - effects: The effects of the run's tasks according to its workflow.
    ///   - keepsData: Whether the inputs and outputs of tasks are kept.
    ///   - limit: Above this number of nodes, repetitions that would be folded are forgotten; nil to keep all.
    package init(
        _ header: Journal.Header, effects: [JSONPointer: Idempotency] = [:], keepsData: Bool = true, limit: Int? = nil
    ) {
        self.limit = limit
        self.effects = effects
        self.keepsData = keepsData
        lastTime = header.startedAt
        nodes = [Node(run: header.run, name: header.workflow.name, startedAt: header.startedAt)]
        nodes[0].input = header.input
        places[nodes[0].place] = 0
    }

    /// The duration of a task, without the times in which the run was interrupted.
    /// - Parameter now: The end of tasks that have not ended.
    package func duration(of node: Node, now: Date) -> Double {
        let end = node.endedAt ?? now
        let length = end.timeIntervalSince(node.startedAt)
        return max(
            0,
            pauses.reduce(length) { length, pause in
                let overlap = min(end, pause.upperBound).timeIntervalSince(max(node.startedAt, pause.lowerBound))
                return length - max(0, overlap)
            })
    }

    package mutating func take(_ event: Event) {
        defer { lastTime = event.time }
        if let limit, nodes.count >= limit { forget(from: limit) }
        switch event.kind {
        case .workflowStarted(let input, let context):
            if let parent = event.parent {
                let caller = TaskExecution(parent.task, parent.occurrence)
                func find(_ execution: TaskExecution) -> Int? { index(of: execution, in: parent.run) }
                let around = caller.inSomeRepetition(find) ?? caller.around(find) ?? 0
                var node = Node(run: event.run, name: event.workflow.shownName, startedAt: event.time)
                node.item = caller.item
                add(node, inside: around)
            }
            if keepsData { change(event) { ($0.input, $0.data) = (input, context) } }
        case .workflowCompleted(let output): end(event, .completed, output: output)
        case .workflowFaulted(let error): end(event, .faulted, error: error)
        case .workflowCancelled: end(event, .cancelled)
        case .workflowSuspended: break
        case .workflowResumed:
            if lastTime < event.time { pauses.append(lastTime..<event.time) }
            change(event) { node in
                (node.state, node.endedAt, node.error) = (.running, nil, nil)
                node.notes.append(Node.Note(kind: .resumed, time: event.time))
            }
        case .taskStarted(let task, let input): begin(event, task, input)
        case .taskSkipped(let task):
            begin(event, task, nil)
            end(event, .skipped)
        case .taskCompleted(let task, let output, _, _):
            end(event, .completed, output: keepsData ? .some(output) : .none)
            if keepsData, !TaskExecution(task).isBranch { flow[list(of: task, event)] = output }
        case .taskFaulted(_, let error): end(event, .faulted, error: error)
        case .taskCancelled: end(event, .cancelled)
        case .taskRetried(_, let attempt, let delay, let error):
            change(event) { node in
                node.attempt = attempt
                node.notes.append(
                    Node.Note(
                        kind: .retried, time: event.time, text: error.description, attempt: attempt, delay: delay))
            }
        case .callStarted(let task, let effect):
            // A call that can be repeated up to its last request still must not happen twice.
            let isOnce = effect == .idempotent && event.parent == nil && effects[task] == .once
            change(event) { $0.effect = isOnce ? .once : effect }
        case .iterationStarted(_, _, let data): if keepsData { change(event) { $0.data = data } }
        case .jumped(let task, _, let data): if keepsData { flow[list(of: task, event)] = data }
        case .eventEmitted(_, let emitted): note(event, .emitted, emitted.type)
        case .correlationStarted: note(event, .waiting)
        case .correlationCompleted: note(event, .received)
        case .request(_, let request): take(request, of: event)
        case .taskCreated, .taskSuspended, .taskResumed, .decided, .iterationCompleted, .eventReceived, .eventRead,
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
                // One line per file, regardless of the number of ranges.
                if node.notes.last?.kind == .uploaded { node.notes.removeLast() }
                node.notes.append(
                    Node.Note(kind: .uploaded, time: event.time, text: "\(bytes.byteText) of \(total.byteText)"))
            case .drafted(let id, _):
                node.effect = .once
                node.notes.append(Node.Note(kind: .drafted, time: event.time, text: id))
            case .committing(let reason):
                node.effect = .once
                if let reason { node.notes.append(Node.Note(kind: .direct, time: event.time, text: reason)) }
            case .effect: break
            }
        }
    }

    /// Begins a task; a resumed run can begin it again.
    private mutating func begin(_ event: Event, _ task: JSONPointer, _ input: Value?) {
        let place = RunPlace(run: event.run, execution: TaskExecution(task, event.occurrence))
        if let known = places[place] {
            (nodes[known].state, nodes[known].endedAt, nodes[known].error) = (.running, nil, nil)
            return
        }
        let task = tasks.insert(task).memberAfterInsert
        let around = TaskExecution(task, event.occurrence).around { index(of: $0, in: event.run) } ?? 0
        var node = Node(
            run: event.run, task: task, occurrence: event.occurrence, name: task.tokens.last ?? "",
            startedAt: event.time)
        node.isRepeated = nodes[around].children.contains { nodes[$0].task == task && nodes[$0].run == event.run }
        if keepsData { node.input = input ?? flow[list(of: task, event)] ?? self.input(of: task, event, in: around) }
        add(node, inside: around)
    }

    /// The input of the first task of a list, which comes from the task around it; nil if that is not recorded.
    private func input(of task: JSONPointer, _ event: Event, in around: Int) -> Value? {
        let parent = nodes[around]
        // The arguments of a function, the input of an extension and the events of a `listen` are not recorded.
        let isGiven = RunTree.part(of: event.occurrence, inside: parent.occurrence).map { part in
            part.hasPrefix("call:") || part.hasPrefix("extend:") || part.hasPrefix("foreach:")
        }
        return isGiven ?? false ? nil : parent.data ?? parent.input
    }

    private func list(of task: JSONPointer, _ event: Event) -> RunPlace {
        RunPlace(run: event.run, execution: TaskExecution(task.list, event.occurrence))
    }

    /// The first repetition of an occurrence inside another one: `try:2` of `for:3/try:2` inside `for:3`.
    package static func part(of occurrence: String, inside outer: String) -> Substring? {
        let rest = occurrence.dropFirst(outer.isEmpty ? 0 : outer.count + 1)
        return rest.isEmpty ? nil : rest.prefix { $0 != "/" }
    }

    private mutating func add(_ node: Node, inside around: Int) {
        places[node.place] = nodes.count
        nodes[around].children.append(nodes.count)
        nodes.append(node)
    }

    /// Drops repetitions that would be folded, and the data about their tasks.
    private mutating func forget(from limit: Int) {
        nodes = folded(now: lastTime)
        places = [:]
        for (index, node) in nodes.enumerated() { places[node.place] = index }
        let occurrences = Set(nodes.map(\.occurrence))
        flow = flow.filter { occurrences.contains($0.key.execution.occurrence) }
        self.limit = Swift.max(limit, 2 * nodes.count)
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
        if let index = index(of: event.execution ?? .run, in: event.run) { body(&nodes[index]) }
    }

    private func index(of execution: TaskExecution, in run: String) -> Int? {
        places[RunPlace(run: run, execution: execution)]
    }
}
