import Essentials
import WorkflowHTTP
import Workflows

/// `--results`: where the results of a batch are written.
struct ResultsOption: OptionGroup {
    /// The file; nil for standard output.
    @Option(
        "results", "FILE",
        "Write the results to this file instead of standard output. A batch that is\nresumed adds to it.")
    var path: String?
}

/// Where the results of a batch are written, one JSON line for each item that is over.
struct ResultsFile: Sendable {
    private let write: @Sendable (String) throws -> Void

    /// - Parameters:
    ///   - path: The file; nil for standard output.
    ///   - isContinued: Whether what is in the file stays there.
    init(_ path: String?, isContinued: Bool, _ console: Console) throws(UsageError) {
        guard let path else {
            // Results that nobody gets would be lost: the ledger says that their items are over.
            let output = console.ownsProcess ? OutputFile(STDOUT_FILENO) : nil
            write = { line in
                guard let output else { return console.print(line) }
                try output.write(Data((line.escapingControls + "\n").utf8))
            }
            return
        }
        let file: OutputFile
        do throws(SystemError) {
            file = isContinued ? try OutputFile(addingTo: path) : try OutputFile(path)
        } catch {
            throw UsageError(
                "'\(path)' cannot be written: \(error)",
                hint: "check that its folder exists and that you may write there")
        }
        write = { line in try file.write(Data((line.escapingControls + "\n").utf8)) }
    }

    /// Writes a line.
    /// - Throws: ``ResultsFailure`` if it cannot be written.
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
