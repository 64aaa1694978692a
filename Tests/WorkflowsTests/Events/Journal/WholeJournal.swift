import Foundation

@testable import Workflows
@testable import WorkflowHistory

/// The text of a journal with its events, which is read in small pieces.
struct WholeJournal {
    let events: [Event]
    let wholeSize: Int

    init(_ bytes: Data) throws(JournalError) {
        var events: [Event] = []
        let all = Array(bytes)
        let text = try JournalText(
            size: all.count, BlobStore(),
            from: { offset, count throws(JournalError) in
                Array(all[offset..<min(offset + min(count, 1_000), all.count)])
            }
        ) { events.append($1) }
        self.events = events
        wholeSize = text.end.size
    }
}
