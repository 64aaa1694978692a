/// Receives the events of a run in order: a console, a file of JSON lines, a journal.
public struct Recorder: Sendable {
    /// Gets an event, and its record as JSON if that is already written.
    private let write: @Sendable (_ event: Event, _ json: [UInt8]?) -> Void
    package let needsJSON: Bool
    package let needsBeginnings: Bool

    /// Creates a recorder from a closure.
    ///
    /// The closure is called for one event of a run and its inner runs at a time, in the order of the journal. Runs that
    /// are in progress at the same time call it at the same time.
    public init(_ write: @escaping @Sendable (Event) -> Void) {
        self.init(needsJSON: false) { event, _ in write(event) }
    }

    /// Creates a recorder of progress, which needs no record of tasks before they start.
    package static func ofProgress(_ write: @escaping @Sendable (Event) -> Void) -> Recorder {
        Recorder(needsJSON: false, needsBeginnings: false) { event, _ in write(event) }
    }

    private init(
        needsJSON: Bool, needsBeginnings: Bool = true,
        _ write: @escaping @Sendable (_ event: Event, _ json: [UInt8]?) -> Void
    ) {
        self.needsJSON = needsJSON
        self.needsBeginnings = needsBeginnings
        self.write = write
    }

    /// Records an event.
    public func record(_ event: Event) { write(event, nil) }

    package func record(_ searched: SearchedEvent, json: [UInt8]?) { write(searched.event, json) }

    /// Writes every event as a CloudEvent, one per line.
    /// - Parameter write: Takes the bytes of one line with its line end, in order and one at a time; it must not record.
    public static func jsonLines(_ write: @escaping @Sendable (Data) -> Void) -> Recorder {
        let writer = Locked(EventWriter())
        return Recorder(needsJSON: true) { event, json in
            writer.withLock { writer in
                var line: [UInt8]
                if case .eventEmitted(_, let emitted) = event.kind {
                    line = Array(emitted.envelope.jsonData())
                } else {
                    line = json ?? writer.json(of: event)
                }
                line.append(UInt8(ascii: "\n"))
                write(Data(line))
            }
        }
    }
}

/// An event that was searched for secrets: journals and recorders accept no other.
package struct SearchedEvent: Sendable {
    package let event: Event

    /// Only ``KnownSecrets`` searches events, and ``Journal/append(unsearched:)`` names those that need no search.
    init(searched event: Event) { self.event = event }
}
