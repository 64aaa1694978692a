import Foundation

/// The folder of one run, with the names of what is in it.
struct RunFolder: Sendable {
    let run: String
    let folder: PrivateFolder

    var journal: String { folder.path(of: "journal.jsonl") }
    /// The workflow file as it was run.
    var workflow: String { folder.path(of: "workflow") }
    var output: String { folder.path(of: "output.json") }
    var lock: String { folder.path(of: "lock") }
    var blobs: PrivateFolder { PrivateFolder(path: folder.path(of: "blobs")) }

    /// How long to wait for a lock: others hold it for a moment to see whether somebody else does.
    private static let patience = 0.2

    /// Takes the run for this process.
    func takeLock() throws(JournalError) -> FileLock {
        do throws(FileLock.Failure) {
            return try FileLock(lock, patience: Self.patience)
        } catch {
            switch error {
            case .held(let holder):
                let process = holder.prefix { $0 != " " }
                throw JournalError(
                    .held, "the run \(run) is at work in another process (\(process))",
                    hint: "wait for its end, or end it with: kill \(process)")
            case .system(let error):
                throw JournalError(.failed, "the run \(run) cannot be locked: \(error)")
            }
        }
    }
}
