/// A finished item in the ledger of a batch.
package struct BatchEntry: Sendable, Hashable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        case completed
        /// Ended by an uncaught error.
        case faulted
        /// Ended while it is unknown whether an effect that must happen once did.
        case unknown
    }

    /// The item's name: a hash of its key.
    package var item: String
    package var key: Value
    package var state: State
    package var run: String
    /// The item's line in the source.
    package var place: Int
    /// The error's `type`, `status`, `title` and `detail`, as far as it has them; nil for a completed item.
    package var error: Object?
    package var startedAt: Date
    package var endedAt: Date

    package init(
        item: String, key: Value, state: State, run: String, place: Int, error: Object? = nil, startedAt: Date,
        endedAt: Date
    ) {
        self.item = item
        self.key = key
        self.state = state
        self.run = run
        self.place = place
        self.error = error
        self.startedAt = startedAt.inWholeMilliseconds
        self.endedAt = endedAt.inWholeMilliseconds
    }
}

package struct BatchCounts: Sendable, Hashable {
    package var total: Int
    package var completed = 0
    package var faulted = 0
    package var unknown = 0

    package init(total: Int) { self.total = total }

    /// The number of unfinished items.
    package var pending: Int { max(0, total - over) }
    /// The number of finished items.
    package var over: Int { completed + faulted + unknown }

    package subscript(state: BatchEntry.State) -> Int {
        get {
            switch state {
            case .completed: completed
            case .faulted: faulted
            case .unknown: unknown
            }
        }
        set {
            switch state {
            case .completed: completed = newValue
            case .faulted: faulted = newValue
            case .unknown: unknown = newValue
            }
        }
    }
}

package enum BatchEvent: Sendable {
    /// Why a batch takes no more items.
    package enum Stop: Sendable, Hashable {
        /// As many items failed as the batch allows.
        case failures
        case suspended
        /// The journal or the ledger cannot be written.
        case failed(JournalError)
    }

    /// The batch begins or continues; some items may have ended before.
    case began(BatchCounts)
    case itemBegan(item: String)
    /// An item ended; its output is nil unless it completed.
    case itemEnded(BatchEntry, output: Value?)
    /// The service asked for a pause: no request is sent until then.
    case held(until: Date)
    /// The pause has ended.
    case released
    case stopping(Stop)
    /// No item is active any more.
    case ended(BatchCounts)
}
