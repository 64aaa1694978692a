public import Dispatch
public import Synchronization

/// Where the handlers of one registration run.
@usableFromInline
enum Executor {
    /// In one of the places that have a list of work.
    case place(UInt8)
    /// On a queue that the caller or `conf` names.
    case queue(DispatchQueue, DispatchWorkItemFlags?)

    @inlinable static var inline: Executor { .place(Place.inline) }

    /// Where a handler in the middle of a chain runs: on the caller's queue, or by default where `conf` says.
    @inlinable
    static func map(_ queue: DispatchQueue?, _ flags: DispatchWorkItemFlags?) -> Executor {
        queue === unspecified ? map(flags) : on(queue, flags)
    }

    /// Where a handler in the middle of a chain runs, when the caller names no queue: where `conf` says.
    @inlinable
    static func map(_ flags: DispatchWorkItemFlags?) -> Executor {
        let place = Configuration.mapPlace.load(ordering: .relaxed)
        if place < Place.queue { return .place(place) }
        return place == Place.own ? .place(Lane.current) : on(conf.Q.map, flags)
    }

    /// Where a handler at the end of a chain runs: on the caller's queue, or by default where `conf` says.
    @inlinable
    static func end(_ queue: DispatchQueue?, _ flags: DispatchWorkItemFlags?) -> Executor {
        queue === unspecified ? end(flags) : on(queue, flags)
    }

    /// Where a handler at the end of a chain runs, when the caller names no queue: where `conf` says.
    @inlinable
    static func end(_ flags: DispatchWorkItemFlags?) -> Executor {
        let place = Configuration.returnPlace.load(ordering: .relaxed)
        if place < Place.queue { return .place(place) }
        return place == Place.own ? .place(Lane.current) : on(conf.Q.return, flags)
    }

    @inlinable
    static func on(_ queue: DispatchQueue?, _ flags: DispatchWorkItemFlags?) -> Executor {
        if let queue { .queue(queue, flags) } else { inline }
    }

    @inlinable
    var isInline: Bool {
        if case .place(Place.inline) = self { true } else { false }
    }
}

/// Stands for "where `conf` says" among the queues that a caller may name; nothing ever runs on it.
///
/// The most used operators have a form without `on:` instead, because all threads would count references to the queue.
@usableFromInline let unspecified = DispatchQueue(label: "Promises.unspecified")
