internal import Synchronization

extension State {
    /// Rejects this promise, if it is pending, and those that only it waited for.
    @usableFromInline
    final func cancel(_ reason: UInt8 = Mark.cancelled) {
        guard lock() else { return }
        let handlers = cancellationHandlers()
        let source = unsafe lockSource()
        let canBeRejected = traits & Trait.guarantee == 0
        marks.bitwiseOr(reason, ordering: .relaxed)
        if canBeRejected {
            // No error is stored: in a link, that room belongs to the thread that runs it.
            hasError.store(true, ordering: .relaxed)
            claimLocked()
        } else {
            // The work that would have resolved it may stop.
            unlock()
        }
        // After this promise is settled, its source may be released at any time, so the source comes first.
        let isLeaving = canBeRejected && traits & Trait.always == 0
        let forsaken = unsafe source.map { source in
            unsafe State.climb(from: source, consumer: Unmanaged.passUnretained(self), isLeaving: isLeaving)
        }
        let others = forsakeSources() ?? []
        if canBeRejected { publish() }
        for handler in handlers { handler.cancel() }
        if let forsaken { State.reject(forsaken) } else { State.reject(others) }
    }

    final func claimLocked() {
        word.bitwiseXor(Word.locked | Word.claimed, ordering: .acquiringAndReleasing)
    }

    /// Oldest first; to be called while this promise is locked.
    private final func cancellationHandlers() -> [CancellationHandler] {
        var handlers: [CancellationHandler] = []
        var entry = unsafe State.link(word.load(ordering: .relaxed))
        while let waiting = unsafe entry {
            let link = unsafe waiting._withUnsafeGuaranteedRef { $0 }
            unsafe entry = link.next
            if let handler = link as? CancellationHandler { handlers.append(handler) }
        }
        return handlers.reversed()
    }

    final var waitingCount: Int {
        guard lock() else { return 0 }
        defer { unlock() }
        var (count, entry) = unsafe (0, State.link(word.load(ordering: .relaxed)))
        while let waiting = unsafe entry {
            count += 1
            unsafe entry = waiting._withUnsafeGuaranteedRef { unsafe $0.next }
        }
        return count
    }
}
