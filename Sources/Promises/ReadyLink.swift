public import Synchronization

/// A link whose source was already settled, with a copy of the source's value.
///
/// The source does not wait for its turn as well, and its memory is freed while it is in the cache. This only pays for
/// plain values: copying others counts a reference, as keeping the source does.
@usableFromInline
final class ReadyLink: Link {
    @exclusivity(unchecked) @usableFromInline final var input: (UInt, UInt)

    @inlinable
    init(_ run: @escaping Run, _ place: UInt16, _ origin: Origin) {
        unsafe input = (0, 0)
        unsafe super.init(run, place, origin, traits: Trait.consumer)
    }

    @inlinable
    static func map<Source: Sendable, T: Sendable>(
        _ handler: @escaping @Sendable (Source) throws -> T, of value: Source, _ place: UInt16, _ origin: Origin
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

    @usableFromInline
    final func start() -> State {
        unsafe SerialPlace.send(Unmanaged.passRetained(self))
        return self
    }
}

extension State {
    /// The plain value of a fulfilled state if no waiting link has to run first.
    @inlinable
    final func plainValue<T: Sendable>(as type: T.Type) -> T? {
        guard _isPOD(T.self), State.fits(T.self), word.load(ordering: .acquiring) & Word.settled != 0, !isRejected
        else { return nil }
        return unsafe get(T.self)
    }
}
