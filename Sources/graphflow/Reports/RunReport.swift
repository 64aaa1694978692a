/// The output of `graphflow show` for a run.
struct RunReport {
    let summary: RunSummary
    let header: Journal.Header
    let tree: RunTree
    let now: Date
    let effects: [AccountedEffect]
    /// What people approved and rejected, as the journal has it.
    let approvals: [Value]
    /// The batch that has the run as an item; nil for other runs.
    private let batch: String?
    /// The commands that answer what the run waits for.
    private let answers: [String]

    /// Reads a run, without its secrets.
    /// - Parameters:
    ///   - run: The name of the run, or of a batch.
    ///   - item: The item's run in the batch's journal; nil for a run.
    ///   - workflow: The workflow as it was run; nil if it cannot be read.
    ///   - keepsData: Whether the inputs and outputs of tasks are kept.
    ///   - unfolds: Whether all repetitions are kept.
    init(
        of run: String, item: String? = nil, in folder: RunsFolder, _ workflow: Workflow?, keepsData: Bool,
        unfolds: Bool, now: Date
    ) throws {
        // The state is read first, so that events written meanwhile are shown too.
        var summary = try folder.summary(of: run)
        let drawing = workflow.map { WorkflowDrawing($0) }
        let effects = Dictionary(
            (drawing?.nodes ?? []).compactMap { node in
                node.task.flatMap { task in node.effect.map { (task, $0) } }
            }
        ) { first, _ in first }
        var tree: RunTree?
        var account = EffectAccount()
        var decisions: [Value] = []
        func pass(_ isBesideDrawings: Bool) throws -> (header: Journal.Header, isLate: Bool) {
            (tree, account, decisions) = (nil, EffectAccount(), [])
            return try Self.read(run, item: item, in: folder, besideDrawings: isBesideDrawings) { header, event in
                if tree == nil {
                    tree = RunTree(
                        header, effects: effects, keepsData: keepsData, limit: unfolds ? nil : 2 * RunPage.mostTasks)
                }
                tree?.take(event)
                account.take(event)
                decisions += event.decisions
            }
        }
        var (header, isLate) = try pass(false)
        if isLate { header = try pass(true).header }
        header.lookForSecrets(of: run, in: folder)
        let whole = tree ?? RunTree(header, keepsData: keepsData)
        if item != nil { summary.become(header, whole.nodes[0]) }
        (self.summary, self.header, self.tree, self.now) = (summary, header, whole, now)
        approvals = header.approvals + decisions
        batch = item == nil ? nil : run
        let open = try ApprovalRequests(of: run, in: folder).open.filter { item == nil || $0.run == item }
        // Without a plan, it can only be rejected.
        answers = open.isEmpty ? ["  graphflow reject \(run)"] : open.flatMap { $0.commands(in: run) }
        self.effects = account.effects(isAtWork: [.running, .waiting].contains(summary.state))
    }

    /// The workflow as it was run; nil if it can no longer be read.
    static func workflow(of run: String, in folder: RunsFolder) -> Workflow? {
        guard let text = try? Journal.workflowText(of: run, in: folder) else { return nil }
        let file = try? folder.summary(of: run).file
        do throws(InvalidWorkflow) {
            return try Workflow(
                text: String(decoding: text, as: UTF8.self),
                folder: file.map { URL(fileURLWithPath: $0).deletingLastPathComponent() })
        } catch {
            // Files next to it may have been removed since.
            return error.decoded
        }
    }

    /// Reads the journal of a run as people see it, event by event.
    /// - Parameters:
    ///   - item: The run of a batch's item, whose events alone are read; nil for all events.
    ///   - isBesideDrawings: Whether drawings of secrets are known to exist, which texts must not be confused with.
    ///   - take: Called with each event in order.
    /// - Returns: The journal's first line, and whether it must be read again: usually the first event shows that there
    ///   are drawings, but here a later one did.
    static func read(
        _ run: String, item: String? = nil, in folder: RunsFolder, besideDrawings isBesideDrawings: Bool,
        _ take: (_ header: Journal.Header, _ event: Event) -> Void
    ) throws -> (header: Journal.Header, isLate: Bool) {
        var (isBesideDrawings, isLate, isFirst) = (isBesideDrawings, false, true)
        // The item's run and its inner runs.
        var runs = Set([item].compactMap(\.self))
        var first: Event?
        func shown(_ header: Journal.Header) -> Journal.Header {
            var header = header.shown(besideDrawings: isBesideDrawings)
            guard let first else { return header }
            (header.run, header.startedAt) = (first.run, first.time)
            if case .workflowStarted(let input, _) = first.kind { header.input = input }
            return header
        }
        let header = try Journal.read(run, in: folder) { header, event in
            if item != nil {
                if let parent = event.parent?.run, runs.contains(parent) { runs.insert(event.run) }
                guard runs.contains(event.run) else { return }
            }
            if event.seals != nil, !isBesideDrawings {
                isBesideDrawings = true
                isLate = !isFirst
            }
            isFirst = false
            guard !isLate else { return }
            var event = event
            if isBesideDrawings { event.seals = event.seals ?? [] }
            let shownEvent = event.shown
            if item != nil { first = first ?? shownEvent }
            take(shown(header), shownEvent)
        }
        if item != nil, first == nil, !isLate {
            throw UsageError(
                "no task of this item has begun yet", hint: "'graphflow show \(run)' lists finished items")
        }
        return (shown(header), isLate)
    }

    /// The command that resumes the run; nil if it cannot be resumed.
    var resumption: String? {
        guard summary.isResumable else { return nil }
        if let batch { return "graphflow resume \(batch)" }
        return switch summary.state {
        case .suspended, .interrupted, .faulted, .cancelled,
            .unknown where summary.needsAnswer == false:
            "graphflow resume \(summary.run)"
        case .unknown: "graphflow resume \(summary.run) --assume sent|not-sent"
        case .running, .waiting, .completed, .damaged: nil
        }
    }

    /// The report in words.
    /// - Parameters:
    ///   - width: The terminal's columns; nil for no limit.
    ///   - showsData: Whether the input and output of each task are shown.
    ///   - unfolds: Whether all rounds of a loop are shown.
    ///   - write: Called with each line, until it returns false.
    func lines(
        width: Int?, colour: Bool, showsData: Bool = false, unfolds: Bool = false, _ write: (String) -> Bool
    ) {
        var lines = summary.lines(of: head, width: width, colour: colour)
        if tree.nodes.count > 1 { lines.append("") }
        guard lines.allSatisfy(write) else { return }
        var wantsMore = true
        let style = RunTree.TextStyle(
            isAtWork: [.running, .waiting].contains(summary.state), now: summary.endedAt ?? now, width: width,
            colour: colour,
            showsData: showsData, unfolds: unfolds)
        tree.lines(style) { line in
            wantsMore = write(line)
            return wantsMore
        }
        guard wantsMore else { return }
        if !effects.isEmpty { lines = ["", "effects"] + effectLines(colour: colour) } else { lines = [] }
        _ = (lines + farewell).allSatisfy(write)
    }

    /// The facts about the whole run, for people.
    private var head: [RunFact] {
        var facts = [("run", header.run)] + summary.head(header, now: now)
        for note in tree.nodes[0].notes where note.kind == .resumed {
            facts.append(("resumed", "\(note.time.formatted(.iso8601)), \(note.time.relative(to: now))"))
        }
        facts += approvals.map { (Self.title(of: $0), Self.words($0)) }
        facts.append(("took", Duration.seconds(summary.duration(now: now)).text))
        facts.append(("input", header.input.json()))
        if let output = tree.nodes[0].output { facts.append(("output", output.json())) }
        if let error = tree.nodes[0].error { facts.append(("error", error.description)) }
        return facts
    }

    var markdown: String {
        RunMarkdown(
            title: "\(header.workflow.name), \(summary.state.rawValue)", facts: head, effects: effects,
            rest: farewell
        ).text
    }

    /// A line with its title in a separate column, cut to the width.
    static func line(_ title: String, _ text: String, _ width: Int?) -> String {
        let line = title.padding(to: 9) + PlainText.line(text, limit: 2_000)
        return width.map { PlainText.fitted(line, to: $0) } ?? line
    }

    private static func title(of decision: Value) -> String {
        decision["approved"] == true ? "approved" : decision["state"] == "expired" ? "expired" : "rejected"
    }

    /// Who approved or rejected something, when, and with which note.
    private static func words(_ decision: Value) -> String {
        let text = decision["text"]?.string.map { " '\(PlainText.exact($0, limit: 200))'" } ?? ""
        let note = decision["note"]?.string.flatMap { $0.isEmpty ? nil : ": \($0)" } ?? ""
        guard decision["state"] != "expired" else { return "no one approved it in time\(text)" }
        return "by \(decision["name"]?.string ?? "somebody"), \(decision["at"]?.string ?? "")\(text)\(note)"
    }

    /// The effects of the run, one line each, never cut.
    private func effectLines(colour: Bool) -> [String] {
        let style = PlanStyle(hasColour: colour)
        return effects.map { "  " + $0.line(style, withRun: false) }
    }

    /// How the run can be continued, or why it cannot.
    private var farewell: [String] {
        var lines: [String] = []
        if summary.state == .waiting {
            lines += ["", "It waits for an approval:"] + answers
        } else if resumption == nil, header.isSandboxed, ![.running, .completed, .damaged].contains(summary.state) {
            lines += ["", "It cannot be resumed: it ran against a sandbox, which ended with it."]
        } else if summary.state == .unknown, summary.needsAnswer != false {
            lines += ["", "Check whether it happened, then continue with the answer:"]
        } else if resumption != nil {
            lines += ["", "To continue:"]
        }
        if let resumption { lines.append("  \(resumption)") }
        return lines
    }

    /// The report as JSON.
    /// - Parameter hasInputs: Whether it has the input of each task.
    func json(hasInputs: Bool) -> Value {
        var object = facts
        object["input"] = header.input
        object["output"] = tree.nodes[0].output
        object["effects"] = .array(effects.map { .object($0.value) })
        object["tasks"] = tree.json(now: summary.endedAt ?? now, hasInputs: hasInputs)
        return .object(object)
    }

    /// The facts about the whole run, without its data and its tasks.
    var facts: Object {
        var object = summary.facts(header, now: now)
        object["error"] = (tree.nodes[0].error?.members).map(Value.object)
        let resumed = tree.nodes[0].notes.filter { $0.kind == .resumed }
        if !resumed.isEmpty { object["resumedAt"] = .array(resumed.map { .string($0.time.iso8601) }) }
        object["resume"] = resumption.map(Value.string)
        object["batch"] = batch.map(Value.string)
        if !approvals.isEmpty {
            let names = ["approved", "by", "name", "at", "note", "expires", "plan", "task", "text", "issuer", "state"]
            object["approvals"] = .array(
                approvals.map { approval in
                    .object(Object(names.compactMap { name in approval[name].map { (name, $0) } }))
                })
        }
        return object
    }
}

extension Journal.Header {
    /// Notes whether the journal of a run or batch may have secrets in clear text.
    mutating func lookForSecrets(of run: String, in folder: RunsFolder) {
        mayShowSecrets = version < Self.version && RunReport.workflow(of: run, in: folder)?.usesCredentials ?? true
    }
}

extension RunSummary {
    /// Becomes the summary of a batch's item.
    fileprivate mutating func become(_ header: Journal.Header, _ item: RunTree.Node) {
        (run, startedAt, isBatch, counts, isNamed) = (header.run, header.startedAt, false, nil, false)
        if let end = item.endedAt { endedAt = end }
        if state != .running { state = .interrupted }
        switch item.state {
        case .completed: state = .completed
        case .faulted: state = item.error?.is(.unknownOutcome) ?? false ? .unknown : .faulted
        case .cancelled: state = .cancelled
        case .running, .skipped: break
        }
    }
}
