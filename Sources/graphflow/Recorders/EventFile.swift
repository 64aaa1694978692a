import Essentials
import Promises
import WorkflowHTTP
import Workflows

/// Where `--events` writes the events of a run, one JSON line each.
struct EventFile {
    /// Writes to the file, which is emptied, or to standard output for `-`.
    let recorder: Recorder

    init(_ path: String, _ console: Console) throws(UsageError) {
        guard path != "-" else {
            recorder = .jsonLines { line in
                console.print(Data(String(decoding: line, as: UTF8.self).escapingControls.utf8))
            }
            return
        }
        let file: OutputFile
        do throws(SystemError) {
            file = try OutputFile(path)
        } catch {
            throw UsageError(
                "'\(path)' cannot be written: \(error)",
                hint: "check that its folder exists and that you may write there")
        }
        let hasFailed = Locked(false)
        recorder = .jsonLines { line in
            do {
                try file.write(line)
            } catch {
                // Once, because a run has many events.
                let isFirst = hasFailed.withLock { hasFailed in
                    defer { hasFailed = true }
                    return !hasFailed
                }
                if isFirst { console.complain("warning: '\(path)' cannot be written any more: \(error)") }
            }
        }
    }
}
