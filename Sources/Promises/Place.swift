/// Where a handler runs, as one byte of its link.
@usableFromInline
enum Place {
    /// At once, on the thread that settles its promise.
    @inlinable static var inline: UInt8 { 0 }
    @inlinable static var standard: UInt8 { 1 }
    @inlinable static var main: UInt8 { 2 }
    @inlinable static var queue: UInt8 { 3 }
    /// The place of a list whose handler has given way; no link has it.
    @inlinable static var nowhere: UInt8 { 4 }
    /// The first lane; lanes are serial places that run at the same time.
    @inlinable static var lanes: UInt8 { 5 }
    /// The lane of the calling handler, or outside of lanes the standard place; no link has it.
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
