struct ChildProgram: Sendable {
    var path: String
    /// The arguments, its own name first.
    var arguments: [String]
    var environment: [String: String]
    /// The working folder; nil for that of this process.
    var folder: String?
    var standardInput: Data?
    /// Takes the end of its standard input, and closes it; nil for an input of ``standardInput`` alone.
    var opened: (@Sendable (Descriptor) -> Void)?
    /// The call as a user would write it.
    var shown: [String]
    /// The environment variables that the workflow sets, and those that the run passes on.
    var givenVariables: [String]
    /// The workflow's arguments, before they become texts.
    var start = ProgramStart()
    var container: ContainerCare?
    /// What it does after it has started.
    var consequences: [Effect] = []
    /// What is kept of its output; nil for a program that no task waits for, whose output is discarded.
    var kept: Kept?

    /// Starts the program, and returns the id of its process and of its process group.
    func spawn(input: Descriptor?, output: Descriptor?, error: Descriptor?) throws(SystemError) -> pid_t {
        try SystemCall.spawn(
            path, arguments, environment: environment, folder: folder, input: input, output: output, error: error)
    }

    struct Kept: Sendable {
        var output: Amount
        var error: Amount
    }

    /// How much is kept of one stream; every stream is read to its end.
    enum Amount: Sendable {
        /// All of it; a program that writes more bytes is ended.
        case all(upTo: Int)
        case last(Int)
        /// Nothing: each part is handed on as it comes.
        case handed(@Sendable (Data) -> Void)
    }
}

struct ProcessEnd: Sendable {
    /// The exit code; 128 plus the signal's number if a signal ended it, as in shells.
    var code: Int
    var signal: Int32?
    var output: Data
    var error: Data
    /// The stream whose limit the program exceeded, for which it was ended.
    var flooded: Stream?
    var wasEnded = false

    enum Stream: String, Sendable {
        case output = "standard output"
        case error = "standard error"
    }
}

/// The inherited environment variables: only those that programs need, because any other may be a secret.
struct ProcessEnvironment: Sendable {
    private static let names: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR",
    ]

    let variables: [String: String]

    /// The path of a program in the folders of a `PATH`; nil if there is none.
    ///
    /// Relative folders are skipped: they would depend on where the run was started.
    static func path(of program: String, on searchPath: String) -> String? {
        searchPath.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }
            .first(where: FileManager.default.isExecutableFile)
    }

    static func isPassed(_ name: String) -> Bool { names.contains(name) || name.hasPrefix("LC_") }

    /// Chooses from the variables of this process; `names` are passed on as well.
    init(_ environment: [String: String], passing names: Set<String> = []) {
        var variables = environment.filter { Self.isPassed($0.key) || names.contains($0.key) }
        if variables["PATH"]?.isEmpty ?? true { variables["PATH"] = "/usr/local/bin:/usr/bin:/bin" }
        self.variables = variables
    }
}
