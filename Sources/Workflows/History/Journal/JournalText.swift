/// The content of a journal, read in pieces: memory holds only what the reader keeps of the events.
package struct JournalText: Sendable {
    package let header: Journal.Header
    /// The end of the complete lines; the rest was being written when the process ended.
    let end: AppendOnlyLog.End

    /// Reads a journal.
    /// - Parameters:
    ///   - size: How many bytes to read; a process may be appending more.
    ///   - read: Reads some bytes from an offset.
    ///   - take: Called with each event in order.
    init(
        size: Int, _ blobs: BlobStore, from read: @escaping LogReader.Source,
        _ take: (Journal.Header, Event) -> Void
    ) throws(JournalError) {
        var lines = LogReader("journal", size: size, from: read)
        guard var first = try lines.first(Journal.Header.checkVersion) else {
            throw JournalError(.damaged, "line 1 of the journal is incomplete: nothing is known about the run", line: 1)
        }
        try JournalBounds.restore(&first, inside: nil, blobs, number: 1)
        header = try Journal.Header(first)
        var workflows: [String: Workflow.Metadata] = [:]
        while var members = try lines.next() {
            let number = lines.end.lineCount
            try JournalBounds.restore(&members, inside: "data", blobs, number: number)
            take(header, try Self.event(members, number, of: header, &workflows))
        }
        end = lines.end
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
