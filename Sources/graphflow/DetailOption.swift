/// `--quiet` and `--verbose`: how much of a run is shown.
enum DetailOption {
    /// The options.
    static let options = [
        Option(name: "quiet", help: "Show only errors."),
        Option(name: "verbose", help: "Show a line for every task and every retry of a request."),
    ]

    /// How much is shown.
    static func detail(_ arguments: ParsedArguments) throws(UsageError) -> ConsoleRecorder.Detail {
        guard !arguments.has("quiet") || !arguments.has("verbose") else {
            throw UsageError("'--quiet' and '--verbose' cannot be used together")
        }
        return arguments.has("quiet") ? .quiet : arguments.has("verbose") ? .verbose : .usual
    }
}
