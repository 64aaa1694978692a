import Essentials
import Promises
import Workflows

/// `graphflow resume`: continues an interrupted run.
struct ResumeCommand: Command {
    static let name = "resume"
    static let summary = "Continue an interrupted run."
    static let operands = "RUN"
    static let discussion = """
        RUN is the name of a run that 'graphflow runs' lists, or its beginning. Tasks that have ended are not performed
        again. An effect that must happen once and was in progress is looked up if possible; otherwise you are asked
        whether it happened, and '--assume' answers. If the run has completed, its output is printed again.
        """
    static let options = ownOptions + NotifyOption.options + DetailOption.options
    private static let ownOptions = [
        Option(
            name: "assume", argument: .required("sent|not-sent"),
            help:
                "Whether the effects whose outcome is unknown happened; without this option,\nyou are asked."
        ),
        Option(
            name: "accept-changes",
            help:
                "Continue although the workflow file has changed: results are kept up to the\n"
                + "first changed task of each list, and the rest is performed again."
        ),
        ListenOption.option("for tasks that listen"),
        Option(
            name: "batch",
            help: "Combine reads that are ready at the same time into one request, at most 20."),
        Option(
            name: "events", argument: .required("FILE|-"),
            help: "Write every event from now on as a CloudEvent, one per line."),
        SecretsOption.option,
        AnswerOption.option,
    ]

    private let run: String
    private let assumption: Runner.Assumption?
    private let acceptsChanges: Bool
    private let isBatching: Bool
    private let largestAnswer: Int?
    private let session: RunSession

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        run = try arguments.operand("run's name", hint: "'graphflow runs' lists them")
        assumption = try arguments.value("assume").map { text throws(UsageError) in
            guard let assumption = Runner.Assumption(rawValue: text) else {
                throw UsageError(
                    "'--assume' cannot be '\(text)'",
                    hint: "write '--assume sent' if it happened, and '--assume not-sent' if it did not")
            }
            return assumption
        }
        acceptsChanges = arguments.has("accept-changes")
        isBatching = arguments.has("batch")
        largestAnswer = try AnswerOption.size(arguments)
        session = RunSession(
            events: arguments.value("events"), listening: try ListenOption.port(arguments),
            secrets: try SecretsOption.store(arguments, console),
            journals: RunsFolder.standard(environment: console.environment),
            notifier: try NotifyOption.notifier(arguments, console),
            detail: try DetailOption.detail(arguments))
    }

    func run(on console: Console) async throws -> ExitStatus {
        let folder = RunsFolder.standard(environment: console.environment)
        let name = try folder.run(beginningWith: run)
        let (journal, events) = try Journal.open(name, in: folder)
        let past = PastRun(journal, events)
        if let output = past.output {
            console.print(output)
            return .success
        }
        if journal.header.isSandboxed {
            throw UsageError(
                "the run \(name) cannot be resumed: it ran with '--sandbox', and the sandbox ended with it",
                hint: "to try resuming, start 'graphflow sandbox' and run the workflow against it")
        }
        if let problem = past.problem { throw problem }
        let workflow = try workflow(of: journal, on: console)
        let sealed = ((journal.header.seals ?? []) + events.flatMap { $0.seals ?? [] }).secretNames
        let used = workflow.usedSecrets
        try SecretsOption.demand(
            used + sealed.filter { !used.contains($0) }, in: session.secrets,
            of: journal.header.file ?? name,
            command: "graphflow resume \(name)")
        let changes = try past.changes(to: workflow)
        if let changes {
            guard acceptsChanges else { throw ChangedWorkflow(run: name, file: journal.header.file ?? name) }
            for line in changes.lines { console.complain(line) }
        }
        // Drawings of secrets may not match the schema that their texts do.
        let problems = journal.header.seals == nil ? workflow.validate(input: journal.header.input) : []
        guard problems.isEmpty else { throw InvalidWorkflow(diagnostics: problems) }
        var graph = try await GraphClient.forRunning([workflow], console)
            .acceptingAnswers(upTo: largestAnswer)
        if isBatching { graph = graph.batchingReads() }
        let address = try graph.baseURL.absoluteString
        if let other = journal.header.graphURL, other != address {
            throw UsageError(
                "the run \(name) called \(PlainText.line(other, limit: 200)), but GRAPHFLOW_GRAPH_URL is \(address)",
                hint: "GRAPHFLOW_GRAPH_URL=\(PlainText.line(other, limit: 200)) graphflow resume \(name)")
        }
        do {
            return try await session.perform(workflow, over: graph, on: console, after: events) { [assumption] runner in
                runner.resume(workflow, journal, from: events, accepting: changes, assuming: assumption)
            }
        } catch let error as UnsettledEffects {
            throw OpenQuestion(error, of: workflow)
        }
    }

    /// The current workflow file, or the text that was run if there was no file.
    private func workflow(of journal: Journal, on console: Console) throws -> Workflow {
        guard let file = journal.header.file else {
            return try Workflow(text: String(decoding: try journal.workflowText, as: UTF8.self))
        }
        let (checked, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
        guard let workflow = checked else { throw InvalidWorkflow(diagnostics: findings) }
        return workflow
    }
}

/// A workflow file that has changed since the run began.
struct ChangedWorkflow: Error {
    let run: String
    let file: String
}

/// Unknown outcomes that the user must find out before the run continues.
struct OpenQuestion: Error {
    let effects: UnsettledEffects
    let diagnostics: [Diagnostic]

    init(_ effects: UnsettledEffects, of workflow: Workflow) {
        self.effects = effects
        diagnostics = effects.tasks.map { task in
            let name = task.tokens.last ?? "workflow"
            return workflow.document.diagnostic(
                id: "unknown-outcome",
                "'\(PlainText.line(name, limit: 100))' must happen once and was in progress when the run ended; it is "
                    + "unknown whether it happened", at: task, part: .key)
        }
    }
}
