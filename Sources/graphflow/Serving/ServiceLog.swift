import Essentials
import Promises
import Workflows

/// The service's log on standard error: every line has its time, level, workflow and run.
struct ServiceLog: Sendable {
    enum Format: String, CaseIterable, Sendable {
        /// `2026-11-22T05:00:00.000Z level workflow run message`, with hyphens for missing parts.
        case text
        case json
    }

    enum Level: String, Sendable {
        case info, warning, error
    }

    private let format: Format
    private let now: @Sendable () -> Date
    private let writeData: @Sendable (Data) -> Void
    /// The workflows as they were last read, for the positions of faults.
    private let sources = Locked<[Workflow.Metadata: Workflow]>([:])
    /// The last faults that were logged with their runs.
    private let faults = Locked<[Object]>([])

    init(_ format: Format, now: @escaping @Sendable () -> Date, to console: Console) {
        self.format = format
        self.now = now
        writeData = { console.complain(painted: String(decoding: $0, as: UTF8.self)) }
    }

    /// Writes a message; each of its lines becomes a line of the log.
    func write(_ level: Level, workflow: String? = nil, run: String? = nil, _ message: String) {
        let time = now().iso8601
        let lines: [String]
        switch format {
        case .text:
            let head = "\(time) \(level.rawValue) \(workflow ?? "-") \(run ?? "-") "
            lines = message.escapingControls.split(separator: "\n").map { head + $0 }
        case .json:
            let line: Value = [
                "time": .string(time), "level": .string(level.rawValue),
                "workflow": workflow.map { .string($0) } ?? .null,
                "run": run.map { .string($0) } ?? .null, "message": .string(message),
            ]
            lines = [line.json().escapingControls]
        }
        writeData(Data(lines.joined(separator: "\n").utf8))
    }

    /// A console whose standard error is this log, for parts of the program that write warnings there.
    func console(instead console: Console) -> Console {
        console.replacingError { data in
            let text = String(decoding: data, as: UTF8.self)
            let marks: [(String, Level)] = [("warning: ", .warning), ("error: ", .error)]
            for line in text.split(separator: "\n") {
                let mark = marks.first { line.hasPrefix($0.0) }
                write(mark?.1 ?? .info, String(line.dropFirst(mark?.0.count ?? 0)))
            }
        }
    }

    /// Logs why a run of a workflow ended, unless the run has logged it: a run that cannot keep its journal records no
    /// event.
    func write(_ error: any Error, of workflow: Workflow) {
        var failure = Failure(error)
        if let error = error as? WorkflowError {
            let isWritten = faults.withLock { faults in
                faults.firstIndex(of: error.members).map { _ = faults.remove(at: $0) } != nil
            }
            guard !isWritten, !error.is(.cancelled) else { return }
            failure = Failure(RunFailure(error, of: workflow))
        }
        write(.error, workflow: workflow.metadata.name, failure.text(colour: false))
    }

    /// Sets the current versions of these workflows.
    func follow(_ workflows: [Workflow]) {
        sources.withLock { sources in
            for workflow in workflows { sources[workflow.metadata] = workflow }
        }
    }

    var recorder: Recorder {
        .ofProgress { event in
            guard event.parent == nil else { return }
            func log(_ level: Level, _ message: String) {
                write(level, workflow: event.workflow.shownName, run: event.run, message)
            }
            switch event.kind {
            case .workflowStarted: log(.info, "started")
            case .workflowResumed: log(.info, "resumed")
            case .workflowCompleted: log(.info, "completed")
            case .workflowCancelled: log(.warning, "cancelled")
            case .workflowSuspended: log(.warning, "interrupted; resume with: graphflow resume \(event.run)")
            case .workflowFaulted(let error):
                let source = sources.withLock { $0[event.workflow] }
                let failure = source.map { Failure(RunFailure(error, of: $0)) } ?? Failure(error)
                log(.error, failure.text(colour: false))
                faults.withLock { faults in
                    faults.append(error.members)
                    if faults.count > 100 { faults.removeFirst() }
                }
            case .taskRetried(let task, let attempt, let delay, let error):
                let name = task.tokens.last ?? ""
                log(.warning, "'\(name)' is tried again in \(delay.text) (\(attempt)): \(error.detail ?? error.type)")
            case .request(let task, let event):
                let name = task?.tokens.last ?? event.operation
                switch event.kind {
                case .retrying(let attempt, let reason, let delay):
                    log(.warning, "'\(name)' sends its request again in \(delay.text) (\(attempt)): \(reason)")
                case .held(let delay, let reason): log(.warning, "'\(name)' waits \(delay.text): \(reason)")
                case .committing(let reason?): log(.warning, "'\(name)' is \(reason)")
                case .uploaded, .drafted, .committing, .effect: break
                }
            default: break
            }
        }
    }
}
