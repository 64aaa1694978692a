import Dispatch
import Foundation
import Promises

/// The last line of a terminal, which says what is at work and for how long.
final class LiveLine: Sendable {
    private struct State {
        var work: [(name: String, startedAt: Date, attempt: Int)] = []
        var isShown = false
        var hasEnded = false
    }

    private let console: Console
    private let state = Locked(State())
    /// Where the terminal is written to, so that what was taken away is not drawn again by somebody who is late.
    private let writing = DispatchQueue(label: "graphflow.live-line")

    /// Begins to show a line on the console, ten times a second.
    init(_ console: Console) {
        self.console = console
        drawLater()
    }

    /// Notes that a task is at work.
    func begin(_ name: String, at time: Date) {
        state.withLock { $0.work.append((name, time, 1)) }
    }

    /// Notes that a task is in another attempt.
    func retry(_ name: String, attempt: Int) {
        state.withLock { state in
            guard let place = state.work.lastIndex(where: { $0.name == name }) else { return }
            state.work[place].attempt = attempt
        }
    }

    /// Notes that a task is no longer at work.
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

    /// Takes the line away.
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
    // A line that wraps cannot be taken away: what a narrow terminal has no room for is cut.
    private static let cut = "\u{1B}[?7l"
    private static let wrap = "\u{1B}[?7h"
}
