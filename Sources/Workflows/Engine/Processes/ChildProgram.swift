import Foundation

/// A program to be run as a process of its own, with all that it is given.
struct ChildProgram: Sendable {
    /// The path of the executable file.
    var path: String
    /// What it is called with, from its own name on.
    var arguments: [String]
    /// All the variables of its environment.
    var environment: [String: String]
    /// The folder that it works in; nil for that of this process.
    var folder: String?
    /// What it can read from standard input; nil for nothing.
    var standardInput: Data?
    /// The call as a person would write it.
    var shown: [String]
    /// The variables of its environment that the workflow gives it.
    var givenVariables: [String]
    /// What is kept of what it writes; nil for a program that nobody waits for, whose output goes nowhere.
    var kept: Kept?

    /// How much is kept of what a program writes.
    struct Kept: Sendable {
        /// What is kept of standard output.
        var output: Amount
        /// What is kept of standard error.
        var error: Amount
    }

    /// How much is kept of one stream; in every case a stream is read to its end.
    enum Amount: Sendable {
        /// All of it, up to a number of bytes; a program that writes more is ended.
        case all(upTo: Int)
        /// The last bytes, as many as that.
        case last(Int)
    }
}

/// How a program ended, and what it left.
struct ProcessEnd: Sendable {
    /// The exit code; 128 and the signal's number where a signal ended it, as shells say it.
    var code: Int
    /// The signal that ended it; nil where it ended by itself.
    var signal: Int32?
    /// What was kept of standard output.
    var output: Data
    /// What was kept of standard error.
    var error: Data
    /// The stream that the program wrote too much to, for which it was ended.
    var flooded: Stream?

    /// The two streams that a program writes to.
    enum Stream: String, Sendable {
        case output = "standard output"
        case error = "standard error"
    }
}

/// Which of this process' own variables a child process gets.
///
/// A list of those that programs need to work as they do for whoever started this one; anything else may be a secret.
struct ProcessEnvironment: Sendable {
    private static let names: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR",
    ]

    /// The variables that a child gets where a workflow says nothing.
    let variables: [String: String]

    /// Chooses from the variables of this process.
    init(_ environment: [String: String]) {
        var variables = environment.filter { Self.names.contains($0.key) || $0.key.hasPrefix("LC_") }
        if variables["PATH"]?.isEmpty ?? true { variables["PATH"] = "/usr/local/bin:/usr/bin:/bin" }
        self.variables = variables
    }
}
