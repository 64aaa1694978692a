/// What the runs of a service wrote: changes that they made themselves start no run of the same workflow.
///
/// An item is recognised by its id and its version as the service answered; where an answer has no version, by its id
/// once. A sent mail is recognised by its message id in the mailboxes of its recipients.
package final class OwnWrites: Sendable {
    fileprivate struct Workflow {
        var known: Set<String> = []
        /// The same, the oldest first.
        var order: [String] = []
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
    /// An answer is recorded a moment after it arrived.
    private static let recording = Duration.milliseconds(50)

    private let state = Locked(State())
    private let clock: any PromiseClock

    package init(clock: any PromiseClock) { self.clock = clock }

    package static func name(of workflow: Workflows.Workflow) -> String {
        "\(workflow.metadata.namespace)/\(workflow.metadata.name)"
    }

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
    package func take(_ event: Event) {
        state.withLock { state in
            let own = (run: event.run, workflow: "\(event.workflow.namespace)/\(event.workflow.name)")
            let outer = event.parent.map { state.outer[$0.run] ?? ($0.run, own.workflow) } ?? own
            switch event.kind {
            case .workflowStarted, .workflowResumed: state.outer[event.run] = outer
            case .workflowCompleted, .workflowFaulted, .workflowCancelled, .workflowSuspended:
                state.outer[event.run] = nil
            case .request(_, let request):
                for mark in Self.marks(of: request) { state.workflows[outer.workflow, default: Workflow()].add(mark) }
            default: break
            }
        }
    }

    private static func marks(of request: GraphEvent) -> [String] {
        switch request.kind {
        case .drafted(_, let internetMessageID): return [internetMessageID].compactMap(\.self).map { "mail \($0)" }
        case .effect(let effect, .done):
            if let object = effect.object { return [mark(object.id, object.etag)] }
            guard let id = effect["id"].string ?? effect["group"].string else { return [] }
            return [effect.kind == .delete ? "\(id) deleted" : mark(id, nil)]
        default: return []
        }
    }

    private static func mark(_ id: String, _ etag: String?) -> String {
        "\(id) \(etag.map { "version \($0)" } ?? "once")"
    }

    /// Whether a run of the workflow made a change.
    package func made(_ change: ItemChange, by workflow: String) -> Bool {
        state.withLock { state in
            guard let known = state.workflows[workflow]?.known else { return false }
            if change.kind == .deleted { return known.contains("\(change.id) deleted") }
            if let id = change.internetMessageID, known.contains("mail \(id)") { return true }
            if let etag = change.etag { return known.contains(Self.mark(change.id, etag)) }
            let once = Self.mark(change.id, nil)
            guard known.contains(once) else { return false }
            state.workflows[workflow]?.remove(once)
            return true
        }
    }
}

extension OwnWrites.Workflow {
    fileprivate mutating func add(_ mark: String) {
        guard known.insert(mark).inserted else { return }
        order.append(mark)
        guard order.count > 2 * OwnWrites.most else { return }
        for mark in order.prefix(OwnWrites.most) { known.remove(mark) }
        order.removeFirst(OwnWrites.most)
    }

    fileprivate mutating func remove(_ mark: String) {
        known.remove(mark)
        order.removeAll { $0 == mark }
    }
}
