public import Synchronization

@usableFromInline
enum Executor {
    /// A place with a list of work.
    case place(UInt16)
    case queue(DispatchQueue, DispatchWorkItemFlags?)

    @inlinable static var inline: Executor { .place(PlaceNumber.inline) }

    /// For a handler in the middle of a chain: the caller's queue, or by default `conf`'s.
    @inlinable
    static func map(_ queue: DispatchQueue?, _ flags: DispatchWorkItemFlags?) -> Executor {
        queue === unspecified ? map(flags) : on(queue, flags)
    }

    /// For a handler in the middle of a chain without a queue: `conf`'s.
    @inlinable
    static func map(_ flags: DispatchWorkItemFlags?) -> Executor {
        let place = Configuration.mapPlace.load(ordering: .relaxed)
        if place == PlaceNumber.own { return .place(PlaceNumber.current) }
        return place == PlaceNumber.queue ? on(conf.Q.map, flags) : .place(place)
    }

    /// For a handler at the end of a chain: the caller's queue, or by default `conf`'s.
    @inlinable
    static func end(_ queue: DispatchQueue?, _ flags: DispatchWorkItemFlags?) -> Executor {
        queue === unspecified ? end(flags) : on(queue, flags)
    }

    /// For a handler at the end of a chain without a queue: `conf`'s.
    @inlinable
    static func end(_ flags: DispatchWorkItemFlags?) -> Executor {
        let place = Configuration.returnPlace.load(ordering: .relaxed)
        if place == PlaceNumber.own { return .place(PlaceNumber.current) }
        return place == PlaceNumber.queue ? on(conf.Q.return, flags) : .place(place)
    }

    @inlinable
    static func on(_ queue: DispatchQueue?, _ flags: DispatchWorkItemFlags?) -> Executor {
        if let queue { named(queue, flags) } else { inline }
    }

    /// A place's queue is the place, for which flags have no meaning.
    @usableFromInline
    static func named(_ queue: DispatchQueue, _ flags: DispatchWorkItemFlags?) -> Executor {
        if let number = SerialPlace.number(of: queue) { .place(number) } else { .queue(queue, flags) }
    }

    @inlinable
    var isInline: Bool {
        if case .place(PlaceNumber.inline) = self { true } else { false }
    }
}

/// Means `conf`'s queue among those that a caller may name; nothing ever runs on it.
///
/// The most used operators have a form without `on:` instead, because all threads would count references to the queue.
@usableFromInline let unspecified = DispatchQueue(label: "Promises.unspecified")
