import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Runs that the events of an inbox start.
@Suite final class EventFeedTests: Sendable {
    private let runs = TemporaryRuns()
    private let ended = Locked<[String]>([])

    /// A service that can be ended and started again.
    private final class Serving: Sendable {
        let inbox: Inbox
        let feed: EventFeed
        let queue: RunQueue

        init(_ inbox: Inbox, _ feed: EventFeed, _ queue: RunQueue) {
            (self.inbox, self.feed, self.queue) = (inbox, feed, queue)
        }

        deinit {
            feed.stop()
            queue.close()
        }
    }

    private func workflow(_ events: String) throws -> Workflow {
        try Workflow(
            tasks: "- a: { set: '${ [$workflow.input[].id] }' }", rest: "schedule: { on: \(events) }")
    }

    private func serve(_ events: String = "{ one: { with: { type: t } } }", isKept: Bool = true) throws -> Serving {
        var runner = Runner.testing()
        if isKept { runner.journals = runs.folder }
        try FileManager.default.createDirectory(
            at: runs.home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let inbox = try Inbox(in: PrivateFolder(path: runs.home.appending(path: "inbox").path))
        try inbox.serve(["w"])
        let queue = RunQueue(limit: 4, limitPerWorkflow: 4)
        let feed = EventFeed(
            try workflow(events), named: "w", from: inbox, by: try ServedRuns(runner), in: queue,
            onTrouble: { Issue.record("\($0)") }
        ) { [ended] result in
            ended.withLock { $0.append((try? result.get())?.json() ?? "\(result)") }
        }
        let serving = Serving(inbox, try #require(feed), queue)
        inbox.onArrival { [weak feed] in feed?.look() }
        feed?.look()
        return serving
    }

    private func events(_ types: String) throws -> [CloudEvent] {
        try types.enumerated().map { index, type in
            try CloudEvent([
                "specversion": "1.0", "id": .string("\(type)\(index)"), "source": "/test", "type": .string("\(type)"),
            ])
        }
    }

    /// The outputs of the runs, when no event waits.
    private func outputs(of serving: Serving) async throws -> [String] {
        while serving.inbox.count > 0 { await pause() }
        try await serving.queue.noneLeft.value
        return ended.withLock { $0.sorted() }
    }

    @Test(arguments: [
        ("{ one: { with: { type: t } } }", "txt", [#"["t0"]"#, #"["t2"]"#]),
        ("{ all: [{ with: { type: t } }, { with: { type: u } }] }", "txttu", [#"["t0","u4"]"#]),
        ("{ any: [{ with: { type: t } }], until: { one: { with: { type: u } } } }", "txtu", [#"["t0","t2"]"#]),
    ])
    func `each event starts its runs once, also after a restart`(on: String, types: String, expected: [String])
        async throws
    {
        var serving: Serving? = try serve(on)
        _ = try serving?.inbox.accept(try events(types))
        while ended.withLock({ $0.count }) < expected.count { await pause() }
        #expect(ended.withLock { $0.sorted() } == expected)
        try serving?.inbox.flush()
        serving = nil
        _ = try serve(on).inbox.accept(try events(types))
        #expect(ended.withLock { $0.sorted() } == expected)
        #expect(try runs.folder.names.count == expected.count)
    }

    @Test func `a run whose event was not settled when the service ended does not begin again`() async throws {
        let home = runs.home.appending(path: "inbox")
        var serving: Serving? = try serve()
        _ = try serving?.inbox.accept(try events("tt"))
        let before = try Data(contentsOf: home.appending(path: "0000000000000000.events"))
        #expect(try await outputs(of: #require(serving)) == [#"["t0"]"#, #"["t1"]"#])
        try serving?.inbox.flush()
        serving = nil
        // As if the notes had not reached the disk.
        let file = home.appending(path: "0000000000000000.events")
        let whole = try Data(contentsOf: file)
        #expect(whole.starts(with: before))
        let end = try #require(whole.range(of: Data(#"{"workflow":"w","from":0,"to":"#.utf8))).lowerBound
        try whole[..<end].write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let again = try serve()
        #expect(again.inbox.count > 0 || ended.withLock { $0.count } == 2)
        #expect(try await outputs(of: again).count == 2)
        #expect(try runs.folder.names.count == 2)
    }

    @Test func `without journals an event is settled before its run begins`() async throws {
        var serving: Serving? = try serve(isKept: false)
        _ = try serving?.inbox.accept(try events("tt"))
        #expect(try await outputs(of: #require(serving)) == [#"["t0"]"#, #"["t1"]"#])
        serving = nil
        #expect(try serve(isKept: false).inbox.count == 0)
    }

    @Test func `a new version of the workflow takes the events that follow`() async throws {
        let serving = try serve()
        _ = try serving.inbox.accept(try events("t"))
        #expect(try await outputs(of: serving) == [#"["t0"]"#])
        serving.feed.replace(with: try workflow("{ one: { with: { type: u } } }"))
        _ = try serving.inbox.accept(try events("xtu"))
        #expect(try await outputs(of: serving) == [#"["t0"]"#, #"["u2"]"#])
    }

    // MARK: Changes of items

    /// Changes of items, given by their letters, of a workflow.
    private func changes(_ items: String, of workflow: String = "tests/test") throws -> [CloudEvent] {
        try items.enumerated().map { index, item in
            try CloudEvent([
                "specversion": "1.0", "id": .string("\(item)\(index)"), "source": "/users", "type": "t",
                "subject": .string("\(item)"), "graphflowworkflow": .string(workflow),
            ])
        }
    }

    /// A service whose runs wait at a clock.
    private func serveSlowly(_ clock: ManualClock, limit: Int = 4, taking items: String = "") throws -> Serving {
        let runner = Runner.testing(clock: clock)
        try FileManager.default.createDirectory(
            at: runs.home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let inbox = try Inbox(in: PrivateFolder(path: runs.home.appending(path: "inbox").path))
        try inbox.serve(["w"])
        let queue = RunQueue(limit: limit, limitPerWorkflow: limit)
        let workflow = try Workflow(
            tasks: "- a: { wait: PT1M }\n- b: { set: '${ [$workflow.input[].id] }' }",
            rest: "schedule: { on: { one: { with: { type: t } } } }")
        let feed = EventFeed(
            workflow, named: "w", from: inbox, by: try ServedRuns(runner), in: queue,
            onTrouble: { Issue.record("\($0)") }
        ) { [ended] result in
            ended.withLock { $0.append((try? result.get())?.json() ?? "\(result)") }
        }
        let serving = Serving(inbox, try #require(feed), queue)
        for item in items { feed?.occupy("/users \(item)") }
        inbox.onArrival { [weak feed] in feed?.look() }
        feed?.look()
        return serving
    }

    @Test func `the runs of an item begin one after another, those of others at once`() async throws {
        let clock = ManualClock()
        let serving = try serveSlowly(clock)
        _ = try serving.inbox.accept(try changes("aabaca"))
        for expected in [[#"["a0"]"#, #"["b2"]"#, #"["c4"]"#], [#"["a1"]"#], [#"["a3"]"#], [#"["a5"]"#]] {
            while clock.waitCount < expected.count { await pause() }
            #expect(serving.queue.activeCount == expected.count)
            #expect(clock.waitCount == expected.count)
            let before = ended.withLock { $0.count }
            clock.advance(by: .seconds(60))
            while ended.withLock({ $0.count }) < before + expected.count { await pause() }
            #expect(ended.withLock { $0.suffix(expected.count).sorted() } == expected)
        }
        try await serving.queue.noneLeft.value
        #expect(serving.inbox.count == 0)
    }

    @Test func `an item whose run continues from an earlier service has its turn`() async throws {
        let clock = ManualClock()
        let serving = try serveSlowly(clock, taking: "a")
        _ = try serving.inbox.accept(try changes("aba"))
        while clock.waitCount < 1 { await pause() }
        clock.advance(by: .seconds(60))
        while ended.withLock({ $0.count }) < 1 { await pause() }
        #expect(ended.withLock { $0 } == [#"["b1"]"#])
        // A run leaves the queue after its last event.
        while serving.queue.activeCount > 0 { await pause() }
        serving.feed.release("/users a")
        for expected in [#"["a0"]"#, #"["a2"]"#] {
            let before = ended.withLock { $0.count }
            while clock.waitCount < 1 { await pause() }
            clock.advance(by: .seconds(60))
            while ended.withLock({ $0.count }) == before { await pause() }
            #expect(ended.withLock { $0.last } == expected)
        }
    }

    @Test func `an item with many changes keeps no others from their runs, up to a number of them`() async throws {
        let clock = ManualClock()
        let serving = try serveSlowly(clock, limit: 2)
        _ = try serving.inbox.accept(try changes(String(repeating: "a", count: 900) + "b"))
        while clock.waitCount < 2 { await pause() }
        clock.advance(by: .seconds(60))
        while ended.withLock({ $0.count }) < 2 { await pause() }
        #expect(ended.withLock { $0.sorted() } == [#"["a0"]"#, #"["b900"]"#])
    }

    @Test func `a change that another workflow's source found is not taken`() async throws {
        let serving = try serve()
        _ = try serving.inbox.accept(try changes("a", of: "tests/other") + changes("b") + events("xt"))
        #expect(try await outputs(of: serving) == [#"["b0"]"#, #"["t1"]"#])
    }
}
