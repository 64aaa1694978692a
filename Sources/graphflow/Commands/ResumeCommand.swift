import Foundation
import Promises
import Workflows

/// `graphflow resume`: goes on with a run that was interrupted.
struct ResumeCommand: Command {
    static let name = "resume"
    static let summary = "Go on with a run that was interrupted."
    static let operands = "RUN"
    static let discussion = """
        RUN is the name of a run that 'graphflow runs' lists, or its beginning. Tasks that had ended are not performed
        again. An effect that must happen once and was at work is looked up where that is possible; else the question is
        asked, and '--assume' answers it. Of a run that is complete the output is printed again.
        """
    static let options = [
        Option(
            name: "assume", argument: .required("sent|not-sent"),
            help:
                "What you found out about the effects that a run without this option asks\nabout: that they happened, or did not."
        ),
        Option(
            name: "accept-changes",
            help:
                "Go on although the workflow file was changed: ends of tasks are kept up to\nthe first changed task of each list, and the rest is performed anew."
        ),
        ListenOption.option("for tasks that listen"),
        Option(
            name: "batch",
            help: "Let reads that are ready at the same time travel in one request, at most 20."),
        Option(
            name: "events", argument: .required("FILE|-"),
            help: "Write every event from now on as a CloudEvent, one a line."),
        SecretsOption.option,
    ]

    private let run: String
    private let assumption: Runner.Assumption?
    private let acceptsChanges: Bool
    private let isBatching: Bool
    private let session: RunSession

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        guard let run = arguments.operands.first, arguments.operands.count == 1 else {
            throw UsageError(
                arguments.operands.isEmpty
                    ? "'graphflow resume' needs the name of a run" : "'graphflow resume' takes the name of one run",
                hint: "'graphflow runs' lists them")
        }
        self.run = run
        assumption = try arguments.value("assume").map { text throws(UsageError) in
            guard let assumption = Runner.Assumption(rawValue: text) else {
                throw UsageError(
                    "'--assume' cannot be '\(text)'",
                    hint: "write '--assume sent' where it happened, and '--assume not-sent' where it did not")
            }
            return assumption
        }
        acceptsChanges = arguments.has("accept-changes")
        isBatching = arguments.has("batch")
        session = RunSession(
            events: arguments.value("events"), listening: try ListenOption.port(arguments),
            secrets: try SecretsOption.store(arguments, console),
            journals: RunsFolder.standard(environment: console.environment))
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
                "the run \(name) cannot be resumed: it ran with '--sandbox', and its Microsoft Graph ended with it",
                hint: "to try resuming, start 'graphflow sandbox' and run the workflow against it")
        }
        if let problem = past.problem { throw problem }
        let workflow = try workflow(of: journal, on: console)
        try SecretsOption.demand(
            workflow.usedSecrets, in: session.secrets, of: journal.header.file ?? name,
            command: "graphflow resume \(name)")
        let changes = try past.changes(to: workflow)
        if let changes {
            guard acceptsChanges else { throw ChangedWorkflow(run: name, file: journal.header.file ?? name) }
            for line in changes.lines { console.complain(line) }
        }
        let problems = workflow.validate(input: journal.header.input)
        guard problems.isEmpty else { throw InvalidWorkflow(diagnostics: problems) }
        var graph = try await GraphClient.forRunning([workflow], console)
        if isBatching { graph = graph.batchingReads() }
        let address = try graph.baseURL.absoluteString
        if let other = journal.header.graphURL, other != address {
            throw UsageError(
                "the run \(name) called \(PlainText.line(other, limit: 200)), and GRAPHFLOW_GRAPH_URL is \(address)",
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

    /// The workflow file as it is now, or as it was run where that was no file.
    private func workflow(of journal: Journal, on console: Console) throws -> Workflow {
        guard let file = journal.header.file else {
            return try Workflow(text: String(decoding: try journal.workflowText, as: UTF8.self))
        }
        let (checked, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
        guard let workflow = checked else { throw InvalidWorkflow(diagnostics: findings) }
        return workflow
    }
}

/// That the workflow file is not the one that was run.
struct ChangedWorkflow: Error {
    let run: String
    let file: String
}

/// What only a person can find out before a run goes on.
struct OpenQuestion: Error {
    let effects: UnsettledEffects
    let diagnostics: [Diagnostic]

    init(_ effects: UnsettledEffects, of workflow: Workflow) {
        self.effects = effects
        diagnostics = effects.tasks.map { task in
            let name = task.tokens.last ?? "workflow"
            return workflow.document.diagnostic(
                id: "unknown-outcome",
                "'\(PlainText.line(name, limit: 100))' was at work when the run ended, must happen once, and nobody "
                    + "knows whether it did", at: task, part: .key)
        }
    }
}
