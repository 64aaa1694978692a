/// An error as the program reports it: the only place that turns errors into text and exit statuses.
struct Failure {
    let status: ExitStatus
    private let diagnostics: [Diagnostic]
    private let headline: String?
    private let details: [String]

    private init(
        _ status: ExitStatus, _ headline: String? = nil, _ details: [String] = [], diagnostics: [Diagnostic] = []
    ) {
        (self.status, self.headline, self.details, self.diagnostics) = (status, headline, details, diagnostics)
    }

    init(_ error: any Error) {
        func line(_ text: String) -> String { PlainText.line(text, limit: 2_000) }
        switch error {
        case let error as InvalidWorkflow: self.init(.invalid, diagnostics: error.diagnostics)
        case let error as ReadingError: self.init(.invalid, diagnostics: error.diagnostics)
        case let error as UsageError: self.init(.usage, error.message, [error.hint].compactMap(\.self))
        case let error as MissingSecrets: self.init(.signInRequired, error.headline, error.details)
        case let error as ChangedSecrets:
            self.init(
                .signInRequired, line(error.description),
                ["give the original secret, or run the workflow again with 'graphflow run'"])
        case let error as PlanMismatch:
            self.init(
                .invalid, "the run would differ from the approved plan, so nothing was done:",
                error.differences.map(line)
                    + ["undo what has changed, or approve a new plan: --dry-run --plan-out FILE"])
        case let error as ApprovalRefusal:
            self.init(
                .invalid, line("the approval is refused, so nothing was done: \(error.reason)"),
                error.hint.map { [line($0)] } ?? [])
        case let error as AgentRefusal: self.init(.faulted, line(error.reason), error.next.map { [line($0)] } ?? [])
        case let error as EvaluationFailure: self.init(.faulted, error.message)
        case let error as JournalError:
            let isNamedWrong = error.code == .notFound || error.code == .ambiguous
            self.init(isNamedWrong ? .usage : .faulted, line(error.message), error.hint.map { [line($0)] } ?? [])
        case let error as OpenQuestion:
            let ways = ["check whether it happened, and say so:"] + Self.answers(to: error.effects.run)
            self.init(.unknownOutcome, nil, ways, diagnostics: error.diagnostics)
        case let error as ChangedWorkflow:
            self.init(
                .invalid, "\(PlainText.line(error.file, limit: 500)) has changed since the run \(error.run) began",
                [
                    "undo the changes, or accept them and repeat what they affect:",
                    "  graphflow resume \(error.run) --accept-changes",
                ])
        case let error as ChangedBatch:
            self.init(
                .invalid, PlainText.line("\(error.what) changed since the batch \(error.batch) began", limit: 1_000),
                [
                    "undo the changes, or accept them: new items run, and missing ones are dropped:",
                    "  graphflow resume \(error.batch) --accept-changes",
                ])
        case let error as RepeatedEffects:
            let headline =
                error.count == 1
                ? "an effect that must happen once would happen a second time, so nothing was done"
                : "\(error.count) effects that must happen once would happen a second time, so nothing was done"
            self.init(
                .invalid, headline,
                ["allow it with:", "  graphflow resume \(error.run)\(error.options) --repeat-effects"])
        case let error as CredentialError:
            self.init(
                Self.status(of: GraphError(error)?.code ?? .signInRequired),
                PlainText.line(error.message, limit: 8_000), error.details.map(line))
        case let error as RunFailure:
            self.init(
                Self.status(of: error.error), nil, Self.details(of: error.error) + Self.ways(of: error),
                diagnostics: [error.diagnostic])
        default:
            let graphError = GraphError(error)
            // Outside a run, invalid input means that nothing ran: for example, a wrong address.
            self.init(
                graphError.map { $0.code == .invalidInput ? .invalid : Self.status(of: $0.code) } ?? .faulted,
                line(graphError?.message ?? "\(error)"), graphError.map(Self.details) ?? [])
        }
    }

    func text(colour: Bool) -> String {
        let mark = colour ? "\u{1B}[1;31merror:\u{1B}[0m" : "error:"
        let lines =
            diagnostics.map { $0.text(colour: colour) } + (headline.map { ["\(mark) \($0.escapingControls)"] } ?? [])
        return (lines + details.map { "  \($0.escapingControls)" }).joined(separator: "\n")
    }

    private static func ways(of failure: RunFailure) -> [String] {
        guard let run = failure.run else { return [] }
        guard failure.error.is(.unknownOutcome) else { return ["resume with: graphflow resume \(run)"] }
        return [
            "resume with: graphflow resume \(run)", "  it looks up whether the effect happened, where that is possible",
            "once you know whether it happened:",
        ] + answers(to: run)
    }

    /// The commands that say whether an effect happened.
    private static func answers(to run: String) -> [String] {
        ["sent", "not-sent"].map { "  graphflow resume \(run) --assume \($0)" }
    }

    private static func status(of error: WorkflowError) -> ExitStatus {
        if error.is(.unknownOutcome) { return .unknownOutcome }
        guard let cause = error.cause.flatMap({ GraphError($0) }) else { return .faulted }
        return status(of: cause.code)
    }

    private static func status(of code: GraphError.Code) -> ExitStatus {
        switch code {
        case .unknownOutcome: .unknownOutcome
        case .signInRequired, .unauthorized, .forbidden: .signInRequired
        default: .faulted
        }
    }

    /// What to do about an error outside a run, and the ids that Microsoft asks for.
    private static func details(of error: GraphError) -> [String] {
        let ids = [
            ("code", error.serviceCode), ("requestId", error.requestID), ("date", error.date),
            ("answerDate", error.requestID == nil ? nil : error.answerDate),
        ].compactMap { name, value in value.map { "\(name): \($0)" } }
        return (error.hintLines + ids).map { PlainText.line($0, limit: 2_000) }
    }

    /// What users need to find the cause, and the ids that Microsoft asks for.
    private static func details(of error: WorkflowError) -> [String] {
        var lines = ["\(error.title ?? "error") (\(error.status)), \(error.type)"]
        if let execution = error.place?.execution {
            lines.append("task: \(execution)")
        } else if let instance = error.instance, !instance.isEmpty {
            lines.append("task: \(instance)")
        }
        lines += error.place?.rounds ?? []
        for name in ["code", "requestId", "clientRequestId", "date", "answerDate"] {
            if let value = error.members[name]?.string { lines.append("\(name): \(value)") }
        }
        let hint = error.cause.flatMap { GraphError($0)?.hintLines } ?? []
        lines += hint.filter { error.detail?.contains($0) != true }
        // Control characters from files and services must not reach the terminal.
        return lines.map { PlainText.line($0, limit: 2_000) }
    }
}

extension Console {
    /// - Returns: The exit status of the command.
    @discardableResult
    func report(_ error: any Error) -> ExitStatus {
        let failure = Failure(error)
        complain(painted: failure.text(colour: errorHasColour))
        return failure.status
    }

    func report(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics { complain(painted: diagnostic.text(colour: errorHasColour)) }
    }
}

/// A run that faulted, with the position in the file.
struct RunFailure: Error {
    let error: WorkflowError
    let diagnostic: Diagnostic
    /// The run's id; nil if the run is not kept.
    let run: String?

    init(_ error: WorkflowError, of workflow: Workflow, run: String? = nil) {
        self.error = error
        self.run = run
        let task = workflow.allTasks.first { $0.reference.description == error.instance }
        let message = error.reason
        let reference = task?.reference ?? .root
        if let source = error.place?.expression,
            let place = workflow.document.value[reference]?.place(of: source, at: reference)
        {
            let space = source.unicodeScalars.prefix { $0.properties.isWhitespace }.count
            diagnostic = workflow.document.diagnostic(
                id: "fault", message, at: place.pointer, offset: place.offset + space,
                length: source.trimming(\.isWhitespace).unicodeScalars.count)
        } else {
            diagnostic = workflow.document.diagnostic(id: "fault", message, at: reference, part: .key)
        }
    }
}

extension Value {
    /// The first place of an expression in a task or a workflow, but not in inner tasks.
    fileprivate func place(of source: String, at pointer: JSONPointer) -> (pointer: JSONPointer, offset: Int)? {
        if let text = string {
            return Template.offset(of: source, in: text).map { (pointer, $0) }
        }
        let members =
            object?.filter { !["do", "branches", "try", "use"].contains($0.key) }.map { ($0.key, $0.value) }
            ?? array?.enumerated().map { (String($0.offset), $0.element) } ?? []
        return members.lazy.compactMap { $1.place(of: source, at: pointer.appending($0)) }.first
    }
}
