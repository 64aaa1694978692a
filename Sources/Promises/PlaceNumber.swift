/// Where a handler runs, as a number in its link.
@usableFromInline
enum PlaceNumber {
    /// At once, on the thread that settles its promise.
    @inlinable static var inline: UInt16 { 0 }
    @inlinable static var standard: UInt16 { 1 }
    @inlinable static var main: UInt16 { 2 }
    @inlinable static var queue: UInt16 { 3 }
    /// The place of a list whose handler has given way; no link has it.
    @inlinable static var nowhere: UInt16 { 4 }
    /// The place of the calling handler, or the standard place; no link has it.
    @inlinable static var own: UInt16 { 5 }
    /// The first of those that programs make.
    @inlinable static var first: UInt16 { 6 }
    /// The bits of a link's place, without the flags below.
    @inlinable static var mask: UInt16 { forwards - 1 }
    /// A flag: the link has run, and settles like the promise that its handler returned.
    @inlinable static var forwards: UInt16 { 1 << 13 }
    /// A flag: the link's function is stored where its outcome will be.
    @inlinable static var holdsFunction: UInt16 { 1 << 14 }
    /// A flag: the link's payload is its handler.
    @inlinable static var holdsHandler: UInt16 { 1 << 15 }

    /// The place of the calling handler, or the standard place.
    @usableFromInline static var current: UInt16 {
        let number = Thread.place
        return number == 0 ? standard : number
    }
}
