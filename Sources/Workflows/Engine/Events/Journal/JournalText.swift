import Essentials

/// The content of a journal, read in pieces: only what its reader keeps of the events stays in memory.
struct JournalText {
    let header: Journal.Header
    /// The size of the complete lines in bytes; the rest was being written when the process ended.
    let wholeSize: Int
    /// The number of complete lines, with the header.
    let lineCount: Int
    /// The checksum of the last line.
    let checksum: String

    /// The unit of disk writes: a block that a power failure kept from the disk reads as zeros.
    private static let blockSize = 512

    /// Reads a journal.
    /// - Parameters:
    ///   - size: How many bytes to read; a process may be appending more.
    ///   - read: Reads some bytes from an offset.
    ///   - take: Called with each event in order.
    init(
        size: Int, _ blobs: BlobStore, from read: (_ offset: Int, _ count: Int) throws(JournalError) -> [UInt8],
        _ take: (Journal.Header, Event) -> Void
    ) throws(JournalError) {
        var lines = Lines(size: size)
        var (number, checksum) = (0, "")
        var header: Journal.Header?
        var workflows: [String: Workflow.Metadata] = [:]
        while let line = try lines.next(number: number + 1, from: read) {
            var members: Object
            do throws(JournalError) {
                if number == 0, let first = try? Value(json: line) { try Journal.Header.checkVersion(first) }
                (members, checksum) = try JournalLine.decode(line, number: number + 1, after: checksum)
            } catch {
                guard lines.isAtEnd, number > 0, Self.isUnwritten(line) else { throw error }
                lines.putBack(line)
                break
            }
            number += 1
            try JournalBounds.restore(&members, inside: number == 1 ? nil : "data", blobs, number: number)
            if let known = header {
                take(known, try Self.event(members, number, of: known, &workflows))
            } else {
                header = try Journal.Header(members)
            }
        }
        guard let header else {
            throw JournalError(.damaged, "line 1 of the journal is incomplete: nothing is known of the run", line: 1)
        }
        self.header = header
        self.checksum = checksum
        wholeSize = lines.offset
        lineCount = number
    }

    /// The complete lines of a file.
    struct Lines {
        private static let pieceSize = 1 << 20

        let size: Int
        /// The end of the lines that were taken, in the file.
        private(set) var offset = 0
        private var pieces: [UInt8] = []
        private var taken = 0
        private var searched = 0

        init(size: Int) { self.size = size }

        /// Whether the last line was taken.
        var isAtEnd: Bool { offset == size }

        /// The next line without its line end; nil at the end.
        mutating func next(
            number: Int, of file: String = "journal", from read: (Int, Int) throws(JournalError) -> [UInt8]
        ) throws(JournalError) -> Data? {
            while true {
                if let end = pieces[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                    defer { (taken, searched, offset) = (end + 1, end + 1, offset + end + 1 - taken) }
                    return Data(pieces[taken..<end])
                }
                guard pieces.count - taken <= JournalLine.largest else {
                    throw JournalLine.damaged(number, of: file, "it is too long")
                }
                pieces.removeFirst(taken)
                (taken, searched) = (0, pieces.count)
                let start = offset + pieces.count
                let piece = start < size ? try read(start, min(Self.pieceSize, size - start)) : []
                guard !piece.isEmpty else { return nil }
                pieces += piece
            }
        }

        /// Gives back the line that was taken last.
        mutating func putBack(_ line: Data) { offset -= line.count + 1 }
    }

    /// Reads an event; the first event of an inner run names that run's workflow.
    private static func event(
        _ members: Object, _ number: Int, of header: Journal.Header, _ workflows: inout [String: Workflow.Metadata]
    ) throws(JournalError) -> Event {
        do throws(CloudEventError) {
            var seals: [Seal]?
            if let text = members[Seal.attribute]?.string {
                seals = Seal.read(text)
                guard seals != nil else { throw CloudEventError("the secrets in it cannot be read") }
            }
            var event = try Event(record: .object(members), workflow: header.workflow, isChecked: seals == nil)
            event.seals = seals
            // The runs of a batch's items are the same workflow, and there may be many of them.
            guard event.run != header.run, event.parent != nil else { return event }
            if let definition = members["data"]?["definition"], let name = definition["name"]?.string,
                let namespace = definition["namespace"]?.string, let version = definition["version"]?.string
            {
                workflows[event.run] = Workflow.Metadata(
                    dsl: header.workflow.dsl, namespace: namespace, name: name, version: version)
            }
            event.workflow = workflows[event.run] ?? header.workflow
            return event
        } catch {
            throw JournalLine.damaged(number, error.description)
        }
    }

    /// Whether a block in the middle of a line was never written.
    static func isUnwritten(_ line: Data) -> Bool {
        var zeros = 0
        for byte in line {
            zeros = byte == 0 ? zeros + 1 : 0
            if zeros == blockSize { return true }
        }
        return false
    }
}
