/// The folder of one batch and the names of its files.
///
/// It is a run's folder with one journal for the events of all items, and a ledger.
package struct BatchFolder: Sendable {
    package let batch: String
    private let folder: RunFolder

    init(_ folder: RunFolder) {
        batch = folder.run
        self.folder = folder
    }

    package var ledger: String { folder.folder.path(of: Self.ledger) }
    private static let ledger = "ledger.jsonl"
    /// The path of the items that came from standard input.
    package var items: String { folder.folder.path(of: "items") }
    package var plan: String { folder.folder.path(of: "plan.json") }
    /// Whether a process is performing the batch.
    package var isAtWork: Bool { FileLock.isHeld(folder.lock) }

    /// Fails if there is no such batch, or its folder is not as it was created.
    package func check() throws(JournalError) {
        do throws(SystemError) { try folder.folder.check() } catch {
            guard !error.isMissing else { throw Self.noBatch(batch) }
            throw JournalError(error, "the folder \(folder.folder.path) cannot be used")
        }
    }

    func makeLedger(_ header: BatchLedger.Header) throws(SystemError) -> AppendOnlyLog {
        try AppendOnlyLog(creating: Self.ledger, in: folder.folder, Value.object(header.members).jsonData())
    }

    static func noBatch(_ name: String) -> JournalError {
        JournalError(
            .notFound, "there is no batch '\(PlainText.exact(name, limit: 100))'",
            hint: "'graphflow runs' lists all runs and batches")
    }
}

extension RunsFolder {
    /// The user's folder of batches: `batches` next to `runs`.
    package static func batches(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> RunsFolder {
        RunsFolder("batches", inHomeOf: environment)
    }

    /// The folder of a batch, which need not exist.
    /// - Throws: ``JournalError`` if the name is not valid.
    package func batch(_ name: String) throws(JournalError) -> BatchFolder {
        guard Self.isName(name) else { throw BatchFolder.noBatch(name) }
        return BatchFolder(try folder(of: name))
    }
}

extension JournalError {
    /// The error of a run's folder as that of a batch.
    package func naming(batch: String) -> JournalError {
        JournalError(
            code, message.replacing("the run \(batch)", with: "the batch \(batch)"), hint: hint, line: line)
    }
}
