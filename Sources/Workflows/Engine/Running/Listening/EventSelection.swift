/// Which events one `listen.to` takes, and when it has all; the caller matches filters, as they need expressions.
struct EventSelection: Sendable {
    /// The correlated values of the events so far, by correlation name.
    typealias Keys = Object
    /// Matches an event with a filter, given the keys so far; returns the keys with those of the event, or nil.
    typealias Matching = (EventFilter, CloudEvent, Keys) -> Keys?

    enum Verdict: Sendable {
        case ignored
        case taken
        /// It counts towards the end and is not part of the result.
        case countedTowardsEnd
    }

    private enum Need: Sendable {
        case any([EventFilter])
        case each([EventFilter])
    }

    private(set) var keys = Keys()
    private(set) var isComplete = false
    private var need: Need
    private let isRepeated: Bool
    /// What ends a repeated wait.
    private var ending: [EventSelection] = []

    init(_ consumption: EventConsumption) {
        switch consumption {
        case .one(let filter):
            need = .any([filter])
            isRepeated = false
        case .any(let filters, let until):
            need = .any(filters)
            isRepeated = until != nil
            if case .events(let events) = until { ending = [EventSelection(events)] }
        case .all(let filters):
            need = .each(filters)
            isRepeated = false
            isComplete = filters.isEmpty
        }
    }

    mutating func offer(_ event: CloudEvent, _ matching: Matching) -> Verdict {
        guard !isComplete else { return .ignored }
        if var ending = ending.first, case .taken = ending.offer(event, matching) {
            self.ending = [ending]
            isComplete = ending.isComplete
            return .countedTowardsEnd
        }
        switch need {
        case .any(let filters):
            if !filters.isEmpty {
                var found: Keys?
                for filter in filters where found == nil { found = matching(filter, event, keys) }
                guard let found else { return .ignored }
                keys = found
            }
            isComplete = !isRepeated
        case .each(var filters):
            for (index, filter) in filters.enumerated() {
                guard let keys = matching(filter, event, keys) else { continue }
                self.keys = keys
                filters.remove(at: index)
                need = .each(filters)
                isComplete = filters.isEmpty
                return .taken
            }
            return .ignored
        }
        return .taken
    }

    mutating func complete() { isComplete = true }
}
