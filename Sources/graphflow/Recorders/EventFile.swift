/// The target of `--events`: the events of a run, one JSON line each.
struct EventFile {
    /// Writes to the file, whose content the first event replaces, or to standard output for `-`.
    let recorder: Recorder

    init(_ path: String, _ console: Console) throws(UsageError) {
        @Sendable func shown(_ line: Data) -> Data { Data(String(decoding: line, as: UTF8.self).escapingControls.utf8) }
        guard path != "-" else {
            recorder = .jsonLines { console.print(shown($0)) }
            return
        }
        let file = try OutputFile(path, sparing: console.files)
        let hasFailed = Locked(false)
        recorder = .jsonLines { line in
            do {
                try file.write(shown(line))
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
