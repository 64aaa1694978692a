/// Where a handler runs, as one byte of its link.
@usableFromInline
enum Place {
    /// At once, on the thread that settles its promise.
    @inlinable static var inline: UInt8 { 0 }
    /// The serial place that is the default.
    @inlinable static var standard: UInt8 { 1 }
    /// The main queue, as a serial place.
    @inlinable static var main: UInt8 { 2 }
    /// A queue that the caller gave.
    @inlinable static var queue: UInt8 { 3 }
    /// Where the list of a handler that has given way runs; no link's.
    @inlinable static var nowhere: UInt8 { 4 }
    /// The first of the lanes: serial places, each of which runs its handlers at the same time as the others.
    @inlinable static var lanes: UInt8 { 5 }
    /// Stands for the lane of the calling handler, and outside of lanes for the standard place; no link's.
    @inlinable static var own: UInt8 { 31 }
    /// The bits of a link's place, without the flags below.
    @inlinable static var mask: UInt8 { 31 }
    /// A flag: the link has run, and settles like the promise that its handler returned.
    @inlinable static var forwards: UInt8 { 32 }
    /// A flag: the link's function is stored where its outcome will be.
    @inlinable static var holdsFunction: UInt8 { 64 }
    /// A flag: the link's payload is its handler.
    @inlinable static var holdsHandler: UInt8 { 128 }
}
