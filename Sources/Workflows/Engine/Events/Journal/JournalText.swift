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

    /// Reads a journal.
    /// - Parameters:
    ///   - size: How many bytes to read; a process may be appending more.
    ///   - read: Reads some bytes from an offset.
    ///   - take: Called with each event in order.
    init(
        size: Int, _ blobs: BlobStore, from read: (_ offset: Int, _ count: Int) throws(JournalError) -> [UInt8],
        _ take: (Journal.Header, Event) -> Void
    ) throws(JournalError) {
        var lines = JournalLines(size: size)
        var (number, checksum) = (0, "")
        var header: Journal.Header?
        var workflows: [String: Workflow.Metadata] = [:]
        while let line = try lines.next(number: number + 1, from: read) {
            var members: Object
            do throws(JournalError) {
                if number == 0, let first = try? Value(json: line) { try Journal.Header.checkVersion(first) }
                (members, checksum) = try JournalLine.decode(line, number: number + 1, after: checksum)
            } catch {
                guard lines.isAtEnd, number > 0, JournalLines.isUnwritten(line) else { throw error }
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
}
