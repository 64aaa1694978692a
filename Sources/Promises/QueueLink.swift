/// A link that runs on the caller's queue, in a separate class because other links need no room for a queue.
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
        unsafe super.init(run, PlaceNumber.queue, origin, traits: traits)
    }

    func runAlone() {
        let entry = unsafe Unmanaged<Link>.passRetained(self)
        unsafe WorkList.run { work in unsafe work.pointee.append(entry) }
    }
}
