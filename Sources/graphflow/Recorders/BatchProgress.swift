/// Shows a batch's progress: on a terminal as a few lines that are redrawn, elsewhere as a line every 30 seconds.
///
/// Events change the state only. Another thread writes at most ten times a second, so no batch waits for a terminal.
final class BatchProgress: Sendable {
    /// The seconds between two permanent lines.
    private static let interval = 30.0

    private struct State {
        var status: BatchStatus
        var lines: [TerminalLine] = []
        var wroteAt: Date
        var hasEnded = false
    }

    private let console: Console
    private let detail: ConsoleRecorder.Detail
    /// Whether progress is redrawn in place.
    private let draws: Bool
    private let state: Locked<State>
    private let queue = DispatchQueue(label: "graphflow.batch-progress")

    /// - Parameters:
    ///   - name: The batch's name in its line.
    ///   - isAlone: Whether nothing else writes to the terminal.
    init(_ console: Console, _ name: String, _ detail: ConsoleRecorder.Detail = .usual, isAlone: Bool = true) {
        self.console = console
        self.detail = detail
        draws = console.errorIsScreen && isAlone
        let now = Date()
        state = Locked(
            State(status: BatchStatus(name, isVerbose: detail == .verbose, startedAt: now), wroteAt: now))
        if isShown { drawLater() }
    }

    var counts: BatchCounts { state.withLock { $0.status.counts } }

    private var isShown: Bool { detail != .quiet && !console.errorIsDiscarded }

    func take(_ event: BatchEvent) {
        let now = Date()
        state.withLock { state in
            guard let line = state.status.apply(event, at: now), isShown else { return }
            state.lines.append(line)
        }
        guard case .ended = event else { return }
        end()
        let status = state.withLock { $0.status }
        if detail != .quiet || !status.counts.isWhole { console.complain(status.summary(now: now)) }
    }

    /// Writes what is left, and removes the redrawn lines.
    func end() {
        state.withLock { $0.hasEnded = true }
        queue.sync { write(at: Date()) }
    }

    private func drawLater() {
        queue.asyncAfter(deadline: .now() + (draws ? 0.1 : 0.25)) { [weak self] in
            guard let self, !state.withLock({ $0.hasEnded }) else { return }
            write(at: Date())
            drawLater()
        }
    }

    private func write(at now: Date) {
        guard isShown else { return }
        let size = draws ? console.errorSize : nil
        let (lines, block) = state.withLock { state -> ([TerminalLine], [String]) in
            var lines = state.lines
            state.lines = []
            guard let size else {
                if !state.hasEnded, now.timeIntervalSince(state.wroteAt) >= Self.interval {
                    state.wroteAt = now
                    lines.append(state.status.line(now: now))
                }
                return (lines, [])
            }
            guard !state.hasEnded else { return (lines, []) }
            let block = state.status.lines(
                width: size.columns - 1, height: max(1, size.rows - 1), now: now, colour: console.errorHasColour)
            return (lines, block)
        }
        if size == nil { console.complain(lines) } else { console.draw(block, under: lines) }
    }
}
