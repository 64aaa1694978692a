/// The events that a branch of a run has read: each branch of a `fork` reads every event once.
final class EventReader: Sendable {
    private struct State {
        var start: Int
        var consumed: Set<Int> = []

        mutating func note(_ positions: some Sequence<Int>) {
            consumed.formUnion(positions)
            while consumed.remove(start) != nil { start += 1 }
        }
    }

    private let state: Locked<State>

    init(from start: Int) { state = Locked(State(start: start)) }

    private init(_ state: State) { self.state = Locked(state) }

    func branched() -> EventReader { EventReader(state.withLock { $0 }) }

    var start: Int { state.withLock { $0.start } }

    func hasRead(_ position: Int) -> Bool {
        state.withLock { position < $0.start || $0.consumed.contains(position) }
    }

    func read(_ position: Int) { state.withLock { $0.note([position]) } }

    func read(_ positions: [Int]) { if !positions.isEmpty { state.withLock { $0.note(positions) } } }

    /// Adds the events that an ended branch has read.
    func join(_ branch: EventReader) {
        let (start, consumed) = branch.state.withLock { ($0.start, $0.consumed) }
        state.withLock { $0.note(consumed.union($0.start..<max($0.start, start))) }
    }
}
