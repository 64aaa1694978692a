/// Every task of a plan in order, with its requests in full.
struct PlanTaskLines {
    private let plan: Plan
    private let style: PlanStyle
    private let margin: Int
    /// The header fields that all requests share; they are written once.
    private let constantFields: Set<String>

    init(_ plan: Plan, _ style: PlanStyle) {
        self.plan = plan
        self.style = style
        margin = (plan.allTasks.map(\.number.count).max() ?? 0) + 2
        let fields = plan.requests.map { Set(Self.fields(of: $0)) }
        constantFields = fields.count > 1 ? fields.dropFirst().reduce(fields[0]) { $0.intersection($1) } : []
    }

    /// The text, without a final line break.
    var text: String { Self.tidy(constantLines + plan.tasks.flatMap { lines(of: $0, depth: 0) }) }

    private var constantLines: [String] {
        guard let first = plan.requests.first, !constantFields.isEmpty else { return [] }
        let fields = Self.fields(of: first).filter(constantFields.contains)
        return [style.dim("Every request has")] + fields.map { "  \($0)" } + [""]
    }

    /// The lines without white space at their ends and without empty ones that follow each other or end the text.
    private static func tidy(_ lines: [String]) -> String {
        var shown: [String] = []
        for line in lines.map(\.withoutTrailingSpace) where !line.isEmpty || shown.last?.isEmpty == false {
            shown.append(line)
        }
        if shown.last?.isEmpty == true { shown.removeLast() }
        return shown.joined(separator: "\n")
    }

    private func lines(of task: PlannedTask, depth: Int) -> [String] {
        let number = task.number.padding(to: margin)
        let indent = String(repeating: "  ", count: depth)
        var lines = ["\(style.dim(number))\(indent)\(style.bold(task.name)): \(title(of: task))"]
        let inner = String(repeating: " ", count: margin) + indent + "  "
        for (position, step) in task.steps.enumerated() {
            if position > 0 { lines.append("") }
            lines += self.lines(of: step).map { inner + $0 }
        }
        if !task.steps.isEmpty { lines.append("") }
        if let retry = task.retry { lines.append(inner + "tries \(Self.line(retry.words))\(waits(of: retry))") }
        for branch in task.branches {
            if let heading = heading(of: branch) { lines.append(inner + heading) }
            let isInner = branch.kind != .tasks
            for task in branch.tasks { lines += self.lines(of: task, depth: depth + (isInner ? 2 : 1)) }
            if let end = end(of: branch) { lines.append(inner + (isInner ? "  " : "") + end) }
        }
        return lines
    }

    private func waits(of retry: PlannedTask.Retry) -> String {
        guard let longest = retry.longestWait, longest > .zero else { return "" }
        return "; waits at most \(longest.words) in total"
    }

    private func title(of task: PlannedTask) -> String {
        var words =
            switch task.kind {
            case .call: (task.subject.map(Self.line) ?? "call") + items(of: task)
            case .run: task.subject.map { "runs the workflow \(Self.line($0))" } ?? "runs a program"
            case .wait: task.wait.map { "waits \($0.words)" } ?? "waits for a time that is only known at run time"
            case .switch: task.subject.map { "continues with '\(Self.line($0))'" } ?? "continues with one of its cases"
            case .for: task.branches.isEmpty ? "repeats nothing" : "repeats"
            case .fork: "runs branches in parallel"
            case .listen: "waits for events"
            case .emit: "emits an event"
            case .raise: "raises an error"
            case .do, .set, .try: task.kind.rawValue
            }
        let effects = task.steps.map(\.effect)
        if let effect = effects.max(by: { $0.strength < $1.strength }), task.kind == .call || task.kind == .run {
            words += " (\(effect.explanation))"
        }
        switch task.outcome {
        case .performed: break
        case .skipped: words += style.dim(", skipped: its condition does not hold")
        case .faulted(let error):
            words += style.warning(", fails: \(Self.short(error.reason))")
        case .unknown(let why):
            words += style.warning(", depends on a value that is only known at run time: \(Self.short(why))")
        }
        return task.certainty == .certain ? words : "\(words) \(style.mark("[\(task.certainty.description)]"))"
    }

    /// How many items a `forEach` has, and how many run at the same time.
    private func items(of task: PlannedTask) -> String {
        let count = task.branches.count { $0.kind == .item && !$0.title.isEmpty }
        let pace = task.concurrency.map { $0 > 1 ? ", \($0) at a time" : "" } ?? ""
        return (count > 0 ? " ×\(count)" : "") + pace
    }

    private func heading(of branch: PlannedBranch) -> String? {
        let certainty = branch.certainty
        let words: String
        switch branch.kind {
        case .tasks: return nil
        case .branch:
            words = "branch \(Self.line(branch.title))\(certainty == .race ? ", \(certainty.description)" : ""):"
        case .round: words = certainty == .certain ? "round \(Self.line(branch.title)):" : "\(certainty):"
        case .item: words = branch.title.isEmpty ? "\(certainty):" : "item \(Self.line(branch.title)):"
        case .alternative, .rest: words = "\(certainty):"
        case .handler: words = certainty == .certain ? "then, on \(Self.line(branch.title)):" : "\(certainty):"
        }
        return certainty == .certain ? words : style.mark(words)
    }

    private func end(of branch: PlannedBranch) -> String? {
        switch branch.end {
        case nil:
            guard branch.tasks.isEmpty, branch.kind != .tasks else { return nil }
            return style.dim(branch.kind == .alternative ? "continues" : "nothing more")
        case .workflow: return "the workflow ends"
        case .fault(let error) where branch.kind != .tasks:
            return style.warning("fails: \(Self.short(error.reason))")
        case .fault: return nil
        case .again(let task): return "goes back to '\(Self.line(task))'"
        }
    }

    private func lines(of step: PlannedStep) -> [String] {
        switch step {
        case .request(let request): Self.lines(of: request, style, without: constantFields)
        case .process(let process): lines(of: process)
        }
    }

    private func lines(of process: PlannedProcess) -> [String] {
        let call = process.call.map(\.shellWord).joined(separator: " ").shownLines
        // Indented, so that no line of a command looks like a line of the plan.
        var lines = ["would run: \(call[0])"] + call.dropFirst().map { "  \($0)" }
        if !process.variables.isEmpty {
            lines.append("environment: \(Self.line(process.variables.joined(separator: ", ")))")
        }
        if let text = process.standardInput { lines += ["standard input:"] + text.shownLines.map { "  \($0)" } }
        if !process.isAwaited { lines.append("the run does not wait for it") }
        return lines
    }

    /// One request, as the plan of a run shows it.
    static func text(of planned: PlannedRequest, hasColour: Bool = false) -> String {
        tidy(lines(of: planned, PlanStyle(hasColour: hasColour)))
    }

    private static func fields(of planned: PlannedRequest) -> [String] {
        planned.request.headers.redacted.fields.map { line("\($0.name): \($0.value)") }
    }

    private static func lines(
        of planned: PlannedRequest, _ style: PlanStyle, without constant: Set<String> = []
    ) -> [String] {
        let condition = planned.condition.map { " \(style.mark("[\($0)]"))" } ?? ""
        var lines = [style.strong("\(planned.request.method) \(planned.address)") + condition]
        lines += fields(of: planned).filter { !constant.contains($0) }
        if let body = planned.bodyDescription { lines += [""] + body.shownLines + [""] }
        if let status = planned.status { lines.append(style.dim("was sent: the response had status \(status)")) }
        if let unread = planned.unread { lines.append(style.dim("was not read: \(Self.line(unread))")) }
        lines.append(style.dim(manner(of: planned)))
        return lines
    }

    private static func manner(of planned: PlannedRequest) -> String {
        var words: [String] = []
        let operation = planned.operation
        if planned.isOnce {
            words.append("once: never repeated after an unknown outcome")
        } else if operation.attempts > 1 {
            words.append(
                "up to \(operation.attempts) attempts, waiting at most \(operation.longestWait.words) in total")
        }
        if !operation.scopes.isEmpty {
            let delegated = operation.scopes.joined(separator: ", ")
            let application = operation.applicationScopes.joined(separator: ", ")
            words.append(
                "needs \(delegated)" + (delegated == application ? "" : " (application: \(application))"))
        } else if operation.hasUnknownNeeds {
            words.append("the permissions that it needs are not known")
        }
        return words.joined(separator: "; ")
    }

    /// Text from the file or a service on one line; it is never cut, because people decide by it.
    private static func line(_ text: String) -> String { PlainText.escaped(text) }

    /// Words about what happens, which may be cut.
    private static func short(_ text: String) -> String { PlainText.line(text, limit: 300) }
}

extension PlannedStep {
    fileprivate var effect: Idempotency {
        switch self {
        case .request(let request): request.operation.effect
        case .process: .once
        }
    }
}

extension Idempotency {
    fileprivate var explanation: String {
        switch self {
        case .read: "reads"
        case .idempotent: "writes; may be repeated"
        case .once: "must happen once"
        }
    }
}

extension String {
    fileprivate var lines: [String] { split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

    fileprivate var shownLines: [String] { PlainText.escaped(self, keepingLines: true).lines }

    fileprivate var withoutTrailingSpace: String {
        var text = Substring(self)
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
