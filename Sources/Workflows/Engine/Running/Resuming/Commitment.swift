import Promises

/// One call that must be made once: from when it is on its way until it is over.
final class Commitment: Sendable {
    private let journal: RunJournal
    private let isOpen = Locked(false)

    init(_ journal: RunJournal) { self.journal = journal }

    /// Takes note that the request is on its way; whether it may be made.
    func begin() -> Bool {
        guard journal.beginRequest() else { return false }
        isOpen.withLock { $0 = true }
        return true
    }

    /// Takes note that the request is over, if there was one.
    func end() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { journal.endRequest() }
    }
}
