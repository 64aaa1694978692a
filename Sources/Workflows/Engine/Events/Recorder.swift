public import Foundation

/// Receives the events of a run in order: a console, a file of JSON lines, a journal.
public struct Recorder: Sendable {
    private let write: @Sendable (Event) -> Void

    /// Creates a recorder from a closure.
    ///
    /// The closure is called for one event at a time; the run continues when it returns.
    public init(_ write: @escaping @Sendable (Event) -> Void) { self.write = write }

    /// Records an event.
    public func record(_ event: Event) { write(event) }
}

extension Recorder {
    /// Writes every event as a CloudEvent, one per line.
    /// - Parameter write: Takes the bytes of one line with its line end, in order.
    public static func jsonLines(_ write: @escaping @Sendable (Data) -> Void) -> Recorder {
        Recorder { event in write(Data((event.cloudEvent.json() + "\n").utf8)) }
    }
}
