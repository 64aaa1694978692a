public import Foundation

/// Something that takes the events of a run, in their order: a console, a file of JSON lines, a journal.
public struct Recorder: Sendable {
    private let write: @Sendable (Event) -> Void

    /// Creates a recorder from what it does with an event.
    ///
    /// It is called for one event at a time, and the run goes on when it returns.
    public init(_ write: @escaping @Sendable (Event) -> Void) { self.write = write }

    /// Takes an event.
    public func record(_ event: Event) { write(event) }
}

extension Recorder {
    /// Writes every event as a CloudEvent, one a line.
    /// - Parameter write: Takes the bytes of one line with its end, in order.
    public static func jsonLines(_ write: @escaping @Sendable (Data) -> Void) -> Recorder {
        Recorder { event in write(Data((event.cloudEvent.json() + "\n").utf8)) }
    }
}
