import Foundation
import Promises
import Workflows

/// What the engine itself costs: loops, branches, and an end before the end.
enum RunningLines {
    private static let runner = Runner(credential: FixedNothing())

    static func show(in folder: URL) throws {
        try loop()
        try recordedLoop(in: folder)
        try alongside()
        try branches()
        try manyBranches()
    }

    /// A `for` with one `set` a round, and the same loop written with promises.
    private static func loop() throws {
        let workflow = try workflow(loopTasks)
        for count in [10_000, 100_000] {
            let before = residentBytes()
            let seconds = try median(runs: 5) {
                keep(try runner.run(workflow, input: ["count": .integer(count)]).wait())
            }
            let grown = max(0, residentBytes() - before)
            let beside = try median(runs: 5) { keep(try rounds(count).wait()) }
            Line(
                name: "`for` over \(count.formatted()) items with one `set`, an item", reach: "10 µs",
                figure: Line.time(seconds / Double(count)) + ", \(grown >> 20) MB more",
                beside: "promises alone \(Line.time(beside / Double(count)))"
            ).show()
        }
    }

    /// As many runs of the loop at a time as there are cores, and one.
    private static func alongside() throws {
        let workflow = try workflow(loopTasks)
        let (cores, input) = (ProcessInfo.processInfo.activeProcessorCount, ["count": 20_000] as Value)
        let one = try median(runs: 5) { keep(try runner.run(workflow, input: input).wait()) }
        let all = try median(runs: 5) {
            for run in (0..<cores).map({ _ in runner.run(workflow, input: input) }) { keep(try run.wait()) }
        }
        Line(
            name: "\(cores) runs of the loop at a time, on \(cores) cores", reach: cores == 2 ? "1.8 ×" : "3.2 ×",
            figure: String(format: "%.2f × the rate of one", Double(cores) * one / all)
        ).show()
    }

    /// The same loop with somebody who takes its events: in CPU, because the disk's time differs from moment to moment.
    private static func recordedLoop(in folder: URL) throws {
        let workflow = try workflow(loopTasks)
        let count = 20_000
        for (isKept, isRecorded, reach) in [(false, true, "–"), (true, false, "25 µs"), (true, true, "35 µs")] {
            var runner = runner
            if isKept { runner.journals = RunsFolder(folder.appending(path: "recorded")) }
            let file = folder.appending(path: "events.jsonl")
            try Data().write(to: file)
            let handle = try FileHandle(forWritingTo: file)
            if isRecorded { runner.recorders = [.jsonLines { try? handle.write(contentsOf: $0) }] }
            let seconds = try medianOfCPU(runs: 5) {
                keep(try runner.run(workflow, input: ["count": .integer(count)]).wait())
            }
            let what = [isKept ? "a journal" : nil, isRecorded ? "a file of events" : nil].compactMap(\.self)
            Line(
                name: "the same with \(what.joined(separator: " and ")), CPU of an item", reach: reach,
                figure: Line.time(seconds / Double(count))
            ).show()
        }
    }

    /// A `fork` of very many branches that do not wait.
    private static func manyBranches() throws {
        for count in [10_000, 100_000] {
            let branches = (0..<count).map { "        - b\($0): { set: { number: \($0) } }" }
                .joined(separator: "\n")
            let workflow = try workflow("  - all:\n      fork:\n        branches:\n\(branches)")
            let seconds = try medianOfCPU(runs: 3) { keep(try runner.run(workflow).wait()) }
            Line(
                name: "`fork` of \(count.formatted()) branches with one `set`, CPU of the run",
                reach: count > 10_000 ? "2 s" : "–",
                figure: Line.time(seconds) + ", \(residentBytes() >> 20) MB in all"
            ).show()
        }
    }

    private static let loopTasks = """
          - loop:
              for: { in: "[range(.count)]" }
              do: [{ add: { set: { count: "${ .count }", last: "${ $item }" } } }]
        """

    /// One loop and nothing else, for a profiler.
    static func loop(_ count: Int) throws {
        keep(try runner.run(try workflow(loopTasks), input: ["count": .integer(count)]).wait())
    }

    /// The same loop in plain promises: a chain of thens, each of which makes the next value.
    private static func rounds(_ count: Int) -> Promise<Value> {
        var promise = Promise<Value>.value(["count": .integer(count)])
        for item in 0..<count {
            promise = promise.then { value -> Promise<Value> in
                .value(["count": value["count"] ?? .null, "last": .integer(item)])
            }
        }
        return promise
    }

    /// A `fork` of a thousand branches that each wait, run to its end and cancelled on the way.
    private static func branches() throws {
        let branches = (0..<1_000).map { "        - b\($0): { wait: { milliseconds: 100 } }" }.joined(separator: "\n")
        let workflow = try workflow("  - all:\n      fork:\n        branches:\n\(branches)")
        let whole = try median(runs: 5) { keep(try runner.run(workflow).wait()) }
        Line(name: "`fork` of 1,000 branches that wait 100 ms each", reach: "200 ms", figure: Line.time(whole)).show()
        var times: [Double] = []
        for _ in 0..<5 {
            let run = runner.run(workflow)
            Thread.sleep(forTimeInterval: 0.05)
            let clock = ContinuousClock()
            times.append(
                clock.measure {
                    run.cancel()
                    _ = try? run.wait()
                } / .seconds(1))
        }
        Line(name: "cancelling it half way", reach: "50 ms", figure: Line.time(times.sorted()[2])).show()
    }

    private static func workflow(_ tasks: String) throws -> Workflow {
        try Workflow(
            text: "document: { dsl: 1.0.3, namespace: benchmarks, name: running, version: 1.0.0 }\ndo:\n" + tasks)
    }

    /// The memory of this process that is in use.
    private static func residentBytes() -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return 0 }
        return pages * 4_096
    }
}

/// A credential of nobody: these workflows call nothing.
private struct FixedNothing: Credential {
    func token(for scopes: [String]) -> Promise<AccessToken> { Promise(error: CancellationError()) }
    func token(for scopes: [String], after refusal: TokenRefusal) -> Promise<AccessToken> {
        Promise(error: CancellationError())
    }
}
