public import Synchronization

/// A link whose source was settled before it was made, with a copy of the source's value.
///
/// So the source does not wait for its turn as well, and its memory is given back while it is in the cache. That pays for
/// plain values only: to copy others is to count a reference, as it is to keep the source.
@usableFromInline
final class ReadyLink: Link {
    @exclusivity(unchecked) @usableFromInline final var input: (UInt, UInt)

    @inlinable
    init(_ run: @escaping Run, _ place: UInt8, _ origin: Origin) {
        unsafe input = (0, 0)
        unsafe super.init(run, place, origin, traits: Trait.consumer)
    }

    /// Settles with what the handler makes of a plain value.
    @inlinable
    static func map<Source: Sendable, T: Sendable>(
        _ handler: @escaping @Sendable (Source) throws -> T, of value: Source, _ place: UInt8, _ origin: Origin
    ) -> ReadyLink {
        let run: Run = { link, _, work in
            let call = unsafe link.takeHandler(Handler<Source, T>.self).call
            if link.isClaimed { return false }
            var bits = unsafe unsafeDowncast(link, to: ReadyLink.self).input
            let value = unsafe withUnsafeBytes(of: &bits) { unsafe $0.load(as: Source.self) }
            do { return unsafe link.finish(with: try call(value), work) } catch {
                return unsafe link.fail(with: error, work)
            }
        }
        let link = unsafe ReadyLink(run, place, origin)
        unsafe withUnsafeMutableBytes(of: &link.input) { unsafe $0.storeBytes(of: value, as: Source.self) }
        unsafe link.hold(Handler(handler))
        return link
    }

    /// Goes to where it runs.
    @usableFromInline
    final func start() -> State {
        unsafe SerialPlace.send(Unmanaged.passRetained(self))
        return self
    }
}

extension State {
    /// The value of a state that is fulfilled with a plain one, once nothing waits any more that would have to run before.
    @inlinable
    final func plainValue<T: Sendable>(as type: T.Type) -> T? {
        guard _isPOD(T.self), State.fits(T.self), word.load(ordering: .acquiring) & Word.settled != 0, !isRejected
        else { return nil }
        return unsafe get(T.self)
    }
}
