import Essentials
import Workflows

/// The options of `run`, `batch`, `resume` and `serve` that say what workflows may use, and how long they wait.
struct RunnerOptions: Sendable {
    static let options =
        [
            SecretsOption.option, EnvironmentFile.option,
            Option(
                name: "env", argument: .required("NAME"), isRepeatable: true,
                help: "Pass a variable of the environment on to programs and containers, which\n"
                    + "otherwise get only those such as PATH and LANG."),
            Option(
                name: "allow-http", argument: .required("HOST"), isRepeatable: true,
                help: "Allow calls of this host without encryption, never with the account at\n"
                    + "Microsoft Graph. A file can name hosts in 'document.metadata.allowHttp'."),
            AnswerOption.option,
        ] + PatienceOption.options

    /// The workflows' secrets.
    let secrets: SecretStore
    /// What runs may use beyond the usual.
    private let access: Runner.Access
    /// The files that the command reads as a plan or writes, which are no files of a workflow.
    let ownFiles: OwnFiles
    private let largestAnswer: Int?
    private let patience: RequestPatience

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        secrets = try SecretsOption.store(arguments, console)
        for name in arguments.all("env") {
            let shown = PlainText.line(name.prefix { $0 != "=" }.description, limit: 100)
            guard !name.isEmpty, !name.contains("=") else {
                throw UsageError(
                    "'--env' needs the name of a variable, without a value",
                    hint: "set it in the environment: \(shown.isEmpty ? "NAME" : shown)=… graphflow …, or in a file: "
                        + "--env-file FILE")
            }
            guard console.environment[name] != nil else {
                throw UsageError(
                    "the variable '\(shown)' of '--env' is not set",
                    hint: "set it in the environment, or name a file that sets it: --env-file FILE")
            }
        }
        for host in arguments.all("allow-http") where !PlainHosts.isHost(host) {
            throw UsageError(
                "'--allow-http' needs a host, not '\(PlainText.line(host, limit: 100))'",
                hint: "write it without http:// and without a port: --allow-http prices.svc")
        }
        access = Runner.Access(
            variables: Set(arguments.all("env")), plainHosts: Set(arguments.all("allow-http").map { $0.lowercased() }))
        let named = ["plan", "plan-out", "events", "results"].compactMap { arguments.value($0) }
        var own = OwnFiles(named + [GraphflowHome.folder(console.environment).path(percentEncoded: false)])
        own.addStandardStreams()
        ownFiles = own
        largestAnswer = try AnswerOption.size(arguments)
        patience = try PatienceOption.patience(arguments)
    }

    /// What a workflow, or one that it runs, needs and cannot have.
    func obstacles(to workflow: Workflow, _ console: Console) -> [Diagnostic] {
        workflow.obstacles(console.environment, access)
    }

    /// The variables of the environment that programs get beyond the usual, with their values.
    func givenVariables(_ console: Console) -> [String: String] {
        console.environment.filter { access.variables.contains($0.key) }
    }

    /// The runner of workflows that call this Microsoft Graph.
    func runner(over graph: GraphClient, _ console: Console, recorders: [Recorder] = []) -> Runner {
        var graph = graph.acceptingAnswers(upTo: largestAnswer)
        graph.patience = patience
        var runner = Runner(graph: graph, clock: graph.clock, recorders: recorders)
        runner.secrets = secrets
        runner.environment = console.environment
        runner.access = access
        runner.ownFiles = ownFiles
        return runner
    }
}

/// `--timeout` and `--retry-for`: how long requests wait for a service that does not answer.
enum PatienceOption {
    static let options = [
        Option(
            name: "timeout", argument: .required("TIME"),
            help: "How long one request may take (default: 100s to Microsoft Graph, 5m to other\n"
                + "services in tasks without a timeout)."),
        Option(
            name: "retry-for", argument: .required("TIME"),
            help: "For how long Microsoft Graph may give no answer to a request that can be\n"
                + "repeated, before the request fails: 30s, 1h (default: four attempts)."),
    ]

    static func patience(_ arguments: ParsedArguments) throws(UsageError) -> RequestPatience {
        RequestPatience(
            timeout: try arguments.time("timeout", from: 1), silence: try arguments.time("retry-for", from: 1))
    }
}
