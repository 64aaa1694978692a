import MicrosoftGraph
import Promises

/// A call that must be made once, from its request until its end.
final class Commitment: Sendable {
    private let journal: RunJournal
    private let isOpen = Locked(false)
    /// What became of the call's effects, to be recorded after its end.
    private let held = Locked<[GraphEvent]>([])

    init(_ journal: RunJournal) { self.journal = journal }

    /// Records that the request is on its way.
    /// - Returns: Whether it may be sent.
    func begin() -> Bool {
        guard journal.beginRequest() else { return false }
        isOpen.withLock { $0 = true }
        return true
    }

    /// Records that the request has ended, if there was one.
    func end() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { journal.endRequest() }
    }

    /// Keeps an event until the call has ended.
    func hold(_ event: GraphEvent) { held.withLock { $0.append(event) } }

    /// The events that were kept.
    func takeHeld() -> [GraphEvent] {
        held.withLock { held in
            defer { held = [] }
            return held
        }
    }
}
