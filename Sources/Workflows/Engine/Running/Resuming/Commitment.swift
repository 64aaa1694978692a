import Promises

/// A call that must be made once, from its request until its end.
final class Commitment: Sendable {
    private let journal: RunJournal
    private let isOpen = Locked(false)

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
}
