package import Essentials

/// What the ledger of a batch says of an item that is over.
package struct BatchEntry: Sendable, Hashable {
    /// How an item ended.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// All tasks are done.
        case completed
        /// Ended by an uncaught error.
        case faulted
        /// Ended while it is unknown whether an effect that must happen once did.
        case unknown
    }

    /// The item's name: a hash of its key.
    package var item: String
    /// The item's key.
    package var key: Value
    /// How it ended.
    package var state: State
    /// The id of the item's run.
    package var run: String
    /// The item's line in the source.
    package var place: Int
    /// The error's `type`, `status`, `title` and `detail`, as far as it has them; nil for a completed item.
    package var error: Object?
    /// When its run began.
    package var startedAt: Date
    /// When it ended.
    package var endedAt: Date

    /// Creates an entry.
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

/// How many items of a batch ended in which way.
package struct BatchCounts: Sendable, Hashable {
    /// The number of items.
    package var total: Int
    package var completed = 0
    package var faulted = 0
    package var unknown = 0

    /// Creates the counts of a batch that has not begun.
    package init(total: Int) { self.total = total }

    /// The number of items that are not over.
    package var pending: Int { max(0, total - over) }
    /// The number of items that are over.
    package var over: Int { completed + faulted + unknown }

    /// The number of items in a state.
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

/// What happens in a batch, for whoever shows it.
package enum BatchEvent: Sendable {
    /// Why a batch takes no more items.
    package enum Stop: Sendable, Hashable {
        /// As many items failed as the batch allows.
        case failures
        /// It was asked to.
        case suspended
        /// The journal or the ledger cannot be written.
        case failed(JournalError)
    }

    /// The batch begins or goes on; some items may have ended before.
    case began(BatchCounts)
    case itemBegan(item: String)
    /// An item ended; its output is nil unless it completed.
    case itemEnded(BatchEntry, output: Value?)
    /// The service asked for a pause: no request is sent until then.
    case held(until: Date)
    /// The pause is over.
    case released
    /// No more items are taken.
    case stopping(Stop)
    /// No item is at work any more.
    case ended(BatchCounts)
}
