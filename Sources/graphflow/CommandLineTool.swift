/// Finds the command, runs it, and exits with its status.
@main
struct CommandLineTool {
    /// Every command, in the order in which the help lists them.
    static let commands: [any Command.Type] = [
        RunCommand.self, BatchCommand.self, ResumeCommand.self, ServeCommand.self, ChangesCommand.self,
        RunsCommand.self, ShowCommand.self, EffectsCommand.self, UndoCommand.self, ApproveCommand.self,
        RejectCommand.self, MCPCommand.self, LSPCommand.self, BoardCommand.self,
        RmCommand.self, InitCommand.self,
        ValidateCommand.self, TypesCommand.self, TestCommand.self,
        GraphCommand.self, EvalCommand.self, FunctionsCommand.self, ExplainCommand.self, LoginCommand.self,
        LogoutCommand.self,
        WhoamiCommand.self, UsersCommand.self, RequestCommand<GetRequest>.self, RequestCommand<PostRequest>.self,
        RequestCommand<PatchRequest>.self, RequestCommand<PutRequest>.self, RequestCommand<DeleteRequest>.self,
        SandboxCommand.self, CompletionsCommand.self,
    ]

    static func main() {
        // If a reader such as `| head` ends, writing fails instead of ending the program.
        signal(SIGPIPE, SIG_IGN)
        // If a file reaches the size limit, writing fails instead of ending the program.
        signal(SIGXFSZ, SIG_IGN)
        OutputFile.reserveStandardStreams()
        let console = Console(environment: ProcessInfo.processInfo.environment)
        let arguments = Self.arguments
        guard !arguments.isEmpty else {
            console.complain("error: the command line cannot be read\n  mount /proc, where it is")
            exit(ExitStatus.usage.rawValue)
        }
        if let limit = tooSmallLimit {
            console.complain("error: \(limit)")
            exit(ExitStatus.usage.rawValue)
        }
        Task.detached(executorPreference: CommandExecutor()) {
            exit(await run(Array(arguments.dropFirst()), on: console).rawValue)
        }
        // An asynchronous `main` ends the main thread, which would need a library of the compiler.
        while true { pause() }
    }

    /// A limit of the system with which the program would stop without a word, and what to do; nil if there is none.
    private static var tooSmallLimit: String? {
        #if os(Linux)
            func limit(_ resource: __rlimit_resource) -> rlimit {
                var limit = rlimit()
                return unsafe getrlimit(.init(resource.rawValue), &limit) == 0
                    ? limit : rlimit(rlim_cur: .max, rlim_max: .max)
            }
            let megabytes = limit(RLIMIT_AS).rlim_cur >> 20
            guard megabytes >= 256 else {
                return "this program may use only \(megabytes) MB of memory\n  allow at least 256: ulimit -v 262144"
            }
            var files = limit(RLIMIT_NOFILE)
            guard files.rlim_cur < 64 else { return nil }
            let former = files.rlim_cur
            files.rlim_cur = min(64, files.rlim_max)
            let isRaised = unsafe setrlimit(.init(RLIMIT_NOFILE.rawValue), &files) == 0
            guard !isRaised || files.rlim_cur < 64 else { return nil }
            return "this program may open only \(former) files at a time\n  allow at least 64: ulimit -n 64"
        #else
            return nil
        #endif
    }

    /// The process's arguments, with the program's name; empty if they cannot be read.
    private static var arguments: [String] {
        #if os(Linux)
            // Swift reads /proc, which some folder trees lack. A process begins with its arguments on the
            // stack: their number, the arguments, null, and then the environment.
            guard CommandLine.arguments.isEmpty, let symbol = unsafe dlsym(nil, "environ"),
                let environment = unsafe symbol.load(as: UnsafePointer<UnsafePointer<CChar>?>?.self),
                unsafe environment[-1] == nil
            else { return CommandLine.arguments }
            var found: [String] = []
            while let text = unsafe environment[-2 - found.count], Int(bitPattern: text) != found.count {
                found.append(unsafe String(cString: text))
            }
            return found.reversed()
        #else
            return CommandLine.arguments
        #endif
    }

    static func run(_ arguments: [String], on console: Console) async -> ExitStatus {
        let status = await perform(arguments, on: console)
        return status == .success ? console.outputStatus : status
    }

    private static func perform(_ arguments: [String], on console: Console) async -> ExitStatus {
        do {
            guard let (command, console) = try command(for: arguments, on: console) else { return .success }
            return try await command.run(on: console)
        } catch {
            return console.report(error)
        }
    }

    /// The command, with the variables that its options name; nil if help was asked for and printed.
    private static func command(
        for arguments: [String], on console: Console
    ) throws -> (command: any Command, console: Console)? {
        let name = arguments.first ?? "--help"
        switch name {
        case "--help", "-h", "help":
            let words = arguments.dropFirst().filter { !["--help", "-h", "help"].contains($0) }
            console.print(painted: try help(about: words, on: console))
            return nil
        case "__complete":
            // Unescaped, because a tab divides each line.
            let lines = Completion(Array(arguments.dropFirst()), console.environment).lines
            console.print(Data((lines.joined(separator: "\n") + "\n").utf8))
            return nil
        case "__manual":
            console.print(
                Manual.page(for: try arguments.dropFirst().first.map { try type(named: $0) }, among: commands))
            return nil
        case "--version":
            guard arguments.dropFirst() != ["--json"] else {
                console.print(Build.description.json(pretty: true))
                return nil
            }
            console.print("graphflow \(Workflows.Graphflow.version)")
            return nil
        default:
            let type = try type(named: name)
            let rest = Array(arguments.dropFirst())
            if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
                console.print(Help.text(for: type, width: console.helpWidth))
                return nil
            }
            let command = try type.parse(rest)
            try console.files.take(rest, of: type, console.environment)
            var console = console
            console.endsWithReader = type.onlyReads
            for case let files as EnvironmentFile in Declarations(of: command).groups {
                console = try files.adding(to: console)
            }
            return (command, console)
        }
    }

    /// The help about a command, a page of the documentation, or the pages with some words; without any, the overview.
    private static func help(about words: [String], on console: Console) throws -> String {
        let width = console.helpWidth
        guard let first = words.first else { return Help.overview(of: commands, width: width) }
        if words.count == 1, let command = commands.first(where: { $0.name == first }) {
            return Help.text(for: command, width: width)
        }
        let program = OwnProgram(environment: console.environment).path
        let topics = HelpTopics(folder: HelpTopics.folder(ofProgram: program))
        if words == ["topics"], !topics.pages.isEmpty { return topics.list(width: width) }
        if let page = topics.page(named: words.joined()) {
            return page.text(width: width, colour: console.outputHasColour)
        }
        let found = topics.found(words)
        guard !found.isEmpty else {
            guard topics.pages.isEmpty else {
                throw UsageError(
                    "there is no command and no page about '\(words.joined(separator: " "))'",
                    hint: Diagnostic.didYouMean(first, among: commands.map { $0.name } + topics.pages.map(\.name))
                        ?? "'graphflow help topics' lists the pages")
            }
            throw UsageError(
                "there is no command '\(first)', and the pages of the documentation are not next to this program",
                hint: Diagnostic.didYouMean(first, among: commands.map { $0.name })
                    ?? "'scripts/install' and the packages put them into share/doc/graphflow/guides")
        }
        let rows = found.map { ($0.page.name, PlainText.line($0.line, limit: 200)) }
        return "PAGES with these words, each shown by 'graphflow help NAME':\n\(Help.table(rows, width))"
    }

    private static func type(named name: String) throws -> any Command.Type {
        try Conversion.named(
            name.hasPrefix("-") ? "option" : "command", among: commands.map { $0.name } + ["--help", "--version"],
            list: "run 'graphflow --help' to see the commands", { name in commands.first { $0.name == name } }
        ).value(name, "")
    }
}

/// Runs the command on its own queue: it may block its thread while other tasks run.
private final class CommandExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "command")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
