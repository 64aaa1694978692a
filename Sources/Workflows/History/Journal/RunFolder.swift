import Essentials

/// The folder of one run and the names of its files.
struct RunFolder: Sendable {
    let run: String
    let folder: PrivateFolder

    static let journal = "journal.jsonl"
    var journal: String { folder.path(of: Self.journal) }
    /// The copy of the workflow file that the run keeps.
    var workflow: String { folder.path(of: "workflow") }
    var lock: String { folder.path(of: "lock") }
    var blobs: PrivateFolder { PrivateFolder(path: folder.path(of: "blobs")) }

    /// How long to wait for a lock, which other processes hold briefly to check whether the run is at work.
    private static let patience = 0.2

    /// Locks the run for this process.
    /// - Parameter isBrief: Whether it is locked only to be removed.
    func takeLock(isBrief: Bool = false) throws(JournalError) -> FileLock {
        do throws(FileLock.Failure) {
            return try FileLock(lock, patience: Self.patience, isBrief: isBrief)
        } catch {
            switch error {
            case .held(let holder):
                let process = holder.prefix { $0 != " " }
                throw JournalError(
                    .held, "the run \(run) is at work in another process (\(process))",
                    hint: "wait until it ends, or end it with: kill \(process)")
            case .system(let error):
                throw JournalError(.failed, "the run \(run) cannot be locked: \(error)")
            }
        }
    }
}
