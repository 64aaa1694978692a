/// How the program ends, for the shell that called it.
enum ExitStatus: Int32, Sendable {
    /// The run completed, or the command succeeded.
    case success = 0
    /// The run faulted.
    case faulted = 1
    /// The file or its input is invalid: nothing ran.
    case invalid = 2
    /// A sign-in or a permission is missing.
    case signInRequired = 3
    /// It is unknown whether an effect that must happen once happened.
    case unknownOutcome = 4
    /// The command line is wrong.
    case usage = 64
    /// Ended by an interrupt from the keyboard.
    case interrupted = 130
    /// The program that read standard output has ended, as SIGPIPE would tell.
    case brokenPipe = 141
    /// Ended by a request to terminate.
    case terminated = 143
}
