public import Promises

/// Interrupts runs in order, so that they can be resumed.
///
/// A run that is interrupted begins no new effect, lets a request be answered that must not be made twice, and is then
/// rejected with ``RunSuspended``. Runs without a journal are none of its business.
public final class Suspension: Sendable {
    private struct State {
        var isRequested = false
        var runs: [Int: @Sendable () -> Void] = [:]
        var waiting: [Resolver<Void>] = []
        var next = 0
    }

    private let state = Locked(State())

    /// Creates a suspension that nobody has asked for.
    public init() {}

    /// Whether somebody has asked for it.
    public var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Is fulfilled when no run is going on that it would interrupt.
    public var noneLeft: Promise<Void> {
        Promise { resolver in
            let isOver = state.withLock { state in
                if !state.runs.isEmpty { state.waiting.append(resolver) }
                return state.runs.isEmpty
            }
            if isOver { resolver.fulfill(()) }
        }
    }

    /// Interrupts the runs that are going on, and each one that begins from now on.
    public func request() {
        let runs = state.withLock { state in
            state.isRequested = true
            return state.runs.sorted { $0.key < $1.key }.map(\.value)
        }
        for suspend in runs { suspend() }
    }

    /// Adds a run, which is interrupted at once where somebody has asked for that.
    func add(_ suspend: @escaping @Sendable () -> Void) -> Int {
        let (ticket, isRequested) = state.withLock { state in
            state.next += 1
            state.runs[state.next] = suspend
            return (state.next, state.isRequested)
        }
        if isRequested { suspend() }
        return ticket
    }

    /// Removes a run that is over.
    func remove(_ ticket: Int) {
        let waiting = state.withLock { state -> [Resolver<Void>] in
            state.runs[ticket] = nil
            guard state.runs.isEmpty else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for resolver in waiting { resolver.fulfill(()) }
    }
}
