import Foundation
import Testing

@testable import Workflows
@testable import graphflow

/// What is at work in a run, folded from its events.
@Suite struct RunProgressTests {
    /// Events of a run, with the time as it goes on.
    private struct Story {
        var progress: RunProgress
        var now = Date(timeIntervalSince1970: 0)
        private let metadata: Workflow.Metadata

        init(_ tasks: String = "[]") throws {
            let workflow = try Workflow(
                text: "{ document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }, do: \(tasks) }")
            progress = RunProgress(workflow)
            metadata = workflow.metadata
        }

        @discardableResult
        mutating func tell(
            _ kind: Event.Kind, _ occurrence: String = "", run: String = "1", inside parent: Event.Parent? = nil
        ) -> RunProgress.Work? {
            progress.apply(
                Event(
                    number: 1, run: run, workflow: metadata, time: now, kind: kind, parent: parent,
                    occurrence: occurrence))
        }

        mutating func start(_ task: String, _ occurrence: String = "", run: String = "1") throws {
            tell(.taskStarted(try pointer(task), input: nil), occurrence, run: run)
        }

        @discardableResult
        mutating func end(_ task: String, _ occurrence: String = "") throws -> RunProgress.Work? {
            tell(.taskCompleted(try pointer(task), output: .null, context: nil, then: .continue), occurrence)
        }

        func lines(width: Int = 80, height: Int = 20) -> [String] {
            progress.lines(width: width, height: height, now: now, colour: false)
        }

        func pointer(_ text: String) throws -> JSONPointer { try #require(JSONPointer(rfc6901: text)) }
    }

    @Test func `tasks are shown inside the tasks that they belong to, until they end`() throws {
        var story = try Story()
        try story.start("/do/0/share")
        try story.start("/do/0/share/try/0/upload", "try:1")
        story.now += 1.5
        #expect(story.lines() == ["… share                1.5 s", "  … upload             1.5 s"])
        #expect(try story.end("/do/0/share/try/0/upload", "try:1")?.startedAt == Date(timeIntervalSince1970: 0))
        try story.start("/do/0/share/catch/do/0/note")
        #expect(story.lines() == ["… share                1.5 s", "  … note               0 ms"])
        try story.end("/do/0/share/catch/do/0/note")
        try story.end("/do/0/share")
        #expect(story.lines().isEmpty)
        #expect(story.progress.count == 0)
    }

    @Test func `tasks called what the standard calls a part are inside the right ones`() throws {
        var story = try Story()
        try story.start("/do/0/catch")
        try story.start("/do/0/catch/do/0/fork")
        try story.start("/do/0/catch/do/0/fork/fork/branches/0/do")
        #expect(story.lines().map { $0.prefix { $0 == " " }.count } == [0, 2, 4])
    }

    @Test func `branches that call one function have durations of their own`() throws {
        var story = try Story()
        try story.start("/do/0/all")
        let names = ["one", "two"]
        for (index, name) in names.enumerated() {
            try story.start("/do/0/all/fork/branches/\(index)/\(name)")
            try story.start("/use/functions/sleep", "call:~1do~10~1all~1fork~1branches~1\(index)~1\(name)")
        }
        #expect(story.lines().map { $0.prefix { $0 == " " }.count } == [0, 2, 4, 2, 4])
        for (index, name) in names.enumerated() {
            story.now += 1
            let nap = try story.end("/use/functions/sleep", "call:~1do~10~1all~1fork~1branches~1\(index)~1\(name)")
            #expect(nap.map { story.now.timeIntervalSince($0.startedAt) } == Double(index + 1))
            try story.end("/do/0/all/fork/branches/\(index)/\(name)")
        }
        #expect(story.lines(width: 30) == ["… all      2/2 · 2.0 s  ██████"])
        #expect(try story.end("/do/0/all")?.total == 2)
    }

    @Test func `a loop is one line with its count, its pace and what is left`() throws {
        var story = try Story()
        try story.start("/do/0/askEach")
        let elements = Value.array((0..<1_000).map { .integer($0) })
        story.tell(.decided(try story.pointer("/do/0/askEach"), what: "in", value: elements))
        for round in 0...120 {
            try story.start("/do/0/askEach/do/0/ask", "for:\(round)")
            let ended = try story.end("/do/0/askEach/do/0/ask", "for:\(round)")
            #expect(ended?.isFolded == true)
            if round < 120 { story.now += 1.0 / 12 }
        }
        try story.start("/do/0/askEach/do/0/ask", "for:120")
        #expect(story.lines(width: 60) == ["… askEach              120/1000 · 12/s · 1 min left  ░░░░░░░"])
        #expect(story.lines(width: 40) == ["… askEach  120/1000 · 12/s · 1 min left"])
        #expect(story.lines(width: 20) == ["… askEach  120/1000…"])
        // A task that takes longer is shown.
        story.now += 1
        #expect(story.lines().dropFirst() == ["  … ask                1.0 s"])
    }

    @Test func `rounds of a short loop have their numbers`() throws {
        var story = try Story()
        try story.start("/do/0/each")
        story.tell(.decided(try story.pointer("/do/0/each"), what: "in", value: [1, 2, 3]))
        try story.start("/do/0/each/do/0/a", "for:1")
        let ended = try story.end("/do/0/each/do/0/a", "for:1")
        #expect(ended?.isFolded == false)
        #expect(ended?.round == "round 2/3")
    }

    @Test func `a wait shows what is left of it, also one that an expression gives`() throws {
        var story = try Story("[ { pause: { wait: PT30S } } ]")
        try story.start("/do/0/pause")
        story.now += 10
        #expect(story.lines() == ["… pause                20 s left of 30 s"])
        try story.start("/do/1/other")
        story.tell(.decided(try story.pointer("/do/1/other"), what: "wait", value: 7_200))
        #expect(story.lines().last == "… other                2 h left of 2 h")
    }

    @Test func `a retry and a service that holds requests show until when`() throws {
        var story = try Story()
        let mail = try story.pointer("/do/0/mail")
        try story.start("/do/0/mail")
        func happens(_ kind: GraphEvent.Kind) -> Event.Kind {
            .request(mail, GraphEvent(operation: "sendMail", task: mail, kind: kind))
        }
        story.tell(happens(.retrying(attempt: 2, reason: "429 Too Many Requests", delay: .seconds(3))))
        #expect(story.lines() == ["… mail                 attempt 2 in 3 s: 429 Too Many Requests"])
        story.now += 4
        #expect(story.lines() == ["… mail                 4.0 s, attempt 2"])
        story.tell(happens(.held(delay: .seconds(90), reason: "the mailbox asked for a pause")))
        #expect(story.lines().last == "‖ the mailbox asked for a pause, 2 min left")
        #expect(story.progress.summary(now: story.now)?.contains("the mailbox asked for a pause, 2 min left") == true)
        story.now += 91
        #expect(story.lines().count == 1)
    }

    @Test func `runs inside the run are inside their tasks, and go on after those that do not wait`() throws {
        var story = try Story()
        try story.start("/do/0/batch")
        let parent = Event.Parent(run: "1", task: try story.pointer("/do/0/batch"))
        story.tell(.workflowStarted(input: .null, context: .null), run: "2", inside: parent)
        try story.start("/do/0/inner", run: "2")
        #expect(story.lines().map { $0.prefix { $0 == " " }.count } == [0, 2, 4])
        try story.end("/do/0/batch")
        #expect(story.lines().map { $0.prefix { $0 == " " }.count } == [0, 2])
        story.tell(.workflowCompleted(output: .null), run: "2", inside: parent)
        #expect(story.lines().count == 1)
    }

    @Test(arguments: [1, 2, 3, 5, 24], [20, 40, 80, 200])
    func `whatever is at work fits into the window`(height: Int, width: Int) throws {
        var story = try Story()
        try story.start("/do/0/all")
        for branch in 0..<300 {
            try story.start("/do/0/all/fork/branches/\(branch)/三番目の枝 👩‍👩‍👧‍👦 e\u{301}\u{1B}[2J \(branch)")
        }
        var place = "/do/1"
        for depth in 0..<40 {
            place += "/level\(depth)"
            try story.start(place)
            place += "/do/0"
        }
        let lines = story.lines(width: width, height: height)
        #expect(lines.count <= height)
        #expect(lines.allSatisfy { PlainText.columns(of: $0) <= width && !$0.contains("\u{1B}") })
        #expect(height < 3 || lines.contains { $0.contains("more running") }, "\(lines)")
    }
}

extension RunProgressTests {
    @Test func `a loop of an hour in a pipe is a sign of life now and then`() throws {
        var story = try Story()
        try story.start("/do/0/each")
        story.tell(
            .decided(try story.pointer("/do/0/each"), what: "in", value: .array((0..<3_600).map { .integer($0) })))
        var news = RunNews(story.progress)
        var lines: [(second: Int, text: String)] = []
        for second in 0..<3_600 {
            try story.start("/do/0/each/do/0/a", "for:\(second)")
            try story.end("/do/0/each/do/0/a", "for:\(second)")
            news.progress = story.progress
            for line in news.lines(at: story.now) { lines.append((second, line.text(width: nil, colour: false))) }
            story.now += 1
        }
        #expect(lines.prefix(7).map(\.second) == [1, 3, 7, 15, 31, 61, 91])
        #expect(lines.count < 130)
        #expect(
            lines.last?.text.hasPrefix("… each 35") == true && lines.last?.text.contains("/3600 · 1.0/s · ") == true)
        #expect(zip(lines, lines.dropFirst()).allSatisfy { $1.second - $0.second <= 30 })
    }

    @Test func `a task that takes long is mentioned after 30 s, and its end at once`() throws {
        var story = try Story()
        var news = RunNews(story.progress)
        #expect(news.lines(at: story.now).isEmpty)
        try story.start("/do/0/upload")
        news.progress = story.progress
        story.now += 29
        #expect(news.lines(at: story.now).isEmpty)
        story.now += 1
        #expect(
            news.lines(at: story.now).map { $0.text(width: nil, colour: true) } == [
                "\u{1B}[36m…\u{1B}[0m upload 30.0 s"
            ])
        story.now += 1
        news.finished.add(.init(kind: .done, name: "upload", length: .seconds(31)), of: JSONPointer(["upload"]))
        #expect(news.lines(at: story.now).map(\.name) == ["upload"])
        // Never two lines in a second, but at the end all of them.
        news.finished.add(.init(kind: .done, name: "next"), of: JSONPointer(["next"]))
        #expect(news.lines(at: story.now + 0.5).isEmpty)
        #expect(news.lines(at: story.now + 0.5, isLast: true).map(\.name) == ["next"])
    }
}

extension RunProgressTests {
    @Test func `requests that a service holds are mentioned less and less, and not at the end`() throws {
        var news = RunNews(try Story().progress)
        let start = Date(timeIntervalSince1970: 0)
        var lines: [(second: Int, text: String)] = []
        for second in 0..<100 {
            for delay in [400, 900] {
                news.requests.add(
                    .init(
                        kind: .retried, name: "mail\(delay)", length: .milliseconds(delay), notes: ["waits: a pause"]),
                    of: .root)
            }
            for line in news.lines(at: start + Double(second)) {
                lines.append((second, line.text(width: nil, colour: false)))
            }
        }
        #expect(lines.map(\.second) == [0, 2, 6, 14, 30, 60, 90])
        #expect(lines[1].text == "↻ several tasks        4 times, at most 900 ms, waits: a pause")
        #expect(news.lines(at: start + 100, isLast: true).isEmpty)
    }
}

/// What is over, in as few lines as it takes.
@Suite struct FinishedTasksTests {
    private let start = Date(timeIntervalSince1970: 0)

    private func entry(_ name: String, _ milliseconds: Int = 10) -> FinishedTasks.Entry {
        .init(kind: .done, name: name, length: .milliseconds(milliseconds))
    }

    private func texts(_ lines: [TerminalLine]) -> [String] { lines.map { $0.text(width: nil, colour: false) } }

    @Test func `a few tasks have a line each, and the same one has one line`() {
        var finished = FinishedTasks()
        for name in ["a", "b", "c"] { finished.add(entry(name), of: JSONPointer(["do", "0", name])) }
        for length in [12, 1_400, 20] { finished.add(entry("ask", length), of: JSONPointer(["do", "0", "ask"])) }
        #expect(
            texts(finished.take(at: start)) == [
                "✓ a                    10 ms", "✓ b                    10 ms", "✓ c                    10 ms",
                "✓ ask                  3 times, 12 ms to 1.4 s",
            ])
        #expect(finished.isEmpty)
    }

    @Test func `many tasks are written later, what failed first, and all of them in the end`() {
        var finished = FinishedTasks()
        for number in 0..<500 { finished.add(entry("t\(number)"), of: JSONPointer(["do", "\(number)", "t\(number)"])) }
        finished.add(.init(kind: .failed, name: "bad", notes: ["404"]), of: JSONPointer(["bad"]))
        let lines = texts(finished.take(at: start))
        #expect(lines.count == 20)
        #expect(lines.first == "✗ bad                  404")
        // After so many lines at once there is one a second.
        #expect(finished.take(at: start).isEmpty)
        #expect(texts(finished.take(at: start + 1)) == ["✓ t19                  10 ms"])
        finished.add(entry("t499", 30), of: JSONPointer(["do", "499", "t499"]))
        let last = texts(finished.take(at: start + 1, isLast: true))
        #expect(last.count == 480)
        #expect(last.last == "✓ t499                 2 times, 10 ms to 30 ms")
        #expect(finished.isEmpty)
    }

    @Test func `what ended in the branches of a fork is one line, and what came after it another`() {
        var finished = FinishedTasks()
        let fork = ["do", "0", "many"]
        for number in 0..<23 {
            finished.add(
                entry("branch\(number)", number),
                of: JSONPointer(fork + ["fork", "branches", "\(number)", "b\(number)"]))
        }
        finished.add(
            .init(kind: .failed, name: "bad", notes: ["404"]),
            of: JSONPointer(fork + ["fork", "branches", "23", "bad", "do", "0", "ask"]))
        finished.add(entry("many"), of: JSONPointer(fork))
        finished.add(entry("after"), of: JSONPointer(["do", "1", "after"]))
        #expect(
            texts(finished.take(at: start, isLast: true)) == [
                "✓ many                 23 in its branches, 0 ms to 22 ms: branch0, branch1, branch2, branch3, branch4, …",
                "✗ bad                  404", "✓ many                 10 ms", "✓ after                10 ms",
            ])
    }
}
