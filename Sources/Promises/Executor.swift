public import Dispatch
public import Synchronization

/// Where the handlers of one registration run.
@usableFromInline
struct Executor: Sendable {
    @usableFromInline let place: UInt8
    @usableFromInline let flags: UInt8
    @usableFromInline let queue: DispatchQueue?

    @inlinable
    init(place: UInt8, queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil) {
        self.place = place
        self.flags = UInt8(truncatingIfNeeded: flags?.rawValue ?? 0)
        self.queue = queue
    }

    @inlinable static var inline: Executor { Executor(place: Place.inline) }

    /// Where a handler in the middle of a chain runs: on the queue that the caller names, else where `conf` says.
    @inlinable
    static func map(_ queue: DispatchQueue?, _ flags: DispatchWorkItemFlags?) -> Executor {
        guard queue === unspecified else { return on(queue, flags) }
        let place = conf.mapPlace.load(ordering: .relaxed)
        return place == Place.queue ? on(conf.Q.map, flags) : Executor(place: place)
    }

    /// Where a handler at the end of a chain runs: on the queue that the caller names, else where `conf` says.
    @inlinable
    static func end(_ queue: DispatchQueue?, _ flags: DispatchWorkItemFlags?) -> Executor {
        guard queue === unspecified else { return on(queue, flags) }
        let place = conf.returnPlace.load(ordering: .relaxed)
        return place == Place.queue ? on(conf.Q.return, flags) : Executor(place: place)
    }

    @inlinable
    static func on(_ queue: DispatchQueue?, _ flags: DispatchWorkItemFlags?) -> Executor {
        guard let queue else { return inline }
        return Executor(place: Place.queue, queue: queue, flags: flags)
    }
}

/// Stands for "where `conf` says" among the queues that a caller may name; nothing ever runs on it.
@usableFromInline let unspecified = DispatchQueue(label: "Promises.unspecified")
