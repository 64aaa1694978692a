import Essentials

/// The content of a journal.
struct JournalText {
    let header: Journal.Header
    let events: [Event]
    /// The size of the complete lines in bytes; the rest was being written when the process ended.
    let wholeSize: Int
    /// The number of complete lines, with the header.
    let lineCount: Int
    /// The checksum of the last line.
    let checksum: String

    /// The unit of disk writes: a block that a power failure kept from the disk reads as zeros.
    private static let blockSize = 512

    init(_ bytes: Data, _ blobs: BlobStore) throws(JournalError) {
        var (offset, number, checksum) = (bytes.startIndex, 0, "")
        var header: Journal.Header?
        var events: [Event] = []
        var workflows: [String: Workflow.Metadata] = [:]
        while offset < bytes.endIndex {
            guard let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) else {
                guard bytes.endIndex - offset <= JournalLine.largest else {
                    throw JournalLine.damaged(number + 1, "it is too long")
                }
                break
            }
            let line = Data(bytes[offset..<end])
            var members: Object
            do throws(JournalError) {
                if number == 0, let first = try? Value(json: line) { try Journal.Header.checkVersion(first) }
                (members, checksum) = try JournalLine.decode(line, number: number + 1, after: checksum)
            } catch {
                guard end + 1 == bytes.endIndex, number > 0, Self.isUnwritten(line) else { throw error }
                break
            }
            number += 1
            try JournalBounds.restore(&members, inside: number == 1 ? nil : "data", blobs, number: number)
            if let known = header {
                events.append(try Self.event(members, number, of: known, &workflows))
            } else {
                header = try Journal.Header(members)
            }
            offset = end + 1
        }
        guard let header else {
            throw JournalError(.damaged, "line 1 of the journal is incomplete: nothing is known of the run", line: 1)
        }
        self.header = header
        self.events = events
        self.checksum = checksum
        wholeSize = offset - bytes.startIndex
        lineCount = number
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
            guard event.run != header.run else { return event }
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
    private static func isUnwritten(_ line: Data) -> Bool {
        var zeros = 0
        for byte in line {
            zeros = byte == 0 ? zeros + 1 : 0
            if zeros == blockSize { return true }
        }
        return false
    }
}
