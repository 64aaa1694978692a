/// Shows a run's progress: on a terminal as a tree of what is in progress, elsewhere as lines of what has changed.
///
/// Events change the state only. Another thread writes at most ten times a second, so a run never waits for a terminal.
final class ConsoleRecorder: Sendable {
    enum Detail: Sendable {
        case quiet
        case usual
        /// A line for every task and for every retry of a request.
        case verbose
    }

    private struct Waits {
        var total = Duration.zero
        var count = 0

        mutating func add(_ delay: Duration) {
            total += delay
            count += 1
        }
    }

    private struct State {
        var news: RunNews
        var waits = Waits()
        var hasEnded = false
    }

    private let console: Console
    private let detail: Detail
    /// Whether progress is redrawn in place.
    private let draws: Bool
    private let state: Locked<State>
    private let queue = DispatchQueue(label: "graphflow.progress")

    /// - Parameters:
    ///   - past: The earlier events of a run that is resumed.
    ///   - isAlone: Whether nothing else writes to the terminal.
    init(
        _ console: Console, _ workflow: Workflow? = nil, _ detail: Detail = .usual, after past: [Event] = [],
        isAlone: Bool = true
    ) {
        self.console = console
        draws = console.errorIsScreen && isAlone
        self.detail = detail
        var progress = RunProgress(detail == .quiet ? nil : workflow)
        for event in past { progress.apply(event) }
        state = Locked(State(news: RunNews(progress, isBrief: detail == .verbose)))
        if isShown { drawLater() }
    }

    private var isShown: Bool { detail != .quiet && !console.errorIsDiscarded }

    var recorder: Recorder? { isShown ? .ofProgress { self.record($0) } : nil }

    /// Writes what is left, and removes the redrawn lines.
    func end() {
        state.withLock { $0.hasEnded = true }
        queue.sync { write(at: Date(), isLast: true) }
    }

    private func record(_ event: Event) {
        let line = state.withLock { state in
            let ended = state.news.progress.apply(event)
            guard let (entry, words) = entry(of: event, ended, &state.waits) else { return nil as TerminalLine? }
            guard detail == .verbose else {
                if case .request = event.kind, entry.kind == .retried {
                    // A service throttles all tasks alike, so its requests share one line.
                    state.news.requests.add(entry, of: .root, words: words)
                } else {
                    state.news.finished.add(entry, of: event.task ?? .root, words: words)
                }
                return nil
            }
            state.news.wroteAt = event.time
            return entry.line
        }
        if let line { console.complain([line]) }
        // The outermost run ends last.
        switch event.kind {
        case .workflowCompleted where event.parent == nil, .workflowFaulted where event.parent == nil:
            end()
            sumUp()
        case .workflowCancelled where event.parent == nil, .workflowSuspended where event.parent == nil: end()
        default: break
        }
    }

    /// What an event adds to the finished tasks, and the words that entries must share to be merged into one line.
    private func entry(
        of event: Event, _ work: RunProgress.Work?, _ waits: inout Waits
    ) -> (FinishedTasks.Entry, words: String)? {
        let isFolded = work?.isFolded ?? false && detail != .verbose
        func entry(_ kind: FinishedTasks.Kind, _ notes: String?...) -> FinishedTasks.Entry {
            .init(
                kind: kind, name: RunProgress.shown(event.task?.tokens.last ?? "workflow"),
                notes: notes.compactMap(\.self))
        }
        func wait(_ what: String, _ delay: Duration, _ reason: String) -> FinishedTasks.Entry {
            var entry = entry(.retried, "\(what): \(reason)")
            entry.length = delay
            return entry
        }
        func end(_ kind: FinishedTasks.Kind, _ note: String? = nil) -> FinishedTasks.Entry {
            let attempt = work.flatMap { $0.attempt > 1 ? "attempt \($0.attempt)" : nil }
            var entry = entry(kind, attempt, work?.scale, work?.round, note)
            entry.length = .seconds(work.map { max(0, event.time.timeIntervalSince($0.startedAt)) } ?? 0)
            return entry
        }
        switch event.kind {
        case .taskCompleted: return isFolded ? nil : (end(.done), "")
        case .taskFaulted(let task, let error):
            // The tasks around the one that faulted have the same error.
            guard error.instance == task.description else { return nil }
            return (end(.failed, error.summary), error.summary)
        case .taskCancelled: return isFolded ? nil : (end(.stopped, "cancelled"), "")
        case .taskSkipped:
            return isFolded ? nil : (entry(.stopped, "skipped: its condition does not hold"), "skipped")
        case .taskRetried(_, let attempt, let delay, let error):
            return (entry(.retried, "attempt \(attempt) in \(delay.text)", error.summary), error.summary)
        case .eventEmitted(_, let emitted):
            let type = PlainText.line(emitted.type, limit: 200)
            return (entry(.emitted, "emits \(type)"), type)
        case .correlationStarted: return (entry(.waits, "waits for events"), "")
        case .request(_, let request):
            switch request.kind {
            case .retrying(let attempt, let reason, let delay):
                waits.add(delay)
                guard detail == .usual else {
                    return (entry(.retried, "attempt \(attempt) in \(delay.text)", reason), reason)
                }
                return isLive ? nil : (wait("attempt \(attempt)", delay, reason), "\(attempt) \(reason)")
            case .held(let delay, let reason):
                waits.add(delay)
                guard detail == .usual else { return (entry(.retried, "waits \(delay.text)", reason), reason) }
                return isLive ? nil : (wait("waits", delay, reason), reason)
            case .uploaded(let bytes, let total):
                let percent = total > 0 ? bytes * 100 / total : 100
                return isLive
                    ? nil : (entry(.uploaded, "\(bytes.byteText) of \(total.byteText) (\(percent) %)"), "")
            case .committing(let reason?): return (entry(.stopped, reason), reason)
            case .drafted, .committing, .effect: return nil
            }
        default: return nil
        }
    }

    /// Whether the redrawn tree shows the requests.
    private var isLive: Bool { draws && detail == .usual }

    private func sumUp() {
        let waits = state.withLock { $0.waits }
        guard waits.total >= .seconds(1) else { return }
        console.complain(
            "waited \(waits.total.text) for Microsoft Graph, \(waits.count == 1 ? "once" : "\(waits.count) times")")
    }

    private func drawLater() {
        queue.asyncAfter(deadline: .now() + (draws ? 0.1 : 0.25)) { [weak self] in
            guard let self, !state.withLock({ $0.hasEnded }) else { return }
            write(at: Date())
            drawLater()
        }
    }

    private func write(at now: Date, isLast: Bool = false) {
        guard isShown else { return }
        let size = draws ? console.errorSize : nil
        let (lines, block) = state.withLock { state -> ([TerminalLine], [String]) in
            guard let size else { return (state.news.lines(at: now, isLast: isLast), []) }
            let block =
                isLast || state.hasEnded
                ? []
                : state.news.progress.lines(
                    width: size.columns - 1, height: max(1, size.rows - 1), now: now, colour: console.errorHasColour)
            return (state.news.finished.take(at: now, isLast: isLast), block)
        }
        if size == nil { console.complain(lines) } else { console.draw(block, under: lines) }
    }
}

extension RunProgress.Work {
    fileprivate var scale: String? {
        guard let total else { return nil }
        return switch kind {
        case .loop: total == 1 ? "1 round" : "\(total) rounds"
        case .fork: total == 1 ? "1 branch" : "\(total) branches"
        case .items: total == 1 ? "1 item" : "\(total) items"
        case .task, .listen, .wait: nil
        }
    }
}

extension WorkflowError {
    /// The error on one short line.
    var summary: String { PlainText.line("\(status) \(title ?? type)", limit: 200) }
}
