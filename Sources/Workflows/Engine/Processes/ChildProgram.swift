import Essentials

/// A program to run as a child process, with its arguments and environment.
struct ChildProgram: Sendable {
    /// The path of the executable file.
    var path: String
    /// The arguments, its own name first.
    var arguments: [String]
    var environment: [String: String]
    /// The working folder; nil for that of this process.
    var folder: String?
    /// The standard input; nil for none.
    var standardInput: Data?
    /// The call as a user would write it.
    var shown: [String]
    /// The environment variables that the workflow sets, and those that the run passes on.
    var givenVariables: [String]
    /// What the workflow starts it with, before it becomes texts.
    var start = ProgramStart()
    /// The container that it runs; nil for any other program.
    var container: ContainerCare?
    /// What is kept of its output; nil for a program that no task waits for, whose output is discarded.
    var kept: Kept?

    /// Starts the program, and returns the id of its process and of its group.
    func spawn(input: Descriptor?, output: Descriptor?, error: Descriptor?) throws(SystemError) -> pid_t {
        try SystemCall.spawn(
            path, arguments, environment: environment, folder: folder, input: input, output: output, error: error)
    }

    /// How much is kept of a program's output.
    struct Kept: Sendable {
        /// What is kept of standard output.
        var output: Amount
        /// What is kept of standard error.
        var error: Amount
    }

    /// How much is kept of one stream; every stream is read to its end.
    enum Amount: Sendable {
        /// All of it, up to a number of bytes; a program that writes more is ended.
        case all(upTo: Int)
        /// The last bytes.
        case last(Int)
    }
}

/// How a program ended, and its output.
struct ProcessEnd: Sendable {
    /// The exit code; 128 plus the signal's number if a signal ended it, as in shells.
    var code: Int
    /// The signal that ended it; nil if it exited.
    var signal: Int32?
    /// What was kept of standard output.
    var output: Data
    /// What was kept of standard error.
    var error: Data
    /// The stream whose limit the program exceeded, for which it was ended.
    var flooded: Stream?
    /// Whether it was asked to end.
    var wasEnded = false

    /// The two streams that a program writes to.
    enum Stream: String, Sendable {
        case output = "standard output"
        case error = "standard error"
    }
}

/// The environment variables that a child process inherits.
///
/// Only those that programs need to work as in the user's shell; any other may be a secret.
struct ProcessEnvironment: Sendable {
    private static let names: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR",
    ]

    /// The variables that a child gets by default.
    let variables: [String: String]

    /// Whether a child gets the variable by default.
    static func isPassed(_ name: String) -> Bool { names.contains(name) || name.hasPrefix("LC_") }

    /// Chooses from the variables of this process.
    /// - Parameter names: Further variables that are passed on.
    init(_ environment: [String: String], passing names: Set<String> = []) {
        var variables = environment.filter { Self.isPassed($0.key) || names.contains($0.key) }
        if variables["PATH"]?.isEmpty ?? true { variables["PATH"] = "/usr/local/bin:/usr/bin:/bin" }
        self.variables = variables
    }
}
