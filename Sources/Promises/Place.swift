/// Where a handler runs, as one byte of its link.
@usableFromInline
enum Place {
    /// Wherever its promise is settled, at once.
    @inlinable static var inline: UInt8 { 0 }
    /// The one serial place that is the default.
    @inlinable static var standard: UInt8 { 1 }
    /// The main queue, as a serial place.
    @inlinable static var main: UInt8 { 2 }
    /// A queue that the caller gave.
    @inlinable static var queue: UInt8 { 3 }
    /// What says which of these it is, beside the two that follow.
    @inlinable static var mask: UInt8 { 3 }
    /// Beside one of these: the function of the link is where its outcome will be.
    @inlinable static var holdsFunction: UInt8 { 64 }
    /// Beside one of these: the payload of the link is its handler.
    @inlinable static var holdsHandler: UInt8 { 128 }
}
