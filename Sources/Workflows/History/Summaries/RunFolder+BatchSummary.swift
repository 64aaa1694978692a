extension RunFolder {
    /// The first bytes to read from a ledger's end.
    private static let pieceOfLedger = 4 << 10

    /// The ledger of a batch; nil if this is the folder of a run.
    var ledger: OpenFile? {
        get throws(SystemError) {
            do throws(SystemError) {
                return try OpenFile(BatchFolder(self).ledger, for: .reading)
            } catch {
                guard error.isMissing else { throw error }
                return nil
            }
        }
    }

    /// Summarizes a batch; reads only the start of its journal, and the start and the end of its ledger.
    func batchSummary(_ ledger: OpenFile) throws -> RunSummary {
        // The lock is checked first: a process that ends now writes the ledger before it releases the lock.
        let isAtWork = FileLock.isHeld(lock)
        let file = try OpenFile(journal, for: .reading)
        let journal = try Self.header(file, file.size)
        let size = try ledger.size
        let header = try BatchLedger.Header(
            try Self.firstLine(of: ledger, size, BatchLedger.Header.checkVersion))
        let end = try end(of: ledger, size) ?? (BatchCounts(total: header.total), header.startedAt)
        var summary = RunSummary(
            run: run, workflow: journal.workflow, file: journal.file, state: end.counts.state,
            startedAt: header.startedAt, endedAt: end.time, isSandboxed: journal.isSandboxed)
        if isAtWork { (summary.state, summary.endedAt) = (approvals.isOpen ? .waiting : .running, nil) }
        summary.isBatch = true
        summary.counts = end.counts
        summary.isNamed = header.name != nil
        return summary
    }

    /// The counts and the time of a ledger's last line; nil if no line follows the header.
    private func end(of ledger: OpenFile, _ size: Int) throws -> (counts: BatchCounts, time: Date)? {
        var piece = Self.pieceOfLedger
        while true {
            let start = max(0, size - piece)
            if let line = try Self.wholeLines(of: ledger, from: start, to: size).last {
                guard let members = try? Value(json: Data(line)),
                    let time = (members["endedAt"] ?? members["resumed"])?.string.flatMap({ Date(iso8601: $0) })
                else { throw JournalError(.damaged, "the last line of the ledger is damaged") }
                return (try BatchCounts(members["counts"]) ?? counted(), time)
            }
            guard start > 0, piece < 2 * JournalLine.largest else { return nil }
            piece *= 8
        }
    }

    /// The counts of a ledger whose lines do not have them.
    private func counted() throws(JournalError) -> BatchCounts {
        var (fold, number, total) = (BatchFold(), 1, nil as Int?)
        let header = try BatchLedger.read(BatchFolder(self)) { line in
            number += 1
            switch line {
            case .entry(let entry): fold.take(entry, line: number, ledger: 0)
            case .resumed(let resumption):
                total = resumption.total
                for item in resumption.dropped { fold.drop(item) }
            }
        }
        var counts = fold.counts
        counts.total = total ?? header.total
        return counts
    }
}

extension BatchCounts {
    /// The counts in a line of a ledger: of all items, and of those that completed, faulted or are unknown.
    fileprivate init?(_ value: Value?) {
        guard let numbers = value?.array?.compactMap(\.integer), numbers.count == 4 else { return nil }
        self.init(total: numbers[0])
        (completed, faulted, unknown) = (numbers[1], numbers[2], numbers[3])
    }

    /// The state of a batch without a process.
    fileprivate var state: RunSummary.State {
        if pending > 0 { return .interrupted }
        return unknown > 0 ? .unknown : faulted > 0 ? .faulted : .completed
    }
}
