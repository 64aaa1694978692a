extension RunFolder {
    /// The first bytes to read from a journal's end.
    private static let pieceSize = 4 << 10

    /// Reads only the start and the end of the journal, or of a batch's ledger.
    func summary() -> RunSummary {
        do {
            try folder.check()
            if let ledger = try ledger { return try batchSummary(ledger) }
            let file = try OpenFile(journal, for: .reading)
            let size = try file.size
            let header = try Self.header(file, size)
            let last = try Self.last(file, size)
            var summary = RunSummary(
                run: run, workflow: header.workflow, file: header.file, state: .interrupted,
                startedAt: header.startedAt, endedAt: last?.time ?? header.startedAt, isSandboxed: header.isSandboxed)
            summary.isServed = header.isServed
            summary.isOfAgent = header.isOfAgent
            if let end = last?.state {
                // A run that cannot be resumed is not suspended.
                summary.state = end == .suspended && header.isSandboxed ? .interrupted : end
                summary.error = last?.error
                summary.isRefused = end == .cancelled && header.needsApproval && hasOnlyADecision(file, size)
                if end == .completed { restoreOutput() }
            } else if FileLock.isHeld(lock) {
                (summary.state, summary.endedAt) = (approvals.isOpen ? .waiting : .running, nil)
            } else if header.needsApproval, last?.time == nil {
                (summary.state, summary.endedAt) = (.waiting, nil)
            } else if let needsAnswer = try openEffectNeedsAnswer() {
                (summary.state, summary.needsAnswer) = (.unknown, needsAnswer)
            }
            return summary
        } catch {
            let words = (error as? JournalError)?.message ?? "\(error)"
            var summary = RunSummary(
                run: run, state: .damaged, startedAt: ULID.date(of: run) ?? .distantPast, endedAt: nil, problem: words)
            summary.isBatch = FileManager.default.fileExists(atPath: BatchFolder(self).ledger)
            return summary
        }
    }

    /// Whether only a person can tell whether an effect happened that must happen once; nil if all outcomes are known.
    private func openEffectNeedsAnswer() throws(JournalError) -> Bool? {
        var states: [String: RunState] = [:]
        _ = try text(for: .reading, BlobStore(folder: BlobFolder(blobs))) { _, event in
            states[event.run, default: RunState(remembering: .ends)].apply(event)
        }
        let open = states.values.flatMap(\.unsettledCalls)
        return open.isEmpty ? nil : open.contains { $0.call.draft == nil }
    }

    /// Whether the journal of a run that needs approval ends with the decision, before anything was performed.
    private func hasOnlyADecision(_ file: OpenFile, _ size: Int) -> Bool {
        guard let lines = try? Self.wholeLines(of: file, from: max(0, size - 2 * Self.pieceSize), to: size),
            let first = lines.dropLast().last
        else { return false }
        return (try? Value(json: Data(first)))?["type"] == "graphflow.task.decided.v1"
    }

    static func header(_ file: OpenFile, _ size: Int) throws -> Journal.Header {
        try Journal.Header(try firstLine(of: file, size, Journal.Header.checkVersion))
    }

    /// The members of a file's first line.
    /// - Parameter check: Fails if the line has another format or a newer version.
    static func firstLine(
        of file: OpenFile, _ size: Int, _ check: (Value) throws(JournalError) -> Void
    ) throws -> Object {
        var lines = LogReader("journal", size: size, from: file.source())
        guard let first = try lines.first(check) else {
            throw JournalError(.damaged, "line 1 of the journal is incomplete", line: 1)
        }
        return first
    }

    /// The time of the last event, and how the run ended; nil if there are no events.
    private static func last(_ file: OpenFile, _ size: Int) throws -> (
        time: Date?, state: RunSummary.State?, error: Object?
    )? {
        var piece = pieceSize
        while true {
            let start = max(0, size - piece)
            let lines = try wholeLines(of: file, from: start, to: size)
            var time: Date?
            for line in lines.reversed() {
                guard let event = try? Value(json: Data(line)) else {
                    throw JournalError(.damaged, "the last line of the journal is damaged")
                }
                // Another run took something back.
                guard event["data"]?["state"]?.string != Effect.State.undone.rawValue else { continue }
                time = time ?? event["time"]?.string.flatMap { Date(iso8601: $0) }
                guard event["parentrun"] == nil else { continue }
                return (time, state(after: event), error(of: event))
            }
            guard start > 0, piece < 2 * JournalLine.largest else { return nil }
            piece *= 8
        }
    }

    static func wholeLines(
        of file: OpenFile, from start: Int, to end: Int
    ) throws(SystemError) -> ArraySlice<ArraySlice<UInt8>> {
        // The first line may begin before the place, and the last one is incomplete.
        try file.read(from: start, count: end - start)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropFirst().dropLast()
    }

    /// The error in a list of runs, from the event that ends the run.
    private static func error(of event: Value) -> Object? {
        guard let members = event["data"]?["error"]?.object else { return nil }
        return members.filter { ["type", "status", "title"].contains($0.key) }
    }

    private static func state(after event: Value) -> RunSummary.State? {
        switch event["type"]?.string {
        case "io.serverlessworkflow.workflow.completed.v1": .completed
        case "io.serverlessworkflow.workflow.cancelled.v1": .cancelled
        case "io.serverlessworkflow.workflow.suspended.v1": .suspended
        case "io.serverlessworkflow.workflow.faulted.v1":
            event["data"]?["error"]?["type"]?.string == WorkflowError.Kind.unknownOutcome.type ? .unknown : .faulted
        default: nil
        }
    }
}
