internal import Dispatch
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
        var (number, checksum, wholeSize) = (0, "", 0)
        var header: BatchLedger.Header?
        reading: while true {
            var group: [Data] = []
            // The first line says how the others are to be read.
            while group.count < (number == 0 ? 1 : LedgerLines.groupSize),
                let line = try lines.next(number: number + group.count + 1, of: "ledger", from: read)
            {
                group.append(line)
            }
            guard !group.isEmpty else { break }
            if number == 0 {
                if let first = try? Value(json: group[0]) { try BatchLedger.Header.checkVersion(first) }
                let members: Object
                (members, checksum) = try JournalLine.decode(group[0], number: 1, after: "", of: "ledger")
                header = try BatchLedger.Header(members)
                (number, wholeSize) = (1, group[0].count + 1)
                continue
            }
            for (line, decoded) in zip(group, LedgerLines.decode(group, number: number + 1, after: checksum)) {
                do throws(JournalError) {
                    let (next, content) = try decoded.get()
                    (number, checksum, wholeSize) = (number + 1, next, wholeSize + line.count + 1)
                    take(content)
                } catch {
                    // What a power failure kept from the disk, with all after it, is in the journal.
                    guard JournalLines.isUnwritten(line) else { throw error }
                    break reading
                }
            }
        }
        guard let header else {
            throw JournalError(.damaged, "line 1 of the ledger is incomplete: nothing is known of the batch", line: 1)
        }
        self.init(header: header, wholeSize: wholeSize, lineCount: number, checksum: checksum)
    }
}

/// Decodes lines of a ledger on all processors.
///
/// A line's checksum covers the one that is written in the line before, so that each line can be checked by itself.
private enum LedgerLines {
    typealias Decoded = Result<(checksum: String, line: BatchLedger.Line), JournalError>

    /// How many lines are decoded together.
    static let groupSize = 4096
    private static let partSize = 512

    /// - Parameters:
    ///   - number: The number of the first line.
    ///   - previous: The checksum of the line before it.
    static func decode(_ lines: [Data], number: Int, after previous: String) -> [Decoded] {
        let parts = stride(from: 0, to: lines.count, by: partSize).map { $0..<min($0 + partSize, lines.count) }
        let decoded = Locked<[Int: [Decoded]]>([:])
        DispatchQueue.concurrentPerform(iterations: parts.count) { part in
            let range = parts[part]
            let before = range.lowerBound == 0 ? previous : JournalLine.checksum(in: lines[range.lowerBound - 1])
            let own = decode(lines[range], number: number + range.lowerBound, after: before)
            decoded.withLock { $0[part] = own }
        }
        return decoded.withLock { decoded in parts.indices.flatMap { decoded[$0] ?? [] } }
    }

    /// The lines up to the first one that is damaged.
    private static func decode(_ lines: ArraySlice<Data>, number: Int, after previous: String) -> [Decoded] {
        var (checksum, decoded) = (previous, [Decoded]())
        decoded.reserveCapacity(lines.count)
        for (index, line) in lines.enumerated() {
            do throws(JournalError) {
                let members: Object
                (members, checksum) = try JournalLine.decode(
                    line, number: number + index, after: checksum, of: "ledger")
                decoded.append(.success((checksum, try BatchLedger.Line(members, number: number + index))))
            } catch {
                return decoded + [.failure(error)]
            }
        }
        return decoded
    }
}
