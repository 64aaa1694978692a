import Foundation
import Promises
import Synchronization
import Workflows

/// What a journal costs a run, and how fast runs are found again among many.
enum JournalLines {
    private static let taskCount = 1_000

    static func show(in folder: URL) throws {
        try tasks(in: folder)
        let home = folder.appending(path: "home")
        try makeRuns(10_000, in: home)
        try listing(in: RunsFolder(home.appending(path: "runs")))
        try removal(in: RunsFolder(home.appending(path: "runs")))
    }

    /// A `for` with one `set` a round: without a journal, with one, and with one that is flushed after every task.
    private static func tasks(in folder: URL) throws {
        let workflow = try Workflow(
            text: """
                document: { dsl: 1.0.3, namespace: benchmarks, name: journal, version: 1.0.0 }
                do:
                  - loop:
                      for: { in: "[range(.count)]" }
                      do: [{ add: { set: { count: "${ .count }", last: "${ $item }" } } }]
                """)
        let runs = RunsFolder(folder.appending(path: "runs"))
        func run(_ recorders: [Recorder]) throws {
            let runner = Runner(graph: GraphClient(credential: .fixed(AccessToken("none"))), recorders: recorders)
            keep(try runner.run(workflow, input: ["count": .integer(taskCount)]).wait())
        }
        let without = try median(runs: 5) { try run([]) }
        Line(name: "a task, without a journal", reach: "10 µs", figure: Line.time(without / Double(taskCount))).show()
        for isFlushed in [false, true] {
            let flushes = Mutex(0)
            let seconds = try median(runs: 5) {
                flushes.withLock { $0 = 0 }
                let journal = try Journal.begin(header(UUID().uuidString, workflow.metadata), text: Data(), in: runs)
                try run([
                    Recorder { event in
                        do {
                            try journal.append(unsearched: event)
                            guard isFlushed, case .taskCompleted = event.kind else { return }
                            if try journal.flush() { flushes.withLock { $0 += 1 } }
                        } catch {
                            fatalError("\(error)")
                        }
                    }
                ])
                try journal.flush()
            }
            let count = flushes.withLock { $0 }
            Line(
                name: isFlushed ? "a task, with a journal, flushed after each" : "a task, with a journal",
                reach: isFlushed ? "one flush a task" : "–",
                figure: Line.time(seconds / Double(taskCount))
                    + (isFlushed ? ", \(Double(count) / Double(taskCount)) flushes a task" : "")
            ).show()
        }
    }

    /// Runs that are over, one a second, as `graphflow run` leaves them.
    static func makeRuns(_ count: Int, in home: URL) throws {
        let runs = RunsFolder(home.appending(path: "runs"))
        let metadata = Workflow.Metadata(dsl: "1.0.3", namespace: "benchmarks", name: "made", version: "1.0.0")
        let start = Date(timeIntervalSinceNow: -Double(count))
        let task = JSONPointer(["do", "0", "greet"])
        DispatchQueue.concurrentPerform(iterations: count) { index in
            let startedAt = start.addingTimeInterval(Double(index))
            let header = header("made-\(1_000_000 + index)", metadata, startedAt: startedAt)
            do {
                let journal = try Journal.begin(header, text: Data(), in: runs)
                let kinds: [Event.Kind] = [
                    .workflowStarted(input: header.input, context: header.input), .taskCreated(task),
                    .taskStarted(task, input: nil), .taskCompleted(task, output: 1, context: nil, then: .continue),
                    .workflowCompleted(output: ["greeting": "hello"]),
                ]
                for (number, kind) in kinds.enumerated() {
                    try journal.append(
                        unsearched: Event(
                            number: number + 1, run: header.run, workflow: metadata, time: startedAt, kind: kind))
                }
            } catch {
                fatalError("\(error)")
            }
        }
    }

    private static func listing(in runs: RunsFolder) throws {
        let count = try runs.names.count
        let newest = try median { keep(try runs.summaries(limit: 21)) }
        Line(
            name: "the newest 20 of \(count.formatted()) runs", reach: "300 ms with the process",
            figure: Line.time(newest)
        ).show()
        let all = try median(runs: 5) { keep(try runs.summaries()) }
        Line(name: "all of them", reach: "300 ms", figure: Line.time(all)).show()
        let none = try median(runs: 5) { keep(try runs.summaries(limit: 20) { $0.state == .faulted }) }
        Line(name: "those that faulted, of whom there are none", reach: "300 ms", figure: Line.time(none)).show()
        let kept = try median(runs: 5) { keep(try runs.prune(keeping: count)) }
        Line(name: "what `run` does where no run is to be removed", reach: "–", figure: Line.time(kept)).show()
    }

    /// Not repeated, because it changes what is measured.
    private static func removal(in runs: RunsFolder) throws {
        let count = try runs.names.count
        let time = try ContinuousClock().measure { keep(try runs.prune(keeping: 10)) }
        Line(
            name: "removing all but 10 of \(count.formatted()) runs", reach: "–", figure: Line.time(time / .seconds(1))
        ).show()
    }

    private static func header(
        _ run: String, _ metadata: Workflow.Metadata, startedAt: Date = Date()
    ) -> Journal.Header {
        Journal.Header(
            run: run, workflow: metadata, file: "/home/megan/workflow.yaml",
            digest: Journal.Header.digest(of: Data()), input: ["to": "megan@contoso.com"], startedAt: startedAt)
    }
}
