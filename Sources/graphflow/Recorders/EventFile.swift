/// The target of `--events`: the events of a run, one JSON line each.
struct EventFile {
    /// Writes to the file, which is emptied first, or to standard output for `-`.
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
                // A run has many events, but one warning is enough.
                let isFirst = hasFailed.withLock { hasFailed in
                    defer { hasFailed = true }
                    return !hasFailed
                }
                if isFirst { console.complain("warning: '\(path)' cannot be written any more: \(error)") }
            }
        }
    }
}
