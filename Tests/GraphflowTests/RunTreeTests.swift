import Foundation
import TestSupport
import Testing

@testable import Workflows
@testable import graphflow

/// The tree of a run's tasks: their inputs, effects and durations, and loops that are folded.
@Suite struct RunTreeTests {
    private let header = TemporaryRuns.header("01J00000000000000000000001", input: ["in": 1])

    /// Events of the run, one every second.
    private func tree(
        _ events: [(Event.Kind, String)], effects: [JSONPointer: Idempotency] = [:], keepsData: Bool = true
    ) -> RunTree {
        var tree = RunTree(header, effects: effects, keepsData: keepsData)
        for (index, (kind, occurrence)) in events.enumerated() {
            tree.take(
                Event(
                    number: index + 1, run: header.run, workflow: header.workflow,
                    time: header.startedAt.addingTimeInterval(Double(index)), kind: kind, occurrence: occurrence))
        }
        return tree
    }

    private func pointer(_ text: String) throws -> JSONPointer { try #require(JSONPointer(rfc6901: text)) }

    private func done(_ task: JSONPointer, _ output: Value) -> Event.Kind {
        .taskCompleted(task, output: output, context: nil, then: .continue)
    }

    @Test func `a task's input is what came before it, what is around it, or what the file makes of that`() throws {
        let (a, b, c) = (try pointer("/do/0/a"), try pointer("/do/1/b"), try pointer("/do/2/c"))
        let (inner, left, right) = (
            try pointer("/do/1/b/do/0/inner"), try pointer("/do/2/c/fork/branches/0/left"),
            try pointer("/do/2/c/fork/branches/1/right")
        )
        let tree = tree(
            [
                .workflowStarted(input: 1, context: ["from": 1]), .taskStarted(a, input: nil), done(a, "a"),
                .taskStarted(b, input: nil), .taskStarted(inner, input: "made"), done(inner, 2), done(b, "b"),
                .taskStarted(c, input: nil), .taskStarted(left, input: nil), done(left, 3),
                .taskStarted(right, input: nil),
            ].map { ($0, "") })
        #expect(tree.nodes.map(\.input) == [1, ["from": 1], "a", "made", "b", "b", "b"])
    }

    @Test func `the first task of a round gets the round's data, and an attempt begins with the input of the try`()
        throws
    {
        let (loop, first, second) = (
            try pointer("/do/0/loop"), try pointer("/do/0/loop/do/0/first"), try pointer("/do/0/loop/do/1/second")
        )
        let (attempt, inside) = (try pointer("/do/1/again"), try pointer("/do/1/again/try/0/inside"))
        let tree = tree([
            (.workflowStarted(input: 1, context: 1), ""), (.taskStarted(loop, input: nil), ""),
            (.iterationStarted(loop, round: 0, data: "r0"), ""), (.taskStarted(first, input: nil), "for:0"),
            (done(first, "f0"), "for:0"), (.taskStarted(second, input: nil), "for:0"), (done(second, "s0"), "for:0"),
            (.iterationStarted(loop, round: 1, data: "s0"), ""), (.taskStarted(first, input: nil), "for:1"),
            (done(loop, "l"), ""), (.taskStarted(attempt, input: nil), ""), (.taskStarted(inside, input: nil), "try:1"),
            (done(inside, "lost"), "try:1"), (.taskStarted(inside, input: nil), "try:2"),
        ])
        #expect(tree.nodes.dropFirst().map(\.input) == [1, "r0", "f0", "s0", "l", "l", "l"])
    }

    @Test func `what a function or an extension gets is not made up`() throws {
        let (caller, inside) = (try pointer("/do/0/caller"), try pointer("/use/functions/f"))
        let tree = tree([
            (.workflowStarted(input: 1, context: 1), ""), (.taskStarted(caller, input: nil), ""),
            (.taskStarted(inside, input: nil), "call:~1do~10~1caller"),
        ])
        #expect(tree.nodes.map(\.input) == [1, 1, nil])
    }

    @Test func `nothing of the data is kept that is not shown`() throws {
        let a = try pointer("/do/0/a")
        let tree = tree(
            [(.workflowStarted(input: 1, context: 1), ""), (.taskStarted(a, input: 1), ""), (done(a, 2), "")],
            keepsData: false)
        #expect(tree.nodes[1].input == nil && tree.nodes[1].output == nil)
    }

    @Test func `a call that may be repeated until its last request is shown as the file's function is`() throws {
        let (mail, upload, other) = (try pointer("/do/0/mail"), try pointer("/do/1/upload"), try pointer("/do/2/other"))
        let draft = GraphEvent(operation: "sendMail", task: other, kind: .drafted(id: "x", internetMessageID: nil))
        let tree = tree(
            [
                .taskStarted(mail, input: nil), .callStarted(mail, .idempotent), .taskStarted(upload, input: nil),
                .callStarted(upload, .idempotent), .taskStarted(other, input: nil), .callStarted(other, .idempotent),
                .request(other, draft),
            ].map { ($0, "") }, effects: [mail: .once, upload: .idempotent])
        #expect(tree.nodes.map(\.effect) == [nil, .once, .idempotent, .once])
    }

    @Test func `the time in which a run was not at work is no task's`() throws {
        let (a, b) = (try pointer("/do/0/a"), try pointer("/do/1/b"))
        let tree = tree(
            [
                .taskStarted(a, input: nil), .workflowResumed(Event.Resumption()), .taskStarted(a, input: nil),
                done(a, 1), .taskStarted(b, input: nil), done(b, 1),
            ].map { ($0, "") })
        #expect(tree.nodes.dropFirst().map { tree.duration(of: $0, now: .distantFuture) } == [2, 1])
    }

    /// A loop of 100 rounds, of which the third takes a minute and every tenth fails.
    private func loop(limit: Int? = nil) throws -> RunTree {
        let (loop, task) = (try pointer("/do/0/loop"), try pointer("/do/0/loop/do/0/task"))
        var tree = RunTree(header, keepsData: false, limit: limit)
        var number = 0
        func take(_ kind: Event.Kind, at time: Double, _ occurrence: String) {
            number += 1
            tree.take(
                Event(
                    number: number, run: header.run, workflow: header.workflow,
                    time: header.startedAt.addingTimeInterval(time), kind: kind, occurrence: occurrence))
        }
        take(.taskStarted(loop, input: nil), at: 0, "")
        for round in 0..<100 {
            take(.taskStarted(task, input: nil), at: 100.0 * Double(round), "for:\(round)")
            let end: Event.Kind =
                round % 10 == 9
                ? .taskFaulted(task, WorkflowError(.runtime, detail: "no", instance: task)) : done(task, 1)
            take(end, at: 100 * Double(round) + (round == 2 ? 60 : 1), "for:\(round)")
        }
        take(done(loop, 1), at: 10_000, "")
        return tree
    }

    private func lines(of tree: RunTree, unfolds: Bool = false) -> [String] {
        var lines: [String] = []
        tree.lines(RunTree.TextStyle(isAtWork: false, now: header.startedAt, unfolds: unfolds)) { line in
            lines.append(line)
            return true
        }
        return lines
    }

    @Test func `of a loop those rounds are shown that failed, the slowest, and the last one`() throws {
        let tree = try loop()
        let lines = lines(of: tree)
        #expect(lines[0].hasPrefix("✓ loop ") && lines[0].hasSuffix("2 h 46 min, 100 rounds, 10 failed"))
        let rounds = lines.compactMap { $0.firstMatch(of: /round (\d+)/).map { Int($0.1) } }
        #expect(rounds == [1, 2, 3, 10, 20, 30, 40, 50, 100])
        #expect(lines.first { $0.contains("(round 3)") }?.hasSuffix("1 min 0 s, a slow round") == true)
        #expect(lines.last == "  ⋯ 91 more of 100 rounds, 1.6 s on average ('--all' shows them)")
        #expect(self.lines(of: tree, unfolds: true).count { $0.contains("(round") } == 100)
    }

    @Test func `of many waits of a task the first and the last are shown`() throws {
        let a = try pointer("/do/0/a")
        let held = (1...50).map { number -> (Event.Kind, String) in
            let kind = GraphEvent.Kind.held(delay: .seconds(number), reason: "busy")
            return (.request(a, GraphEvent(operation: "sendMail", task: a, kind: kind)), "")
        }
        let tree = tree([(.taskStarted(a, input: nil), "")] + held)
        let waits = lines(of: tree).dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(waits.count == 8)
        #expect(waits.first == "↻ waited 1.0 s: busy" && waits.last == "↻ waited 50.0 s: busy")
        #expect(waits[4] == "⋯ 43 more ('--all' shows them)")
        #expect(lines(of: tree, unfolds: true).count == 51)
    }

    @Test func `of a long run only those rounds are in memory that are shown`() throws {
        let tree = try loop(limit: 30)
        #expect(tree.nodes.count < 31)
        #expect(lines(of: tree) == lines(of: try loop()))
        let page = tree.json(now: header.startedAt, hasInputs: true, texts: { $0 })
        let inside = try #require(page[0]?["tasks"]?.array?.count)
        #expect(
            page[0]?["repeated"] == ["kind": "rounds", "count": 100, "failed": 10, "hidden": .integer(100 - inside)])
    }

    @Test func `a page has all rounds unless they are too many`() throws {
        let tree = try loop()
        let all = tree.json(now: header.startedAt, hasInputs: true, texts: { $0 })
        #expect(all[0]?["tasks"]?.array?.count == 100)
        #expect(all[0]?["repeated"] == ["kind": "rounds", "count": 100, "failed": 10, "hidden": 0])
        let folded = tree.json(now: header.startedAt, hasInputs: true, texts: { $0 }, foldingFrom: 50)
        #expect(folded[0]?["tasks"]?.array?.count == 9)
        #expect(folded[0]?["repeated"]?["hidden"] == 91)
    }
}
