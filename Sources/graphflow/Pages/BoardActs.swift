/// Resumes and cancels runs and batches for the board.
struct BoardActs: Sendable {
    /// The reason that a request was refused.
    struct Refusal: Error {
        var text: String
    }

    let kept: KeptRuns
    let program: OwnProgram

    /// Resumes a run in its own process, which continues after the board has ended.
    /// - Parameter options: `assume` is `sent` or `not-sent`, `acceptChanges` is true or false.
    func resume(_ run: String, with options: Object) throws {
        let runs = try kept.folder(of: run)
        let summary = try runs.summary(of: run)
        guard summary.isResumable else {
            throw Refusal(text: "the run \(run) cannot be resumed: it is \(summary.state.rawValue)")
        }
        var arguments = ["resume", run]
        if let assumption = options["assume"]?.string { arguments += ["--assume", assumption] }
        if options["acceptChanges"]?.bool == true { arguments.append("--accept-changes") }
        let size = try runs.journalSize(of: run)
        try program.start(arguments) { ((try? runs.journalSize(of: run)) ?? size) > size }
    }

    /// Cancels a run: the process that performs it is asked to end, and then the run is recorded as cancelled.
    ///
    /// A batch is only interrupted.
    func cancel(_ run: String) throws {
        let runs = try kept.folder(of: run)
        let summary = try runs.summary(of: run)
        if let holder = runs.holder(of: run) {
            guard let first = holder.words.first, first.split(separator: "/").last == "graphflow",
                let command = holder.words.dropFirst().first, ["run", "resume", "batch"].contains(command)
            else {
                throw Refusal(
                    text: "the process \(holder.process) performs the run \(run) and perhaps others: end it "
                        + "there, or with: kill \(holder.process)")
            }
            SystemCall.kill(holder.process, SIGTERM)
            for _ in 0..<300 where runs.holder(of: run)?.process == holder.process { SystemThread.sleep(seconds: 0.05) }
            guard runs.holder(of: run) == nil else {
                throw Refusal(text: "the run \(run) waits for the answer to a request that must not be made twice")
            }
        }
        if !summary.isBatch { try runs.cancel(run, at: Date()) }
    }
}
