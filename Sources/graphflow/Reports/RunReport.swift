import Essentials
import Workflows

/// What `graphflow show` prints about a run.
struct RunReport {
    let summary: RunSummary
    let header: Journal.Header
    let tree: RunTree
    let now: Date

    /// Reads a run, without its secrets.
    /// - Parameters:
    ///   - run: The run's name.
    ///   - workflow: The workflow as it was run; nil if it cannot be read.
    ///   - keepsData: Whether the inputs and outputs of tasks are kept.
    ///   - unfolds: Whether all repetitions are kept, however many.
    init(
        of run: String, in folder: RunsFolder, _ workflow: Workflow?, keepsData: Bool, unfolds: Bool, now: Date
    ) throws {
        // The state is read first, so that events written meanwhile are shown as well.
        summary = try folder.summary(of: run)
        let drawing = workflow.map { WorkflowDrawing($0) }
        let effects = Dictionary(
            (drawing?.nodes ?? []).compactMap { node in
                node.task.flatMap { task in node.effect.map { (task, $0) } }
            }
        ) { first, _ in first }
        var tree: RunTree?
        func pass(_ isBesideDrawings: Bool) throws -> (header: Journal.Header, isLate: Bool) {
            tree = nil
            return try Self.read(run, in: folder, besideDrawings: isBesideDrawings) { header, event in
                if tree == nil {
                    tree = RunTree(
                        header, effects: effects, keepsData: keepsData, limit: unfolds ? nil : 2 * RunPage.mostTasks)
                }
                tree?.take(event)
            }
        }
        var (header, isLate) = try pass(false)
        if isLate { header = try pass(true).header }
        self.header = header
        self.tree = tree ?? RunTree(header, keepsData: keepsData)
        self.now = now
    }

    /// The workflow as it was run; nil if it cannot be read any more.
    static func workflow(of run: String, in folder: RunsFolder) -> Workflow? {
        guard let text = try? Journal.workflowText(of: run, in: folder) else { return nil }
        let file = try? folder.summary(of: run).file
        do throws(InvalidWorkflow) {
            return try Workflow(
                text: String(decoding: text, as: UTF8.self),
                folder: file.map { URL(fileURLWithPath: $0).deletingLastPathComponent() })
        } catch {
            // Files beside it may have gone since.
            return error.decoded
        }
    }

    /// Reads the journal of a run as people see it, event by event.
    /// - Parameters:
    ///   - isBesideDrawings: Whether it is known that there are drawings of secrets, with which texts can be confused.
    ///   - take: Called with each event in order.
    /// - Returns: The journal's first line, and whether it is to be read again: the first event usually says that there
    ///   are drawings, but here a later one did.
    static func read(
        _ run: String, in folder: RunsFolder, besideDrawings isBesideDrawings: Bool,
        _ take: (_ header: Journal.Header, _ event: Event) -> Void
    ) throws -> (header: Journal.Header, isLate: Bool) {
        var (isBesideDrawings, isLate) = (isBesideDrawings, false)
        let header = try Journal.read(run, in: folder) { header, event in
            if event.seals != nil, !isBesideDrawings {
                isBesideDrawings = true
                isLate = event.number > 1
            }
            guard !isLate else { return }
            var event = event
            if isBesideDrawings { event.seals = event.seals ?? [] }
            take(header.shown(besideDrawings: isBesideDrawings), event.shown)
        }
        return (header.shown(besideDrawings: isBesideDrawings), isLate)
    }

    /// The command that resumes the run; nil if it cannot be resumed.
    var resumption: String? {
        guard summary.isResumable else { return nil }
        return switch summary.state {
        case .suspended, .interrupted, .faulted, .cancelled: "graphflow resume \(summary.run)"
        case .unknown: "graphflow resume \(summary.run) --assume sent|not-sent"
        case .running, .completed, .damaged: nil
        }
    }

    /// The report for people.
    /// - Parameters:
    ///   - width: The terminal's columns; nil for no limit.
    ///   - showsData: Whether the input and output of each task are shown.
    ///   - unfolds: Whether all rounds of a loop are shown.
    ///   - write: Called with each line, as long as it wants more.
    func lines(
        width: Int?, colour: Bool, showsData: Bool = false, unfolds: Bool = false, _ write: (String) -> Bool
    ) {
        func line(_ title: String, _ text: String) -> String {
            let line = title.padding(to: 9) + PlainText.line(text, limit: 2_000)
            guard let width, line.count > width else { return line }
            return line.prefix(width - 1) + "…"
        }
        let state = summary.state.rawValue
        let painted = colour ? "\u{1B}[\(summary.state.colour)m\(state)\u{1B}[0m" : state
        var lines = [
            line("run", header.run),
            line("workflow", "\(header.workflow.name) \(header.workflow.version), in \(header.workflow.namespace)"),
            "state".padding(to: 9) + painted,
        ]
        if let file = header.file { lines.append(line("file", file)) }
        if header.isSandboxed {
            lines.append(line("graph", "a sandbox"))
        } else if let graphURL = header.graphURL {
            lines.append(line("graph", graphURL))
        }
        lines.append(
            line("started", "\(header.startedAt.formatted(.iso8601)), \(header.startedAt.relative(to: now))"))
        for note in tree.nodes[0].notes where note.kind == .resumed {
            lines.append(line("resumed", "\(note.time.formatted(.iso8601)), \(note.time.relative(to: now))"))
        }
        lines.append(line("took", Duration.seconds(summary.duration(now: now)).text))
        lines.append(line("input", header.input.json()))
        if let output = tree.nodes[0].output { lines.append(line("output", output.json())) }
        // Never cut to the width: this is what users look for.
        if let error = tree.nodes[0].error {
            lines.append("error".padding(to: 9) + PlainText.line(error.description, limit: 2_000))
        }
        if tree.nodes.count > 1 { lines.append("") }
        guard lines.allSatisfy(write) else { return }
        var wantsMore = true
        let style = RunTree.TextStyle(
            isAtWork: summary.state == .running, now: summary.endedAt ?? now, width: width, colour: colour,
            showsData: showsData, unfolds: unfolds)
        tree.lines(style) { line in
            wantsMore = write(line)
            return wantsMore
        }
        if wantsMore { _ = farewell.allSatisfy(write) }
    }

    /// How the run can be continued, or why it cannot.
    private var farewell: [String] {
        var lines: [String] = []
        if resumption == nil, header.isSandboxed, ![.running, .completed, .damaged].contains(summary.state) {
            lines += ["", "It cannot be resumed: it ran against a sandbox, which ended with it."]
        } else if summary.state == .unknown {
            lines += ["", "Check whether it happened, then continue with the answer:"]
        } else if resumption != nil {
            lines += ["", "To continue:"]
        }
        if let resumption { lines.append("  \(resumption)") }
        return lines
    }

    /// The report for programs.
    /// - Parameter hasInputs: Whether the input of each task is in it.
    func json(hasInputs: Bool) -> Value {
        var object = facts
        object["input"] = header.input
        object["output"] = tree.nodes[0].output
        object["tasks"] = tree.json(now: summary.endedAt ?? now, hasInputs: hasInputs)
        return .object(object)
    }

    /// What is said about the whole run, without its data and its tasks.
    var facts: Object {
        var object = summary.json(now: now).object ?? [:]
        object["namespace"] = .string(header.workflow.namespace)
        object["version"] = .string(header.workflow.version)
        object["file"] = header.file.map(Value.string)
        object["sandbox"] = .bool(header.isSandboxed)
        object["graphURL"] = header.graphURL.map(Value.string)
        object["error"] = (tree.nodes[0].error?.members).map(Value.object)
        let resumed = tree.nodes[0].notes.filter { $0.kind == .resumed }
        if !resumed.isEmpty { object["resumedAt"] = .array(resumed.map { .string($0.time.iso8601) }) }
        object["resume"] = resumption.map(Value.string)
        return object
    }
}
