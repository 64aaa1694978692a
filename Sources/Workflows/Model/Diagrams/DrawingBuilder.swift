/// Builds the picture of a workflow: one pass over its tasks in the order of the file.
struct DrawingBuilder {
    /// A way out of a task, whose target is not known yet.
    private struct Way {
        var from: WorkflowDrawing.ID
        var directive: FlowDirective
        var label: [String] = []
    }

    /// A drawn task: its start, and every way out of it.
    private struct Drawn {
        var head: WorkflowDrawing.ID
        var ways: [Way]
    }

    private let workflow: Workflow
    private let effects: DrawnEffects
    private var drawing: WorkflowDrawing
    private var next = 1

    init(_ workflow: Workflow, catalog: any FunctionCatalog) {
        self.workflow = workflow
        effects = DrawnEffects(workflow, catalog: catalog)
        let metadata = workflow.metadata
        drawing = WorkflowDrawing(title: metadata.title ?? metadata.name)
    }

    mutating func build() -> WorkflowDrawing {
        let metadata = workflow.metadata
        var caption = WorkflowDrawing.Caption(title: metadata.name, words: workflow.schedule?.words ?? [])
        if let timeout = workflow.timeout { caption.marks.append(.timeout(timeout.words)) }
        let start = node(.start, in: nil, caption)
        let drawn = workflow.tasks.map { draw($0, in: nil) }
        let end = node(.end, in: nil, WorkflowDrawing.Caption(title: "end"))
        connect(start, to: drawn.first?.head ?? end)
        connect(drawn, of: workflow.tasks, in: nil, exit: end, end: end)
        for (name, task) in workflow.components.functions.sorted(by: { $0.key < $1.key }) {
            let cluster = self.cluster(.function, in: nil, WorkflowDrawing.Caption(title: name))
            draw([task], in: cluster)
        }
        for element in workflow.components.extensions {
            let lists = [("before", element.before), ("after", element.after)]
            for (place, tasks) in lists where !tasks.isEmpty {
                let target = element.target == .all ? "every task" : "every \(element.target.rawValue)"
                var caption = WorkflowDrawing.Caption(title: element.name, words: ["\(place) \(target)"])
                if let condition = element.condition { caption.marks.append(.condition(condition.words)) }
                draw(tasks, in: cluster(.extension, in: nil, caption))
            }
        }
        return drawing
    }

    private mutating func draw(_ tasks: [Workflow.Task], in cluster: WorkflowDrawing.ID) {
        guard !tasks.isEmpty else {
            _ = node(.empty, in: cluster, WorkflowDrawing.Caption(title: "nothing"))
            return
        }
        let drawn = tasks.map { draw($0, in: cluster) }
        let last = drawn.count - 1
        // The end of a list needs no node unless a task leads there by name.
        let needsExit = drawn.enumerated().contains { place, task in
            task.ways.contains { way in
                (way.directive == .exit && place != last)
                    || (!way.label.isEmpty && (way.directive == .exit || (way.directive == .continue && place == last)))
            }
        }
        let needsEnd = drawn.contains { $0.ways.contains { $0.directive == .end } }
        let exit = needsExit ? node(.exit, in: cluster, WorkflowDrawing.Caption(title: "exit")) : nil
        let end = needsEnd ? node(.end, in: cluster, WorkflowDrawing.Caption(title: "end")) : nil
        connect(drawn, of: tasks, in: cluster, exit: exit, end: end)
    }

    private mutating func connect(
        _ drawn: [Drawn], of tasks: [Workflow.Task], in cluster: WorkflowDrawing.ID?, exit: WorkflowDrawing.ID?,
        end: WorkflowDrawing.ID?
    ) {
        let heads = Dictionary(zip(tasks.map(\.name), drawn.map(\.head))) { first, _ in first }
        for (place, task) in drawn.enumerated() {
            for way in task.ways {
                let target: WorkflowDrawing.ID?
                switch way.directive {
                case .continue: target = place + 1 < drawn.count ? drawn[place + 1].head : exit
                case .exit: target = exit
                case .end: target = end
                case .task(let name): target = heads[name]
                }
                if let target { connect(way.from, to: target, way.label) }
            }
        }
    }

    private mutating func draw(_ task: Workflow.Task, in parent: WorkflowDrawing.ID?) -> Drawn {
        var caption = WorkflowDrawing.Caption(title: task.name, words: task.words)
        if let condition = task.condition { caption.marks.append(.condition(condition.words)) }
        if let timeout = task.timeout { caption.marks.append(.timeout(timeout.words)) }
        let head: WorkflowDrawing.ID
        var tails: [WorkflowDrawing.ID]
        var ways: [Way] = []
        switch task.action {
        case .do, .for, .fork: (head, tails) = composite(task, caption, in: parent)
        case .try(let attempt):
            (head, tails) = composite(task, caption, in: parent)
            if let then = attempt.catch.then, let fallback = tails.popLast() {
                ways.append(Way(from: fallback, directive: then))
            }
        case .listen(let listen) where listen.iterator != nil: (head, tails) = composite(task, caption, in: parent)
        case .switch(let cases):
            head = node(.switch, in: parent, caption, task: task)
            tails = cases.contains { $0.condition == nil } ? [] : [head]
            ways = cases.map {
                Way(from: head, directive: $0.then, label: [$0.name] + ($0.condition.map { [$0.words] } ?? []))
            }
            if !tails.isEmpty {
                ways.append(Way(from: head, directive: task.then, label: ["otherwise"]))
                tails = []
            }
        case .raise:
            head = node(.raise, in: parent, caption, task: task)
            tails = []
        case .call(let call) where call.inline != nil: (head, tails) = composite(task, caption, in: parent)
        case .call: (head, tails) = leaf(.call, caption, task, in: parent)
        case .emit: (head, tails) = leaf(.emit, caption, task, in: parent)
        case .listen: (head, tails) = leaf(.listen, caption, task, in: parent)
        case .run: (head, tails) = leaf(.run, caption, task, in: parent)
        case .set: (head, tails) = leaf(.set, caption, task, in: parent)
        case .wait: (head, tails) = leaf(.wait, caption, task, in: parent)
        }
        ways += tails.map { Way(from: $0, directive: task.then) }
        // A skipped task is followed by the next one, whatever its directive.
        if task.condition != nil, task.then != .continue || tails.isEmpty {
            ways.append(Way(from: head, directive: .continue, label: ["if not"]))
        }
        return Drawn(head: head, ways: ways)
    }

    private mutating func leaf(
        _ kind: WorkflowDrawing.Node.Kind, _ caption: WorkflowDrawing.Caption, _ task: Workflow.Task,
        in parent: WorkflowDrawing.ID?
    ) -> (head: WorkflowDrawing.ID, tails: [WorkflowDrawing.ID]) {
        let id = node(kind, in: parent, caption, task: task)
        return (id, [id])
    }

    /// Draws a task that contains others, with its error handler next to it.
    private mutating func composite(
        _ task: Workflow.Task, _ caption: WorkflowDrawing.Caption, in parent: WorkflowDrawing.ID?
    ) -> (head: WorkflowDrawing.ID, tails: [WorkflowDrawing.ID]) {
        switch task.action {
        case .fork(let fork):
            let cluster = self.cluster(.fork, in: parent, caption, task: task)
            for branch in fork.branches { draw([branch], in: cluster) }
            return (cluster, [cluster])
        case .for(let loop):
            let cluster = self.cluster(.for, in: parent, caption, task: task)
            draw(loop.tasks, in: cluster)
            return (cluster, [cluster])
        case .call:
            let cluster = self.cluster(.for, in: parent, caption, task: task)
            draw(task.children.first ?? [], in: cluster)
            return (cluster, [cluster])
        case .listen(let listen):
            let cluster = self.cluster(.listen, in: parent, caption, task: task)
            draw(listen.iterator?.tasks ?? [], in: cluster)
            return (cluster, [cluster])
        case .try(let attempt):
            let handler = attempt.catch
            var caption = caption
            if let retry = handler.retry {
                caption.marks.append(.retry(retry.caption))
                // If errors also lead elsewhere, the way there names them.
                let errors = handler.tasks == nil ? ["on \(handler.captions.joined(separator: " · "))"] : []
                let reasons = errors + retry.conditions
                if !reasons.isEmpty { caption.marks.append(.errors(reasons.joined(separator: " · "))) }
            }
            let cluster = self.cluster(.try, in: parent, caption, task: task)
            draw(attempt.tasks, in: cluster)
            let fallback: WorkflowDrawing.ID
            if let tasks = handler.tasks {
                fallback = self.cluster(.catch, in: parent, WorkflowDrawing.Caption(title: task.name), task: task)
                draw(tasks, in: fallback)
            } else if handler.retry == nil || handler.then != nil {
                fallback = node(.ignored, in: parent, WorkflowDrawing.Caption(title: "go on"))
            } else {
                return (cluster, [cluster])
            }
            connect(cluster, to: fallback, handler.captions, kind: .fallback)
            return (cluster, [cluster, fallback])
        default:
            let cluster = self.cluster(.do, in: parent, caption, task: task)
            draw(task.children.first ?? [], in: cluster)
            return (cluster, [cluster])
        }
    }

    private mutating func node(
        _ kind: WorkflowDrawing.Node.Kind, in cluster: WorkflowDrawing.ID?, _ caption: WorkflowDrawing.Caption,
        task: Workflow.Task? = nil
    ) -> WorkflowDrawing.ID {
        defer { next += 1 }
        drawing.nodes.append(
            WorkflowDrawing.Node(
                id: next, cluster: cluster, kind: kind, caption: caption,
                effect: task.flatMap { effects.effect(of: $0) },
                task: task?.reference))
        return next
    }

    private mutating func cluster(
        _ kind: WorkflowDrawing.Cluster.Kind, in cluster: WorkflowDrawing.ID?, _ caption: WorkflowDrawing.Caption,
        task: Workflow.Task? = nil
    ) -> WorkflowDrawing.ID {
        defer { next += 1 }
        drawing.clusters.append(
            WorkflowDrawing.Cluster(id: next, cluster: cluster, kind: kind, caption: caption, task: task?.reference))
        return next
    }

    /// Adds an edge; an existing one gets another reason.
    private mutating func connect(
        _ from: WorkflowDrawing.ID, to target: WorkflowDrawing.ID, _ label: [String] = [],
        kind: WorkflowDrawing.Edge.Kind = .flow
    ) {
        let same = drawing.edges.lastIndex { $0.from == from && $0.to == target && $0.kind == kind }
        if let same {
            drawing.edges[same].label += label
        } else {
            drawing.edges.append(WorkflowDrawing.Edge(from: from, to: target, kind: kind, label: label))
        }
    }
}
