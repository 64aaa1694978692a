/// The options of `run`, `batch`, `resume` and `serve` for what workflows may use and keep, and how long they wait.
struct RunnerOptions: OptionGroup {
    private let secrets = SecretsOption()
    private let environmentFile = EnvironmentFile()
    @Option(
        each: "env", "NAME",
        "Pass an environment variable on to programs and containers, which\n"
            + "otherwise get only those such as PATH and LANG.", as: Conversion(variable))
    private var variables: [String]
    @Option(
        each: "allow-http", "HOST",
        "Allow calls of this host without encryption, never with the account at\n"
            + "Microsoft Graph. A file can name hosts in 'document.metadata.allowHttp'.",
        as: Conversion({ PlainHosts.isHost($0) ? $0.lowercased() : nil }) { text, name in
            UsageError(
                "'\(name)' needs a host, not '\(PlainText.exact(text, limit: 100))'",
                hint: "write it without http:// and without a port: \(name) prices.svc")
        })
    private var plainHosts: [String]
    @Flag(
        "undoable",
        "Keep what is changed and replaced, so that 'undo' can set it back.\nGRAPHFLOW_UNDOABLE=1 does so too.")
    private var isUndoable: Bool
    @Option("undo-for", "TIME", "How long that is kept: 12h, 90d (default: 30d).", as: .time(from: 1))
    private var undoTime: Duration?
    private let answers = AnswerOption()
    private let patience = PatienceOption()

    /// - Parameter files: The files that the command reads as a plan or writes.
    func settings(ownFiles files: [String?], _ console: Console) throws(UsageError) -> RunnerSettings {
        let store = try secrets.store(console)
        if let name = variables.first(where: { console.environment[$0] == nil }) {
            throw UsageError(
                "the variable '\(PlainText.exact(name, limit: 100))' of '\($variables.syntax.dashed)' is not set",
                hint: "set it in the environment, or name a file that sets it: --env-file FILE")
        }
        var own = OwnFiles(files.compactMap(\.self) + GraphflowHome.paths(console.environment))
        own.addStandardStreams()
        return RunnerSettings(
            secrets: store,
            access: Runner.Access(
                variables: Set(variables), plainHosts: Set(plainHosts), undoable: try undoable(console)),
            ownFiles: own, largestAnswer: answers.size, patience: patience.patience)
    }

    /// The words that a run needs again to follow its plan.
    var words: String {
        (isUndoable ? " --undoable" : "") + (undoTime.map { " --undo-for \(Int($0.seconds))s" } ?? "")
    }

    /// How long what is changed is kept; nil to keep nothing.
    private func undoable(_ console: Console) throws(UsageError) -> Duration? {
        let isWanted: Bool
        switch console.environment["GRAPHFLOW_UNDOABLE"] ?? "" {
        case "1": isWanted = true
        case "", "0": isWanted = isUndoable
        case let other:
            throw UsageError("GRAPHFLOW_UNDOABLE is '\(PlainText.exact(other, limit: 100))'", hint: "set it to 1 or 0")
        }
        guard isWanted || undoTime == nil else {
            throw UsageError("'--undo-for' needs '--undoable'", hint: "add '--undoable'")
        }
        return isWanted ? undoTime ?? .seconds(30 * 86_400) : nil
    }

    private static func variable(_ text: String, _ name: String) throws -> String {
        guard text.isEmpty || text.contains("=") else { return text }
        let shown = PlainText.exact(text.prefix { $0 != "=" }.description, limit: 100)
        throw UsageError(
            "'\(name)' needs the name of a variable, without a value",
            hint: "set it in the environment: \(shown.isEmpty ? "NAME" : shown)=… graphflow …, or in a file: "
                + "--env-file FILE")
    }
}

struct RunnerSettings: Sendable {
    let secrets: SecretStore
    /// What runs may use beyond the defaults.
    fileprivate let access: Runner.Access
    /// The files that the command reads as a plan or writes; workflows cannot read them.
    let ownFiles: OwnFiles
    fileprivate let largestAnswer: Int?
    fileprivate let patience: RequestPatience

    /// Fails if runs without a journal are to keep what they change.
    func demandJournal(_ isKept: Bool) throws(UsageError) {
        guard access.undoable != nil, !isKept else { return }
        throw UsageError("'--no-journal' keeps nothing that 'undo' could set back", hint: "leave out '--undoable'")
    }

    /// What a workflow, or one that it runs, needs and cannot have.
    func obstacles(to workflow: Workflow, _ console: Console) -> [Diagnostic] {
        workflow.obstacles(console.environment, access)
    }

    /// The variables of the environment that programs get in addition to the defaults, with their values.
    func givenVariables(_ console: Console) -> [String: String] {
        console.environment.filter { access.variables.contains($0.key) }
    }

    /// The runner of workflows that call this Microsoft Graph.
    /// - Parameter sandbox: The sandbox that will answer, even if the client for a plan has none.
    func runner(
        over graph: GraphClient, _ console: Console, in sandbox: Sandbox? = nil, recorders: [Recorder] = []
    ) -> Runner {
        var graph = graph.acceptingAnswers(upTo: largestAnswer)
        graph.patience = patience
        var runner = Runner(graph: graph, clock: graph.clock, recorders: recorders)
        runner.secrets = secrets
        runner.environment = console.environment
        runner.access = access
        runner.ownFiles = ownFiles
        runner.perspective = EffectPerspective(console, in: sandbox ?? (graph.transport as? SandboxNetwork)?.sandbox)
        return runner
    }
}

/// `--timeout` and `--retry-for`: how long requests wait for a service that does not answer.
struct PatienceOption: OptionGroup {
    @Option(
        "timeout", "TIME",
        "How long one request may take (default: 100s to Microsoft Graph, 5m to other\n"
            + "services in tasks without a timeout).", as: .time(from: 1))
    private var timeout: Duration?
    @Option(
        "retry-for", "TIME",
        "How long Microsoft Graph may give no answer to a request that can be\n"
            + "repeated, before the request fails: 30s, 1h (default: four attempts).", as: .time(from: 1))
    private var silence: Duration?

    var patience: RequestPatience { RequestPatience(timeout: timeout, silence: silence) }
}
