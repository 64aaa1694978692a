import Essentials
import Promises

/// The items of a batch that are over, one per line: `ledger.jsonl` in the batch's folder.
///
/// The journal is the truth about effects; the ledger says which items need not be looked at again. A line is written
/// when the item's last event is safe, so that lines that a power failure takes can be written again from the journal.
/// The lock of the batch's journal guards the ledger as well.
package final class BatchLedger: Sendable {
    private struct State {
        var lineCount: Int
        var checksum: String
        /// Why nothing more can be written.
        var failure: JournalError?
    }

    /// The first line.
    package let header: Header
    private let file: OpenFile
    private let state: Locked<State>

    private init(_ header: Header, _ file: OpenFile, _ state: State) {
        self.header = header
        self.file = file
        self.state = Locked(state)
    }

    /// Creates the ledger of a batch, whose folder exists.
    /// - Throws: ``JournalError`` if writing fails.
    package static func create(_ header: Header, in folder: BatchFolder) throws(JournalError) -> BatchLedger {
        do throws(SystemError) {
            let (line, checksum) = JournalLine.encode(
                Value.object(header.members).jsonData(), number: 1, after: "")
            try folder.makeLedger(line)
            return BatchLedger(
                header, try OpenFile(folder.ledger, for: .appending), State(lineCount: 1, checksum: checksum))
        } catch {
            throw unwritable(header.batch, error)
        }
    }

    /// Opens a ledger to go on with its batch; a line that is not complete is removed.
    /// - Parameters:
    ///   - folder: The batch's folder, which this process has locked.
    ///   - take: Called with each line after the first one, in order.
    /// - Throws: ``JournalError`` if there is none, or it is damaged.
    package static func open(
        _ folder: BatchFolder, _ take: (Line) -> Void
    ) throws(JournalError) -> BatchLedger {
        let (file, text) = try text(of: folder, for: .appending, take)
        do throws(SystemError) {
            if try file.size > text.wholeSize {
                try file.truncate(to: text.wholeSize)
                try file.synchronize()
            }
        } catch {
            throw unwritable(folder.batch, error)
        }
        return BatchLedger(text.header, file, State(lineCount: text.lineCount, checksum: text.checksum))
    }

    /// Reads a ledger without changing it, even while a process is at work on the batch.
    ///
    /// Only what the closure keeps stays in memory.
    /// - Parameters:
    ///   - folder: The batch's folder.
    ///   - take: Called with each line after the first one, in order.
    /// - Returns: The first line.
    /// - Throws: ``JournalError`` if there is none, or it is damaged.
    @discardableResult package static func read(
        _ folder: BatchFolder, _ take: (Line) -> Void = { _ in }
    ) throws(JournalError) -> Header {
        try text(of: folder, for: .reading, take).text.header
    }

    /// Appends a line.
    /// - Parameter counts: How many items ended in which way, this one included, so that a list of batches need not
    ///   read the lines before; nil if that is not known.
    /// - Throws: ``JournalError`` if writing fails; nothing more can be written after that.
    package func append(_ line: Line, counts: BatchCounts? = nil) throws(JournalError) {
        var members = line.members
        members["counts"] = counts.map { .array([$0.total, $0.completed, $0.faulted, $0.unknown].map(Value.integer)) }
        let json = Array(Value.object(members).jsonData())
        try state.withLock { state throws(JournalError) in
            if let failure = state.failure { throw failure }
            var bytes: [UInt8] = []
            let checksum = JournalLine.append(
                json, to: &bytes, number: state.lineCount + 1, after: state.checksum)
            do throws(SystemError) {
                guard bytes.count <= JournalLine.largest else { throw SystemError("a line is too large") }
                try file.write(bytes)
                // The lines of items need not be flushed: the journal has what they say.
                if case .resumed = line { try file.synchronize() }
            } catch {
                let failure = Self.unwritable(header.batch, error)
                state.failure = failure
                throw failure
            }
            state.lineCount += 1
            state.checksum = checksum
        }
    }

    private static func unwritable(_ batch: String, _ error: SystemError) -> JournalError {
        JournalError(
            error, "the ledger of the batch \(batch) cannot be written",
            hint: "the ledger is intact: free some space, then continue with 'graphflow resume \(batch)'")
    }
}

extension BatchLedger {
    /// What was read of a ledger.
    fileprivate struct Text {
        let header: Header
        /// The size of the complete lines in bytes.
        let wholeSize: Int
        let lineCount: Int
        let checksum: String
    }

    private static func text(
        of folder: BatchFolder, for use: OpenFile.Use, _ take: (Line) -> Void
    ) throws(JournalError) -> (file: OpenFile, text: Text) {
        try folder.check()
        func unreadable(_ error: SystemError) -> JournalError {
            error.isMissing
                ? BatchFolder.noBatch(folder.batch)
                : JournalError(error, "the ledger of the batch \(folder.batch) cannot be read")
        }
        let file: OpenFile
        let size: Int
        do throws(SystemError) {
            file = try OpenFile(folder.ledger, for: use)
            size = try file.size
        } catch {
            throw unreadable(error)
        }
        let text = try Text(
            size: size,
            from: { offset, count throws(JournalError) in
                do throws(SystemError) { return try file.read(from: offset, count: count) } catch {
                    throw unreadable(error)
                }
            }, take)
        return (file, text)
    }
}

extension BatchLedger.Text {
    init(
        size: Int, from read: (_ offset: Int, _ count: Int) throws(JournalError) -> [UInt8],
        _ take: (BatchLedger.Line) -> Void
    ) throws(JournalError) {
        var lines = JournalLines(size: size)
        var (number, checksum) = (0, "")
        var header: BatchLedger.Header?
        while let line = try lines.next(number: number + 1, of: "ledger", from: read) {
            let members: Object
            do throws(JournalError) {
                if number == 0, let first = try? Value(json: line) { try BatchLedger.Header.checkVersion(first) }
                (members, checksum) = try JournalLine.decode(
                    line, number: number + 1, after: checksum, of: "ledger")
            } catch {
                // What a power failure kept from the disk, with all after it, is in the journal.
                guard number > 0, JournalLines.isUnwritten(line) else { throw error }
                lines.putBack(line)
                break
            }
            number += 1
            if header == nil {
                header = try BatchLedger.Header(members)
            } else {
                take(try BatchLedger.Line(members, number: number))
            }
        }
        guard let header else {
            throw JournalError(.damaged, "line 1 of the ledger is incomplete: nothing is known of the batch", line: 1)
        }
        self.init(header: header, wholeSize: lines.offset, lineCount: number, checksum: checksum)
    }
}
