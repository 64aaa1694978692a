extension RunFolder {
    private static let output = "output.json"

    func write(_ output: Value) throws(SystemError) {
        var json = output.jsonData(pretty: true)
        json.append(UInt8(ascii: "\n"))
        try folder.replace(Self.output) { [json] file throws(SystemError) in try file.write(json) }
    }

    /// Writes the output of a completed run from its journal if the process was killed before, and removes its remains.
    ///
    /// Errors are ignored: a full or read-only disk must not keep people from reading the run.
    func restoreOutput() {
        guard lacksOutput, !FileLock.isHeld(lock), let held = try? takeLock(isBrief: true) else { return }
        defer { held.release() }
        var output: Value?
        let blobs = BlobStore(folder: BlobFolder(blobs))
        let text = try? text(for: .reading, blobs) { _, event in
            guard event.run == run else { return }
            // Another run may have taken an effect back.
            if case .request = event.kind { return }
            if case .workflowCompleted(let value) = event.kind { output = value } else { output = nil }
        }
        guard text != nil, let output, lacksOutput else { return }
        try? folder.removeLeftovers(of: Self.output)
        try? write(output)
    }

    /// Whether there is no output, or one from before the journal was last written.
    private var lacksOutput: Bool {
        guard let written = folder.changed(Self.output) else { return true }
        return folder.changed("journal.jsonl").map { written < $0 } ?? false
    }
}
