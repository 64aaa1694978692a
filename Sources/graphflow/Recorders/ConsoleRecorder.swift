import Essentials
import Promises
import Workflows

/// Shows a run's progress: a line for each task that has ended, and on a terminal a live line for running tasks.
struct ConsoleRecorder: Sendable {
    /// A task in the run or in a run inside it.
    private struct Place: Hashable {
        var run: String
        var task: JSONPointer
        var name: String { task.taskName }

        /// Hashes only the name, which tells most tasks apart.
        func hash(into hasher: inout Hasher) { hasher.combine(task.tokens.last) }
    }

    private struct Work {
        var startedAt: Date
        var attempt = 1
    }

    private struct Waits {
        var total = Duration.zero
        var count = 0

        mutating func add(_ delay: Duration) {
            total += delay
            count += 1
        }
    }

    private let console: Console
    private let waits = Locked(Waits())
    private let work = Locked<[Place: Work]>([:])
    private let liveLine: LiveLine?

    init(_ console: Console) {
        self.console = console
        liveLine = console.errorIsTerminal ? LiveLine(console) : nil
    }

    /// Registers the start times of the tasks that were running when a run was interrupted.
    func recall(_ events: [Event]) {
        for event in events {
            guard let task = event.task else { continue }
            let place = Place(run: event.run, task: task)
            switch event.kind {
            case .taskStarted: work.withLock { $0[place] = Work(startedAt: event.time) }
            case .taskCompleted, .taskFaulted, .taskCancelled: work.withLock { $0[place] = nil }
            default: break
            }
        }
    }

    /// Records the events of one run.
    var recorder: Recorder { .ofProgress { record($0) } }

    private func record(_ event: Event) {
        guard !console.errorIsDiscarded else { return }
        let place = Place(run: event.run, task: event.task ?? .root)
        switch event.kind {
        case .taskStarted:
            work.withLock { $0[place] = Work(startedAt: event.time) }
            liveLine?.begin(place.name, at: event.time)
        case .taskCompleted:
            end(place, at: event.time, mark: "✓", colour: 32)
        case .taskFaulted(let task, let error):
            // The tasks around the one that faulted have the same error.
            guard error.instance == task.description else { return forget(place) }
            end(place, at: event.time, mark: "✗", colour: 31, note: error.summary)
        case .taskCancelled:
            end(place, at: event.time, mark: "-", colour: 33, note: "cancelled")
        case .taskSkipped:
            show("-", 2, place, note: "skipped: its condition does not hold")
        case .taskRetried(_, let attempt, let delay, let error):
            count(attempt, of: place)
            show("↻", 33, place, note: "attempt \(attempt) in \(delay.text): \(error.summary)")
        case .request(_?, let request): record(request, of: place)
        // The run ends with the outermost one.
        case .workflowCompleted where event.parent == nil, .workflowFaulted where event.parent == nil:
            sumUp()
            liveLine?.end()
        case .workflowCancelled where event.parent == nil, .workflowSuspended: liveLine?.end()
        case .workflowCompleted, .workflowFaulted, .workflowCancelled: break
        case .eventEmitted(_, let event):
            show("→", 36, place, note: "emits \(PlainText.line(event.type, limit: 200))")
        case .correlationStarted: show("…", 36, place, note: "waits for events")
        case .workflowStarted, .workflowResumed, .taskCreated, .correlationCompleted, .decided,
            .iterationStarted, .iterationCompleted, .jumped, .eventReceived, .eventRead, .callStarted, .callEnded,
            .request:
            break
        }
    }

    private func record(_ request: GraphEvent, of task: Place) {
        switch request.kind {
        case .retrying(let attempt, let reason, let delay):
            count(attempt, of: task)
            waits.withLock { $0.add(delay) }
            show("↻", 33, task, note: "attempt \(attempt) in \(delay.text): \(reason)")
        case .held(let delay, let reason):
            waits.withLock { $0.add(delay) }
            show("↻", 33, task, note: "waits \(delay.text): \(reason)")
        case .uploaded(let bytes, let total):
            let percent = total > 0 ? bytes * 100 / total : 100
            show("↑", 2, task, note: "\(bytes.byteText) of \(total.byteText) (\(percent) %)")
        case .drafted, .committing: break
        }
    }

    /// Shows at the end how long requests have waited.
    private func sumUp() {
        let waits = waits.withLock { $0 }
        guard waits.total >= .seconds(1) else { return }
        let line =
            "waited \(waits.total.text) for Microsoft Graph, \(waits.count == 1 ? "once" : "\(waits.count) times")"
        if let liveLine { liveLine.printAbove(line) } else { console.complain(line) }
    }

    private func count(_ attempt: Int, of task: Place) {
        work.withLock { $0[task]?.attempt = attempt }
        liveLine?.retry(task.name, attempt: attempt)
    }

    private func forget(_ task: Place) {
        work.withLock { $0[task] = nil }
        liveLine?.remove(task.name)
    }

    private func end(_ task: Place, at time: Date, mark: String, colour: Int, note: String? = nil) {
        let done = work.withLock { $0.removeValue(forKey: task) }
        liveLine?.remove(task.name)
        let length = Duration.seconds(done.map { time.timeIntervalSince($0.startedAt) } ?? 0).text
        let attempt = done.map(\.attempt) ?? 1
        let head = attempt > 1 ? "\(length), attempt \(attempt)" : length
        show(mark, colour, task, note: [head, note].compactMap(\.self).joined(separator: "  "))
    }

    private func show(_ mark: String, _ colour: Int, _ task: Place, note: String) {
        let painted = console.errorHasColour ? "\u{1B}[\(colour)m\(mark)\u{1B}[0m" : mark
        let line = "\(painted) \(task.name.padding(to: 20)) \(note)"
        if let liveLine { liveLine.printAbove(line) } else { console.complain(line) }
    }
}

extension JSONPointer {
    /// The name of the task at this place.
    fileprivate var taskName: String { PlainText.line(tokens.last ?? "workflow", limit: 100) }
}

extension WorkflowError {
    /// The error in one short line.
    fileprivate var summary: String { PlainText.line("\(status) \(title ?? type)", limit: 200) }
}

extension Duration {
    /// The duration for people: `12 ms`, `1.4 s`, `2 min 5 s`, `3 h 20 min`, `2 d 5 h`.
    var text: String {
        let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
        if seconds < 1 { return "\(Int((seconds * 1_000).rounded())) ms" }
        if seconds < 60 { return "\((seconds * 10).rounded() / 10) s" }
        if seconds < 3_600 { return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s" }
        if seconds < 86_400 { return "\(Int(seconds) / 3_600) h \(Int(seconds) / 60 % 60) min" }
        return "\(Int(seconds) / 86_400) d \(Int(seconds) / 3_600 % 24) h"
    }
}

extension Int {
    /// A number of bytes for people: `300 bytes`, `5.2 MB`.
    var byteText: String {
        if self < 1_000 { return "\(self) bytes" }
        let units = ["kB", "MB", "GB", "TB"]
        var (size, unit) = (Double(self) / 1_000, 0)
        while size >= 999.95, unit < units.count - 1 { (size, unit) = (size / 1_000, unit + 1) }
        return "\((size * 10).rounded() / 10) \(units[unit])"
    }
}
