import Essentials

/// The folder of one batch and the names of its files.
///
/// It is made as a run's folder is, with one journal for the events of all items, and has a ledger beside it.
package struct BatchFolder: Sendable {
    /// The batch's name.
    package let batch: String
    private let folder: RunFolder

    init(_ folder: RunFolder) {
        batch = folder.run
        self.folder = folder
    }

    /// The path of the ledger.
    package var ledger: String { folder.folder.path(of: "ledger.jsonl") }
    /// The path of the items that came from standard input.
    package var items: String { folder.folder.path(of: "items") }
    /// Whether a process is at work on the batch.
    package var isAtWork: Bool { FileLock.isHeld(folder.lock) }

    /// Fails if there is no such batch, or its folder is not as it was created.
    package func check() throws(JournalError) {
        do throws(SystemError) { try folder.folder.check() } catch {
            guard !error.isMissing else { throw Self.noBatch(batch) }
            throw JournalError(error, "the folder \(folder.folder.path) cannot be used")
        }
    }

    /// Creates the ledger with its first line, both or neither.
    func makeLedger(_ line: Data) throws(SystemError) {
        try folder.folder.replace("ledger.jsonl") { file throws(SystemError) in try file.write(line) }
        try folder.folder.synchronize()
    }

    static func noBatch(_ name: String) -> JournalError {
        JournalError(
            .notFound, "there is no batch '\(PlainText.line(name, limit: 100))'",
            hint: "'graphflow runs' lists all runs and batches")
    }
}

extension RunsFolder {
    /// The user's folder of batches: `batches` beside `runs`.
    /// - Parameter environment: The environment variables.
    package static func batches(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> RunsFolder {
        RunsFolder(GraphflowHome.folder(environment).appendingPathComponent("batches", isDirectory: true))
    }

    /// Removes what a process left of a batch that it did not begin: an incomplete folder, or one without a ledger.
    /// - Throws: ``JournalError`` if a process is at work on the batch.
    func removeUnbegun(_ name: String) throws(JournalError) {
        let new = folder.path(of: ".new-\(name)")
        if !FileLock.isHeld("\(new)/lock") { try? FileManager.default.removeItem(atPath: new) }
        let batch = try batch(name)
        guard (try? batch.check()) != nil, !FileManager.default.fileExists(atPath: batch.ledger) else { return }
        try remove(name)
    }

    /// The folder of a batch, which need not exist.
    /// - Throws: ``JournalError`` if the name cannot be a batch's name.
    package func batch(_ name: String) throws(JournalError) -> BatchFolder {
        guard Self.isName(name) else { throw BatchFolder.noBatch(name) }
        return BatchFolder(try folder(of: name))
    }
}
