public import Dispatch

/// A link that runs on a queue that the caller named, which most do not: so they do without the room for it.
@usableFromInline
final class QueueLink: Link {
    let queue: DispatchQueue
    let flags: DispatchWorkItemFlags?

    @usableFromInline
    init(
        _ run: @escaping Run, _ queue: DispatchQueue, _ flags: DispatchWorkItemFlags?, _ origin: Origin, traits: UInt8
    ) {
        self.queue = queue
        self.flags = flags
        unsafe super.init(run, Place.queue, origin, traits: traits)
    }

    /// Runs, and everything that becomes ready through that, on the calling thread.
    func runAlone() {
        let entry = unsafe Unmanaged<Link>.passRetained(self)
        unsafe WorkList.run { work in unsafe work.pointee.append(entry) }
    }
}
