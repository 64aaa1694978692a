/// The finished items of a batch, one per line: `ledger.jsonl` in the batch's folder.
///
/// The journal is the truth about effects; the ledger says which items can be skipped. A line is written when the
/// item's last event is safe: lines lost in a power failure can be written again from the journal. The lock of the
/// batch's journal guards the ledger as well.
package final class BatchLedger: Sendable {
    private struct State {
        var log: AppendOnlyLog
        var failure: JournalError?
    }

    package let header: Header
    private let state: Locked<State>

    private init(_ header: Header, _ log: AppendOnlyLog) {
        self.header = header
        state = Locked(State(log: log))
    }

    /// Creates the ledger of a batch, whose folder exists.
    /// - Throws: ``JournalError`` if writing fails.
    package static func create(_ header: Header, in folder: BatchFolder) throws(JournalError) -> BatchLedger {
        do throws(SystemError) { return BatchLedger(header, try folder.makeLedger(header)) } catch {
            throw unwritable(header.batch, error)
        }
    }

    /// Opens a ledger to continue its batch, and removes an incomplete line.
    /// - Parameters:
    ///   - folder: The batch's folder, which this process has locked.
    ///   - take: Called with each line after the first one, in order.
    /// - Throws: ``JournalError`` if there is none, or it is damaged.
    package static func open(
        _ folder: BatchFolder, _ take: (Line) -> Void
    ) throws(JournalError) -> BatchLedger {
        let (file, header, end) = try read(folder, for: .appending, take)
        do throws(SystemError) { return BatchLedger(header, try AppendOnlyLog(file, after: end)) } catch {
            throw unwritable(folder.batch, error)
        }
    }

    /// Reads a ledger without changing it, even while a process is performing the batch.
    /// - Parameters:
    ///   - folder: The batch's folder.
    ///   - take: Called with each line after the first one, in order.
    /// - Returns: The first line.
    /// - Throws: ``JournalError`` if there is none, or it is damaged.
    @discardableResult package static func read(
        _ folder: BatchFolder, _ take: (Line) -> Void = { _ in }
    ) throws(JournalError) -> Header {
        try read(folder, for: .reading, take).header
    }

    /// Appends a line.
    /// - Parameter counts: The counts with this item, from which batches are listed without the lines before; nil if
    ///   unknown.
    /// - Throws: ``JournalError`` if writing fails; nothing more can be written after that.
    package func append(_ line: Line, counts: BatchCounts? = nil) throws(JournalError) {
        var members = line.members
        members["counts"] = counts.map { .array([$0.total, $0.completed, $0.faulted, $0.unknown].map(Value.integer)) }
        let json = Array(Value.object(members).jsonData())
        try state.withLock { state throws(JournalError) in
            if let failure = state.failure { throw failure }
            do throws(SystemError) {
                try state.log.append([json])
                // The lines of items need not be flushed: the journal has their content.
                if case .resumed = line { try state.log.synchronize() }
            } catch {
                // A later line would count the item of this missing one.
                let failure = Self.unwritable(header.batch, error)
                state.failure = failure
                throw failure
            }
        }
    }

    private static func read(
        _ folder: BatchFolder, for use: OpenFile.Use, _ take: (Line) -> Void
    ) throws(JournalError) -> (file: OpenFile, header: Header, end: AppendOnlyLog.End) {
        try folder.check()
        let (file, size, source) = try OpenFile.log(folder.ledger, for: use) { [batch = folder.batch] error in
            error.isMissing
                ? BatchFolder.noBatch(batch) : JournalError(error, "the ledger of the batch \(batch) cannot be read")
        }
        // Lines that a power failure kept from the disk are in the journal.
        var lines = LogReader("ledger", size: size, losing: .rest, from: source)
        guard let first = try lines.first(Header.checkVersion) else {
            throw JournalError(
                .damaged, "line 1 of the ledger is incomplete: nothing is known about the batch", line: 1)
        }
        let header = try Header(first)
        while let line = try lines.next() { take(try Line(line, number: lines.end.lineCount)) }
        return (file, header, lines.end)
    }

    private static func unwritable(_ batch: String, _ error: SystemError) -> JournalError {
        JournalError(
            error, "the ledger of the batch \(batch) cannot be written",
            hint: "the ledger is intact: free some space, then continue with 'graphflow resume \(batch)'")
    }
}
