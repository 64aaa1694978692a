import Foundation
import Workflows

/// Where `--events` writes the events of a run, one JSON line each.
struct EventFile {
    /// Writes to the file, which is replaced, or to standard output for `-`.
    let recorder: Recorder

    init(_ path: String, _ console: Console) throws(UsageError) {
        guard path != "-" else {
            recorder = .jsonLines { console.print($0) }
            return
        }
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else {
            throw UsageError(
                "'\(path)' cannot be written", hint: "check that its folder exists and that you may write there")
        }
        recorder = .jsonLines { line in
            do {
                try handle.write(contentsOf: line)
            } catch {
                console.complain("warning: '\(path)' cannot be written any more: \(error)")
            }
        }
    }
}
