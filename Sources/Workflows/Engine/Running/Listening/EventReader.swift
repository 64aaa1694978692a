import Promises

/// Which events of the bus a branch of a run has read already.
///
/// Every branch of a `fork` reads every event once; what branches read before they part is read for all of them.
final class EventReader: Sendable {
    private struct State {
        /// Everything before this position is read.
        var start: Int
        /// What is read behind it.
        var consumed: Set<Int> = []

        mutating func note(_ positions: some Sequence<Int>) {
            consumed.formUnion(positions)
            while consumed.remove(start) != nil { start += 1 }
        }
    }

    private let state: Locked<State>

    init(from start: Int) { state = Locked(State(start: start)) }

    private init(_ state: State) { self.state = Locked(state) }

    /// A reader for a branch that begins here.
    func branched() -> EventReader { EventReader(state.withLock { $0 }) }

    /// The position of the first event that may be unread.
    var start: Int { state.withLock { $0.start } }

    /// Whether the event at that position is read.
    func hasRead(_ position: Int) -> Bool {
        state.withLock { position < $0.start || $0.consumed.contains(position) }
    }

    /// Takes note of an event that is read.
    func read(_ position: Int) { state.withLock { $0.note([position]) } }

    /// Takes note of events that are read.
    func read(_ positions: [Int]) { if !positions.isEmpty { state.withLock { $0.note(positions) } } }

    /// Takes note of what a branch has read that ends here.
    func join(_ branch: EventReader) {
        let (start, consumed) = branch.state.withLock { ($0.start, $0.consumed) }
        state.withLock { $0.note(consumed.union($0.start..<max($0.start, start))) }
    }
}
