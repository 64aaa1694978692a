/// A call: whether its request must be made once, and the effects that it has begun.
final class Commitment: Sendable {
    private let journal: RunJournal
    private let isOpen = Locked(false)
    /// The outcomes of the call's effects, which are recorded after its end.
    private let held = Locked<[GraphEvent]>([])
    /// The effects that are recorded as begun before their request is known.
    private let announced = Locked<[Effect]>([])

    init(_ journal: RunJournal) { self.journal = journal }

    /// Records that the request is pending; returns whether it may be sent.
    func begin() -> Bool {
        guard journal.beginRequest() else { return false }
        isOpen.withLock { $0 = true }
        return true
    }

    func end() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { journal.endRequest() }
    }

    func hold(_ event: GraphEvent) { held.withLock { $0.append(event) } }

    func takeHeld() -> [GraphEvent] {
        held.withLock { held in
            defer { held = [] }
            return held
        }
    }

    func announce(_ effects: [Effect]) { announced.withLock { $0 += effects } }

    /// An announced effect, whose request is now sent.
    func takeAnnounced(_ effect: Effect) -> Effect? {
        announced.withLock { announced in
            announced.firstIndex { $0.likeness == effect.likeness }.map { announced.remove(at: $0) }
        }
    }
}
