struct ResultsOption: OptionGroup {
    @Option(
        "results", "FILE",
        "Write the results to this file instead of standard output. A batch that is\nresumed adds to it.",
        isOutput: true)
    var path: String?
}

/// The results of a batch, one JSON line for each finished item.
struct ResultsFile: Sendable {
    private let write: @Sendable (String) throws -> Void

    /// - Parameters:
    ///   - path: The file; nil for standard output.
    ///   - isContinued: Whether existing lines of the file are kept.
    init(_ path: String?, isContinued: Bool, _ console: Console) throws {
        guard let path else {
            // Discarded results would be lost: the ledger has their items as finished.
            let output = console.ownsProcess ? OutputFile(STDOUT_FILENO) : nil
            write = { line in
                guard let output else { return console.print(line) }
                try output.write(Data((line.escapingControls + "\n").utf8))
            }
            return
        }
        let file = try OutputFile(path, sparing: console.files, isContinued: isContinued)
        // A batch without items has no results, not those of an earlier one.
        try file.write(Data())
        write = { line in try file.write(Data((line.escapingControls + "\n").utf8)) }
    }

    /// - Throws: ``ResultsFailure`` if the line cannot be written.
    func write(_ result: BatchResult) throws {
        do { try write(result.json) } catch {
            throw ResultsFailure(description: "the results cannot be written: \(error)")
        }
    }
}

/// Results that cannot be written, which ends the batch.
struct ResultsFailure: Error, CustomStringConvertible {
    let description: String
}
