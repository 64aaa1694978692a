/// Where a handler runs, as one byte of its link.
@usableFromInline
enum Place {
    /// Wherever its promise is settled, at once.
    @usableFromInline static let inline: UInt8 = 0
    /// The one serial place that is the default.
    @usableFromInline static let standard: UInt8 = 1
    /// The main queue, as a serial place.
    @usableFromInline static let main: UInt8 = 2
    /// A queue that the caller gave.
    @usableFromInline static let queue: UInt8 = 3
    /// Beside one of these: the payload of the link is its handler.
    @usableFromInline static let holdsHandler: UInt8 = 128
}
