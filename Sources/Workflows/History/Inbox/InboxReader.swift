import Essentials

/// Reads the events of an inbox from a position, in the order of their arrival.
package struct InboxReader {
    private let inbox: Inbox
    package private(set) var position: Int
    /// The segment that is read, and the position of the next event in it.
    private var segment: (first: Int, file: OpenFile, lines: JournalLines, next: Int)?

    package init(_ inbox: Inbox, from position: Int) {
        self.inbox = inbox
        self.position = position
    }

    package mutating func next() throws(JournalError) -> CloudEvent? {
        guard let known = inbox.segment(of: position) else { return nil }
        if segment?.first != known.first {
            let path = inbox.folder.path(of: known.name)
            do throws(SystemError) {
                let file = try OpenFile(path, for: .reading)
                segment = (known.first, file, JournalLines(size: known.size), known.first)
            } catch {
                throw JournalError(error, "the accepted events in \(path) cannot be read")
            }
        }
        // Lines that are not safe on disk yet may be written again.
        segment?.lines.size = known.size
        while let line = try nextLine() {
            // Notes are not events.
            guard line.starts(with: Self.beginning) else { continue }
            let isNext = segment?.next == position
            segment?.next += 1
            guard isNext else { continue }
            guard let members = (try? Value(json: line))?.object, case .event(let event, _)? = InboxLine(members) else {
                throw JournalError(.damaged, "the accepted event \(position) in \(inbox.folder.path) is damaged")
            }
            position += 1
            return event
        }
        throw JournalError(.damaged, "the accepted event \(position) in \(inbox.folder.path) is missing")
    }

    private static let beginning = Array(#"{"event":"#.utf8)

    private mutating func nextLine() throws(JournalError) -> Data? {
        guard let file = segment?.file else { return nil }
        return try segment?.lines.next(number: 0, from: file.source())
    }
}
