public import Foundation

extension Recorder {
    /// Writes every event as a CloudEvent, one a line.
    /// - Parameter write: Takes the bytes of one line with its end, in order.
    public static func jsonLines(_ write: @escaping @Sendable (Data) -> Void) -> Recorder {
        Recorder { event in write(Data((event.cloudEvent.json() + "\n").utf8)) }
    }
}
