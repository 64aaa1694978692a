import Essentials
import Promises

/// The last line of a terminal, which shows the running task and its duration.
final class LiveLine: Sendable {
    private struct State {
        var work: [(name: String, startedAt: Date, attempt: Int)] = []
        var isShown = false
        var hasEnded = false
    }

    private let console: Console
    private let state = Locked(State())
    /// The queue that writes to the terminal, so that a late update does not draw a removed line again.
    private let writing = DispatchQueue(label: "graphflow.live-line")

    /// Begins to show a line on the console, ten times a second.
    init(_ console: Console) {
        self.console = console
        drawLater()
    }

    /// Adds a task that has begun.
    func begin(_ name: String, at time: Date) {
        state.withLock { $0.work.append((name, time, 1)) }
    }

    /// Sets a task's attempt.
    func retry(_ name: String, attempt: Int) {
        state.withLock { state in
            guard let place = state.work.lastIndex(where: { $0.name == name }) else { return }
            state.work[place].attempt = attempt
        }
    }

    /// Removes a task that has ended.
    func remove(_ name: String) {
        state.withLock { state in
            guard let place = state.work.lastIndex(where: { $0.name == name }) else { return }
            state.work.remove(at: place)
        }
    }

    /// Writes a line that stays, above the live one.
    func printAbove(_ line: String) {
        writing.sync {
            let isShown = state.withLock { state in
                defer { state.isShown = false }
                return state.isShown
            }
            console.show((isShown ? Self.clear : "") + line + "\n")
        }
    }

    /// Removes the line.
    func end() {
        writing.sync {
            let isShown = state.withLock { state in
                state.hasEnded = true
                defer { state.isShown = false }
                return state.isShown
            }
            if isShown { console.show(Self.clear) }
        }
    }

    private func drawLater() {
        _ = ContinuousPromiseClock().schedule(after: .milliseconds(100)) { [weak self] in
            guard let self, !state.withLock({ $0.hasEnded }) else { return }
            draw()
            drawLater()
        }
    }

    /// Shows the line as it is now.
    func draw(at now: Date = Date()) {
        writing.sync {
            let text: String? = state.withLock { state in
                guard !state.hasEnded, let last = state.work.last else { return nil }
                state.isShown = true
                let attempt = last.attempt > 1 ? ", attempt \(last.attempt)" : ""
                return "… \(last.name) (\(Duration.seconds(now.timeIntervalSince(last.startedAt)).text)\(attempt))"
            }
            if let text { console.show(Self.clear + Self.cut + text + Self.wrap) }
        }
    }

    private static let clear = "\r\u{1B}[2K"
    // A line that wraps cannot be removed, so it is cut to the terminal's width.
    private static let cut = "\u{1B}[?7l"
    private static let wrap = "\u{1B}[?7h"
}
