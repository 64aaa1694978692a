/// `--quiet` and `--verbose`: how much of a run is shown.
struct DetailOption: OptionGroup {
    @Flag("quiet", "Show only errors.") private var isQuiet
    @Flag("verbose", "Show a line for every task and every retry of a request.") private var isVerbose

    func validate() throws(UsageError) { try exclude($isQuiet, $isVerbose) }

    var detail: ConsoleRecorder.Detail { isQuiet ? .quiet : isVerbose ? .verbose : .usual }
}
