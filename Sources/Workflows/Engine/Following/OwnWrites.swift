/// What the runs of a service wrote: changes that they made themselves start no run of the same workflow.
///
/// A version of an item is recognised as the service answered, whose ids have several forms; where an answer has no
/// version, the next change of the item with its id. A mail that was sent is recognised by its message id when it arrives.
package final class OwnWrites: Sendable {
    fileprivate enum Mark: Hashable {
        case version(String), mail(String), deleted(String)
        /// The next change of the item with an id.
        case once(String)
    }

    fileprivate struct Workflow {
        /// When they were written.
        var known: [Mark: Date] = [:]
        /// The same, the oldest first.
        var order: [Mark] = []
    }

    private struct State {
        var workflows: [String: Workflow] = [:]
        /// The outermost run of each inner run in progress.
        var outer: [String: (run: String, workflow: String)] = [:]
        /// The requests in progress that write, by their numbers.
        var active: Set<Int> = []
        var next = 0
        var waiting: [(last: Int, resolver: Resolver<Void>)] = []
    }

    /// How many writes of a workflow are remembered.
    fileprivate static let most = 100_000
    /// An answer is recorded a moment after it arrived, which waits for the disk.
    private static let recording = Duration.seconds(1)

    private let state = Locked(State())
    private let clock: any PromiseClock

    package init(clock: any PromiseClock) { self.clock = clock }

    /// A transport whose writes are known while they are in progress.
    package func watching(_ transport: any HTTPTransport) -> any HTTPTransport {
        ObservedTransport(transport) { [self] request in
            guard !["GET", "HEAD"].contains(request.method) else { return nil }
            let number = state.withLock { state in
                state.next += 1
                state.active.insert(state.next)
                return state.next
            }
            return { [self] in
                after(Self.recording, clock: clock).done(on: nil) { [self] in end(number) }
            }
        }
    }

    /// Is fulfilled when the writes have ended that are in progress now.
    package var settled: Promise<Void> {
        Promise { resolver in
            let isCalm = state.withLock { state in
                guard !state.active.isEmpty else { return true }
                state.waiting.append((state.next, resolver))
                return false
            }
            if isCalm { resolver.fulfill(()) }
        }
    }

    private func end(_ number: Int) {
        let done = state.withLock { state in
            state.active.remove(number)
            let first = state.active.min() ?? .max
            let done = state.waiting.filter { $0.last < first }
            state.waiting.removeAll { $0.last < first }
            return done
        }
        for waiting in done { waiting.resolver.fulfill(()) }
    }

    /// Records what the service's runs write.
    package var recorder: Recorder { .ofProgress { [self] event in take(event) } }

    /// Takes an event of a run, as it happens or from its journal.
    /// - Parameter time: What was written without a version until then was recognised before.
    package func take(_ event: Event, recognisedUntil time: Date = .distantPast) {
        state.withLock { state in
            let own = (run: event.run, workflow: event.workflow.qualifiedName)
            let outer = event.parent.map { state.outer[$0.run] ?? ($0.run, own.workflow) } ?? own
            switch event.kind {
            case .workflowStarted, .workflowResumed: state.outer[event.run] = outer
            case .workflowCompleted, .workflowFaulted, .workflowCancelled, .workflowSuspended:
                state.outer[event.run] = nil
            case .request(_, let request):
                for mark in Self.marks(of: request) {
                    if case .once = mark, event.time <= time { continue }
                    state.workflows[outer.workflow, default: Workflow()].add(mark, at: event.time)
                }
            default: break
            }
        }
    }

    private static func marks(of request: GraphEvent) -> [Mark] {
        switch request.kind {
        // Sending takes it from the drafts.
        case .drafted(let id, let internetMessageID):
            return [Mark.deleted(id)] + [internetMessageID].compactMap(\.self).map { Mark.mail($0) }
        case .effect(let effect, .done):
            let id = effect["id"].string ?? effect["group"].string
            // Moving takes it from its folder.
            let moved = effect["properties"]["move"] == nil ? nil : id.map { Mark.once(removal(of: $0)) }
            if let object = effect.object, let id = object.id {
                return [object.etag.map { Mark.version($0) } ?? Mark.once(id)] + [moved].compactMap(\.self)
            }
            return id.map { [effect.kind == .delete ? Mark.deleted($0) : Mark.once($0)] } ?? []
        default: return []
        }
    }

    /// Whether a run of the workflow made a change.
    /// - Parameter time: No earlier write without a version can be the change.
    package func made(_ change: ItemChange, by workflow: String, since time: Date) -> Bool {
        state.withLock { state in
            guard let known = state.workflows[workflow]?.known else { return false }
            if change.kind == .deleted, known[.deleted(change.id)] != nil { return true }
            if let id = change.internetMessageID, change.kind == .created || change.isDraft, known[.mail(id)] != nil {
                return true
            }
            if let etag = change.etag, known[.version(etag)] != nil { return true }
            let once = Mark.once(change.kind == .deleted ? Self.removal(of: change.id) : change.id)
            guard let written = known[once], written >= time else { return false }
            state.workflows[workflow]?.remove(once)
            return true
        }
    }

    private static func removal(of id: String) -> String { "removal of \(id)" }
}

extension OwnWrites.Workflow {
    fileprivate mutating func add(_ mark: OwnWrites.Mark, at time: Date) {
        guard known.updateValue(time, forKey: mark) == nil else { return }
        order.append(mark)
        guard order.count > 2 * OwnWrites.most else { return }
        for mark in order.prefix(OwnWrites.most) { known[mark] = nil }
        order.removeFirst(OwnWrites.most)
    }

    fileprivate mutating func remove(_ mark: OwnWrites.Mark) {
        known[mark] = nil
        order.removeAll { $0 == mark }
    }
}
