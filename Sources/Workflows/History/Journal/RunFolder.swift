/// The folder of one run and the names of its files.
struct RunFolder: Sendable {
    let run: String
    let folder: PrivateFolder

    static let journal = "journal.jsonl"
    var journal: String { folder.path(of: Self.journal) }
    var workflow: String { folder.path(of: "workflow") }
    var lock: String { folder.path(of: "lock") }
    var approvals: ApprovalRequests { ApprovalRequests(folder: PrivateFolder(path: folder.path(of: "approvals"))) }
    var blobs: PrivateFolder { PrivateFolder(path: folder.path(of: "blobs")) }

    /// The maximum wait for a lock in seconds: other processes hold it briefly to check whether the run is active.
    private static let patience = 0.2

    /// Locks the run for this process.
    /// - Parameter isBrief: Whether it is released so soon that its holder need not be recorded.
    func takeLock(isBrief: Bool = false) throws(JournalError) -> FileLock {
        do throws(FileLock.Failure) {
            return try FileLock(lock, patience: Self.patience, isBrief: isBrief)
        } catch {
            switch error {
            case .held(let holder):
                let process = holder.prefix { $0 != " " }
                throw JournalError(
                    .held, "the run \(run) is in progress in another process (\(process))",
                    hint: "wait until that process ends, or end it with: kill \(process)")
            case .system(let error):
                throw JournalError(.failed, "the run \(run) cannot be locked: \(error)")
            }
        }
    }
}

extension ApprovalRequests {
    /// The requests of a run or a batch.
    /// - Throws: ``JournalError`` if there is no such run.
    package init(of run: String, in runs: RunsFolder) throws(JournalError) {
        let place = try runs.folder(of: run)
        try place.check(in: runs)
        self = place.approvals
    }
}

extension RunsFolder {
    /// What tells of changes of a run's journal, of its requests, and of the answers to them.
    package func watch(_ run: String) throws(JournalError) -> FolderWatch {
        let place = try folder(of: run)
        return FolderWatch([place.folder, place.approvals.folder])
    }
}
