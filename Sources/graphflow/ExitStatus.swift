enum ExitStatus: Int32, Sendable {
    case success = 0
    case faulted = 1
    /// The file or its input is invalid: nothing ran.
    case invalid = 2
    case signInRequired = 3
    /// It is unknown whether an effect that must happen once happened.
    case unknownOutcome = 4
    case usage = 64
    /// Ended by an interrupt from the keyboard.
    case interrupted = 130
    /// The program that read standard output has ended; the status of SIGPIPE.
    case brokenPipe = 141
    /// Ended by a request to terminate.
    case terminated = 143
}
