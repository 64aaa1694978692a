/// The events on disk that a service has accepted and whose runs have not begun yet.
///
/// An accepted event survives a power failure; concurrent deliveries share a flush. Each workflow takes the events in
/// the order of their arrival and notes which it has settled.
package final class Inbox: Sendable {
    package struct Limits: Sendable {
        /// The maximum number of waiting events.
        package var waiting = 1_000_000
        /// The size of a segment in bytes after which the next one begins.
        package var segment = 8 << 20
        /// The number of the newest events that are recognised when they are delivered again.
        package var remembered = 100_000
        /// The minimum time for which an event is recognised, in seconds.
        package var memory = 86_400.0
        /// How long events wait for a workflow that is not served, in seconds.
        package var patience = 7 * 86_400.0

        package init() {}
    }

    /// Why no more events are accepted; they can be sent again later.
    package enum Refusal: Error, Sendable {
        /// The number of waiting events.
        case full(Int)
        case closed
        case disk(SystemError)
        case tooLarge
    }

    package typealias Accepted = (position: Int, event: CloudEvent)

    /// A delivery or a note to write.
    private final class Entry: Sendable {
        let events: [(event: CloudEvent, key: EventKey)]
        let note: InboxLine?
        /// Whether the events come from the service's own runs, which may end after the service has been closed.
        let isInner: Bool
        let outcome = Locked<Result<[Accepted], Refusal>?>(nil)

        init(_ events: [(event: CloudEvent, key: EventKey)], note: InboxLine? = nil, isInner: Bool = false) {
            (self.events, self.note, self.isInner) = (events, note, isInner)
        }
    }

    private struct Waiting {
        var entries: [Entry] = []
        /// Notes whose loss does no harm: opening the inbox recovers them.
        var notes: [InboxLine] = []
        var isDue = false
        var isClosed = false
    }

    private struct State {
        var segments: [InboxSegment] = []
        var cursors: [String: InboxCursor]
        var served: Set<String> = []
        var onArrival: @Sendable () -> Void = {}
        /// The position from which listening tasks get events as they arrive; nil before ``deliverLeft(_:)``.
        var passedOnSince: Int?

        var end: Int { segments.last?.end ?? 0 }
        /// The number of events that wait for one of the workflows.
        var waiting: Int {
            end - (served.filter { $0 != Inbox.listeners }.compactMap { cursors[$0]?.settled }.min() ?? end)
        }

        mutating func apply(_ note: InboxLine?) {
            switch note {
            case .begun(let workflow, let from): cursors[workflow] = cursors[workflow] ?? InboxCursor(at: from)
            case .settled(let workflow, let range): cursors[workflow]?.settle(range)
            case .event, nil: break
            }
        }
    }

    /// Represents the tasks that listen, as if they were a workflow.
    static let listeners = ""
    private static let patience = DispatchTimeInterval.milliseconds(50)

    package let id: String
    let folder: PrivateFolder
    private let limits: Limits
    private let now: @Sendable () -> Date
    /// Held while writing, because lines are ordered.
    private let store: Locked<InboxStore>
    private let waiting = Locked(Waiting())
    private let state: Locked<State>

    /// Opens an inbox; its folder is created if it does not exist.
    package init(
        in folder: PrivateFolder, limits: Limits = Limits(), now: @escaping @Sendable () -> Date = { Date() }
    ) throws(JournalError) {
        let (opened, cursors) = try InboxStore.open(folder, at: now())
        self.folder = folder
        self.limits = limits
        self.now = now
        id = opened.id
        state = Locked(State(segments: opened.segments, cursors: cursors))
        store = Locked(opened)
        try serve([])
    }

    deinit { store.withLock { $0.close() } }

    package var count: Int { state.withLock { $0.waiting } }

    /// The workflows that had events waiting and are not served, with how many.
    package var unserved: [(workflow: String, count: Int)] {
        state.withLock { state in
            state.cursors.filter { !state.served.contains($0.key) && $0.value.settled < state.end }
                .map { ($0.key, state.end - $0.value.settled) }.sorted { $0.0 < $1.0 }
        }
    }

    package func onArrival(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onArrival = body } }

    /// Sets which workflows take events; a new one takes those from now on.
    package func serve(_ workflows: [String]) throws(JournalError) {
        let old = now().addingTimeInterval(-limits.patience)
        let new = state.withLock { state in
            state.served = Set(workflows + [Self.listeners])
            for name in state.cursors.keys where !state.served.contains(name) {
                let next = state.segments.first { $0.end > state.cursors[name]?.settled ?? 0 }
                if let next, next.newest < old { state.cursors[name] = nil }
            }
            return state.served.filter { state.cursors[$0] == nil }.sorted().map { ($0, state.end) }
        }
        for (workflow, end) in new {
            do throws(Refusal) { _ = try write(Entry([], note: .begun(workflow: workflow, from: end))) } catch {
                throw JournalError(.failed, "the accepted events in \(folder.path) cannot be written: \(error)")
            }
        }
    }

    package func cursor(of workflow: String) -> InboxCursor {
        state.withLock { $0.cursors[workflow] ?? InboxCursor(at: $0.end) }
    }

    /// The segment that has the event at a position; nil if there is no such event yet.
    func segment(of position: Int) -> InboxSegment? {
        state.withLock { state in
            guard position < state.end else { return nil }
            return state.segments.last { $0.first <= position }
        }
    }

    /// The suffix of the name of the run that a workflow begins with the event at a position.
    package func runSuffix(_ workflow: String, at position: Int) -> String {
        ULID.suffix(of: "\(id) \(position) \(workflow)")
    }
}

extension Inbox {
    /// Accepts events, all or none, and returns when they are safe on disk.
    /// - Parameter isInner: Whether they come from the service's own runs; a closed inbox accepts them as well.
    /// - Returns: Those that had not been accepted before.
    package func accept(_ events: [CloudEvent], isInner: Bool = false) throws(Refusal) -> [Accepted] {
        let accepted = try write(Entry(events.map { ($0, EventKey($0)) }, isInner: isInner))
        if !accepted.isEmpty { state.withLock { $0.onArrival }() }
        return accepted
    }

    /// Notes that a workflow has settled events; the note is written soon.
    package func settle(_ range: Range<Int>, by workflow: String) {
        state.withLock { $0.cursors[workflow]?.settle(range) }
        let isDue = waiting.withLock { waiting in
            waiting.notes.append(.settled(workflow: workflow, range))
            defer { waiting.isDue = true }
            return waiting.isDue
        }
        guard !isDue else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in self?.writeNotes() }
    }

    /// Notes that a workflow has settled events, and returns when the note is safe on disk.
    package func settleDurably(_ range: Range<Int>, by workflow: String) throws(Refusal) {
        _ = try write(Entry([], note: .settled(workflow: workflow, range)))
    }

    /// Gives the body the events that listening tasks have not received.
    ///
    /// An earlier service left them, or the runs with such tasks had not continued yet.
    package func deliverLeft(_ body: (CloudEvent) -> Void) throws(JournalError) {
        let end = state.withLock { state in
            state.passedOnSince = state.end
            return state.end
        }
        let cursor = cursor(of: Self.listeners)
        var reader = InboxReader(self, from: cursor.settled)
        while reader.position < end {
            let position = reader.position
            guard let event = try reader.next() else { return }
            guard !cursor.isSettled(position) else { continue }
            body(event)
            settle(position..<position + 1, by: Self.listeners)
        }
    }

    /// The events of a delivery that listening tasks get at once.
    package func passedOn(_ events: [Accepted]) -> [Accepted] {
        guard let since = state.withLock({ $0.passedOnSince }) else { return [] }
        return events.filter { $0.position >= since }
    }

    package func settleForListeners(_ events: [Accepted]) {
        guard let first = events.first, let last = events.last else { return }
        settle(first.position..<last.position + 1, by: Self.listeners)
    }

    /// Writes all notes, and returns when they are safe on disk.
    package func flush() throws(Refusal) { _ = try write(Entry([])) }

    package func close() {
        waiting.withLock { $0.isClosed = true }
        try? flush()
    }

    /// Writes all notes and nothing afterwards, so that another service can use the folder.
    package func end() {
        close()
        store.withLock { $0.close() }
    }

    /// Writes an entry together with all waiting ones, unless another thread has already done so.
    private func write(_ entry: Entry) throws(Refusal) -> [Accepted] {
        let isClosed = waiting.withLock { waiting in
            if waiting.isClosed, !entry.events.isEmpty, !entry.isInner { return true }
            waiting.entries.append(entry)
            return false
        }
        guard !isClosed else { throw .closed }
        store.withLock { store in
            guard store.isOpen else { return entry.outcome.withLock { $0 = $0 ?? .failure(.closed) } }
            if entry.outcome.withLock({ $0 == nil }) { writeWaiting(to: &store) }
        }
        return try entry.outcome.withLock(\.self)?.get() ?? []
    }

    private func writeNotes() { store.withLock { if $0.isOpen { writeWaiting(to: &$0) } } }

    private func writeWaiting(to store: inout InboxStore) {
        let (entries, notes) = waiting.withLock { waiting in
            defer { (waiting.entries, waiting.notes, waiting.isDue) = ([], [], false) }
            return (waiting.entries, waiting.notes)
        }
        var lines = notes.map(\.json)
        var keys: [EventKey] = []
        var known = Set<EventKey>()
        var outcomes: [Result<[Accepted], Refusal>] = []
        let (start, waitingCount) = state.withLock { ($0.end, $0.waiting) }
        for entry in entries {
            let new = entry.events.filter { !store.seen.contains($0.key) && known.insert($0.key).inserted }
            let texts = new.indices.map { index in
                InboxLine.event(new[index].event, isLast: index == new.count - 1).json
            }
            if let refusal = refusal(of: texts, after: waitingCount + keys.count) {
                for event in new { known.remove(event.key) }
                outcomes.append(.failure(refusal))
                continue
            }
            let first = start + keys.count
            outcomes.append(.success(new.indices.map { (first + $0, new[$0].event) }))
            lines += texts
            keys += new.map(\.key)
            if let note = entry.note { lines.append(note.json) }
        }
        do throws(SystemError) {
            if !lines.isEmpty || !entries.isEmpty {
                try store.write(lines, keys: keys, isDurable: !entries.isEmpty, at: now())
            }
            // Before the next segment begins with them.
            for entry in entries { state.withLock { $0.apply(entry.note) } }
        } catch {
            outcomes = outcomes.map { _ in .failure(.disk(error)) }
            // Still needed: settled events must not wait again.
            waiting.withLock { $0.notes = notes + $0.notes }
        }
        keepTidy(&store)
        state.withLock { $0.segments = store.segments }
        for (entry, outcome) in zip(entries, outcomes) { entry.outcome.withLock { $0 = outcome } }
    }

    private func refusal(of lines: [[UInt8]], after count: Int) -> Refusal? {
        guard !lines.isEmpty else { return nil }
        if count + lines.count > limits.waiting { return .full(count) }
        return lines.contains { $0.count > JournalLine.largest - 100 } ? .tooLarge : nil
    }

    /// Begins the next segment if this one is large, and removes settled ones; a failure is retried later.
    private func keepTidy(_ store: inout InboxStore) {
        guard let last = store.segments.last, store.failure == nil else { return }
        let cursors = state.withLock { $0.cursors }
        let isLarge = last.size > limits.segment
        if isLarge { try? store.rotate(cursors, at: now()) }
        let settled = cursors.values.map(\.settled).min() ?? store.end
        guard isLarge || store.segments.dropLast().contains(where: { !$0.isOver && $0.end <= settled }) else { return }
        try? store.tidy(
            settled: settled, keeping: limits.remembered, since: now().addingTimeInterval(-limits.memory))
    }
}
