/// A call that must be made once, from its request until its end.
final class Commitment: Sendable {
    private let journal: RunJournal
    private let isOpen = Locked(false)
    /// The outcomes of the call's effects, which are recorded after its end.
    private let held = Locked<[GraphEvent]>([])

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
}
