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
    package var ledger: String { folder.folder.path(of: Self.ledger) }
    private static let ledger = "ledger.jsonl"
    /// The path of the items that came from standard input.
    package var items: String { folder.folder.path(of: "items") }
    /// The path of the approved plan that the batch follows.
    private var plan: String { folder.folder.path(of: "plan.json") }
    /// Whether a process is at work on the batch.
    package var isAtWork: Bool { FileLock.isHeld(folder.lock) }

    /// Fails if there is no such batch, or its folder is not as it was created.
    package func check() throws(JournalError) {
        do throws(SystemError) { try folder.folder.check() } catch {
            guard !error.isMissing else { throw Self.noBatch(batch) }
            throw JournalError(error, "the folder \(folder.folder.path) cannot be used")
        }
    }

    /// Keeps the approved plan that the batch follows.
    /// - Returns: Its hash, for the ledger.
    package func keep(_ approved: ApprovedBatch) throws(SystemError) -> String {
        let data = approved.value.jsonData()
        try PrivateFile(path: plan).write(data)
        return Journal.Header.digest(of: data)
    }

    /// The approved plan that the batch began with, so that it goes on with the same; nil if it began without one.
    /// - Throws: ``JournalError`` if the plan is not there or was changed.
    package func approved(by header: BatchLedger.Header) throws(JournalError) -> ApprovedBatch? {
        guard let digest = header.plan else { return nil }
        let kept: Data?
        // It is as large as it was when it was kept, or another one.
        do throws(SystemError) { kept = try PrivateFile(path: plan).read(limit: .max - 1) } catch {
            throw JournalError(error, "the approved plan of the batch \(batch) cannot be read")
        }
        guard let data = kept, Journal.Header.digest(of: data) == digest, let value = try? Value(json: data),
            let approved = try? ApprovedBatch(value)
        else {
            throw JournalError(
                .damaged, "the approved plan of the batch \(batch) is not there any more, or was changed",
                hint: "the batch can only go on with it: put \(plan) back")
        }
        return approved
    }

    /// Creates the ledger with its first line.
    func makeLedger(_ header: BatchLedger.Header) throws(SystemError) -> AppendOnlyLog {
        try AppendOnlyLog(creating: Self.ledger, in: folder.folder, Value.object(header.members).jsonData())
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
        RunsFolder("batches", inHomeOf: environment)
    }

    /// Removes what a process left of a batch that it did not begin: a folder without a ledger.
    /// - Throws: ``JournalError`` if a process is at work on the batch.
    func removeUnbegun(_ name: String) throws(JournalError) {
        let batch = try batch(name)
        guard (try? batch.check()) != nil, !FileManager.default.fileExists(atPath: batch.ledger) else { return }
        do throws(JournalError) { try remove(name) } catch {
            // Another process may have removed it as well.
            guard error.code != .notFound else { return }
            throw error.naming(batch: name)
        }
    }

    /// The folder of a batch, which need not exist.
    /// - Throws: ``JournalError`` if the name cannot be a batch's name.
    package func batch(_ name: String) throws(JournalError) -> BatchFolder {
        guard Self.isName(name) else { throw BatchFolder.noBatch(name) }
        return BatchFolder(try folder(of: name))
    }
}

extension JournalError {
    /// The error of a run's folder as that of a batch, which is made as a run's folder is.
    package func naming(batch: String) -> JournalError {
        JournalError(
            code, message.replacing("the run \(batch)", with: "the batch \(batch)"), hint: hint, line: line)
    }
}
