public import Synchronization

/// The defaults of the module; the one instance is `conf`.
public final class Configuration: Sendable {
    private struct State {
        var map: DispatchQueue?
        var end: DispatchQueue?
        var hasPlaces = false
        var policy: CatchPolicy
        var log: @Sendable (LogEvent, PromiseLocation) -> Void

        /// The module's queue and the main queue run their handlers from a list, with one hop per chain.
        func place(of queue: DispatchQueue?) -> UInt16 {
            guard let queue else { return PlaceNumber.inline }
            // On Linux every access to a queue makes a new object, so the main queue is recognised by its label.
            if queue === SerialPlace.standard.queue { return hasPlaces ? PlaceNumber.own : PlaceNumber.standard }
            if queue.label == DispatchQueue.main.label { return PlaceNumber.main }
            return SerialPlace.number(of: queue) ?? PlaceNumber.queue
        }
    }

    /// The kind of place that `Q` selects, for every operator to read.
    ///
    /// Static, because every use of the instance would check whether it exists.
    @usableFromInline static let mapPlace = Atomic<UInt16>(PlaceNumber.standard)
    @usableFromInline static let returnPlace = Atomic<UInt16>(PlaceNumber.standard)
    private let state = Locked(
        State(map: nil, end: nil, policy: .allErrorsExceptCancellation, log: Configuration.print))

    fileprivate init() {}

    /// Where handlers run by default: `map` in the middle of a chain, `return` (`done`, `catch`, `ensure`) at its end.
    ///
    /// Unless set, both are the place of the handler that attaches them, and elsewhere the module's own serial place,
    /// which needs no run loop. `nil` runs handlers inline.
    public var Q: (map: DispatchQueue?, return: DispatchQueue?) {
        get {
            state.withLock { state in
                (
                    map: Configuration.queue(Configuration.mapPlace.load(ordering: .relaxed), state.map),
                    return: Configuration.queue(Configuration.returnPlace.load(ordering: .relaxed), state.end)
                )
            }
        }
        set {
            state.withLock { state in
                state.map = newValue.map
                state.end = newValue.return
                Configuration.mapPlace.store(state.place(of: newValue.map), ordering: .relaxed)
                Configuration.returnPlace.store(state.place(of: newValue.return), ordering: .relaxed)
            }
        }
    }

    /// Which errors a `catch` without a policy is called for: by default all except cancellations.
    public var catchPolicy: CatchPolicy {
        get { state.withLock { $0.policy } }
        set { state.withLock { $0.policy = newValue } }
    }

    /// Reports likely mistakes; by default as a line on standard error.
    ///
    /// Setting it replaces ``locatedLogHandler``. If it is read and called, there is no location to report.
    public var logHandler: @Sendable (LogEvent) -> Void {
        get {
            let log = locatedLogHandler
            return { log($0, PromiseLocation(fileID: "-", line: 0)) }
        }
        set { locatedLogHandler = { event, _ in newValue(event) } }
    }

    /// Like ``logHandler``, with the file and line where the promise was made.
    public var locatedLogHandler: @Sendable (LogEvent, PromiseLocation) -> Void {
        get { state.withLock { $0.log } }
        set { state.withLock { $0.log = newValue } }
    }

    /// From now on, handlers without `on:` run at the place of the handler that attaches them.
    func beginPlaces() {
        state.withLock { state in
            guard !state.hasPlaces else { return }
            state.hasPlaces = true
            let (from, to) = (PlaceNumber.standard, PlaceNumber.own)
            _ = Configuration.mapPlace.compareExchange(expected: from, desired: to, ordering: .relaxed)
            _ = Configuration.returnPlace.compareExchange(expected: from, desired: to, ordering: .relaxed)
        }
    }

    func report(_ event: LogEvent, _ origin: Origin) { locatedLogHandler(event, origin.location) }

    private static func queue(_ place: UInt16, _ queue: DispatchQueue?) -> DispatchQueue? {
        place == PlaceNumber.standard || place == PlaceNumber.own ? SerialPlace.standard.queue : queue
    }

    private static func print(_ event: LogEvent, at location: PromiseLocation) {
        Thread.writeToStandardError("\(event.message(at: location))\n")
    }
}

/// The defaults of the module: where handlers run, which errors a `catch` is called for, where mistakes are reported.
public let conf = Configuration()

/// PromiseKit's name for the configuration.
public typealias PMKConfiguration = Configuration
