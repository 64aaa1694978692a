import Essentials
import Workflows

/// What `graphflow show` prints about a run.
struct RunReport {
    private let summary: RunSummary
    private let header: Journal.Header
    private let tree: RunTree
    private let now: Date

    init(_ summary: RunSummary, _ header: Journal.Header, _ events: [Event], now: Date) {
        self.summary = summary
        self.header = header
        self.now = now
        tree = RunTree(header, events)
    }

    /// The command that resumes the run; nil if it cannot be resumed.
    private var resumption: String? {
        guard summary.isResumable else { return nil }
        return switch summary.state {
        case .suspended, .interrupted: "graphflow resume \(summary.run)"
        case .unknown: "graphflow resume \(summary.run) --assume sent|not-sent"
        case .running, .completed, .faulted, .cancelled, .damaged: nil
        }
    }

    /// The report for people.
    func lines(width: Int?, colour: Bool) -> [String] {
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
        let tasks = tree.lines(
            isAtWork: summary.state == .running, now: summary.endedAt ?? now, width: width, colour: colour)
        if !tasks.isEmpty { lines += [""] + tasks }
        if resumption == nil, header.isSandboxed, [.interrupted, .suspended, .unknown].contains(summary.state) {
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
    var json: Value {
        var object = summary.json(now: now).object ?? [:]
        object["namespace"] = .string(header.workflow.namespace)
        object["version"] = .string(header.workflow.version)
        object["file"] = header.file.map(Value.string)
        object["sandbox"] = .bool(header.isSandboxed)
        object["graphURL"] = header.graphURL.map(Value.string)
        object["input"] = header.input
        object["output"] = tree.nodes[0].output
        object["error"] = (tree.nodes[0].error?.members).map(Value.object)
        let resumed = tree.nodes[0].notes.filter { $0.kind == .resumed }
        if !resumed.isEmpty { object["resumedAt"] = .array(resumed.map { .string($0.time.iso8601) }) }
        object["resume"] = resumption.map(Value.string)
        object["tasks"] = tree.json(now: summary.endedAt ?? now)
        return .object(object)
    }
}
