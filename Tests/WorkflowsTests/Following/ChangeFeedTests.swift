import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHistory
@testable import WorkflowModel
@testable import Workflows

/// Rounds on a clock, and the events that they pass on.
@Suite final class ChangeFeedTests: Sendable {
    private struct Refused: Error {}

    private let folder = PrivateFolder(
        path: FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: "d-\(UUID())").path)
    private let clock = ManualClock()
    private let accepted = Locked<[CloudEvent]>([])
    private let refusals = Locked(0)
    private let reports = Locked<[String]>([])
    private let own = OwnWrites(clock: SkippingClock())
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    deinit { try? FileManager.default.removeItem(atPath: folder.path) }

    /// A page of a delta query; the last one of its round.
    private func last(_ items: Value...) -> ScriptedTransport.Reply {
        let link = "https://graph.microsoft.com/v1.0/me/mailFolders/inbox/messages/delta?$deltatoken=x"
        return .json(Value.object(["value": .array(items), "@odata.deltaLink": .string(link)]).json())
    }

    private func feed(_ transport: ScriptedTransport) throws -> ChangeFeed {
        let graph = GraphClient(
            credential: .fixed(AccessToken("x")), baseURL: Sandbox.baseURL, transport: transport, clock: clock)
        let log = try ChangeLog(in: folder, of: "test", at: now)
        return ChangeFeed(
            .testing(), for: "tests/w", from: log, over: graph, own: own, now: { [now] in now },
            accept: { [accepted, refusals] events in
                let isRefused = refusals.withLock { count in
                    count -= 1
                    return count >= 0
                }
                if isRefused { throw Refused() }
                accepted.withLock { $0 += events }
            }
        ) { [reports] report in
            reports.withLock { $0.append("\(report)") }
        }
    }

    /// Waits until so many requests were sent, and moves the clock if the feed waits.
    private func requests(_ count: Int, of transport: ScriptedTransport, moving step: Duration = .seconds(60)) async {
        while transport.requests.count < count {
            if clock.waitCount > 0 { clock.advance(by: step) }
            await pause()
        }
    }

    private func events(_ count: Int) async -> [CloudEvent] {
        while accepted.withLock({ $0.count }) < count { await pause() }
        return accepted.withLock { $0 }
    }

    @Test func `a quiet source makes one request an interval, and writes nothing`() async throws {
        let transport = ScriptedTransport(Array(repeating: last(), count: 5))
        let feed = try feed(transport)
        feed.start()
        await requests(2, of: transport)
        while reports.withLock({ $0.isEmpty }) { await pause() }
        #expect(reports.withLock { $0 } == ["first(0)"])
        let file = URL(fileURLWithPath: folder.path(of: "changes.jsonl"))
        let before = try Data(contentsOf: file)
        for count in 3...5 {
            while clock.waitCount == 0 { await pause() }
            clock.advance(by: .seconds(59))
            // Real time: there must be no request, however long that takes.
            for _ in 0..<50 { await pause() }
            #expect(transport.requests.count == count - 1)
            await requests(count, of: transport, moving: .seconds(1))
        }
        #expect(try Data(contentsOf: file) == before)
        #expect(
            transport.requests.map { $0.url.absoluteString.hasSuffix("$deltatoken=x") } == [
                false, true, true, true, true,
            ])
        #expect(transport.requests.allSatisfy { $0.headers["Prefer"]?.contains("ImmutableId") == true })
        feed.stop()
    }

    @Test func `a round with changes makes no request more than a quiet one`() async throws {
        let transport = ScriptedTransport([last(), last(), last(.mail("a", 1)), last(.mail("a", 2)), last()])
        let feed = try feed(transport)
        feed.start()
        await requests(3, of: transport)
        for count in 4...5 {
            _ = await events(count - 3)
            while clock.waitCount == 0 { await pause() }
            clock.advance(by: .seconds(59))
            // Real time: there must be no request, however long that takes.
            for _ in 0..<50 { await pause() }
            #expect(transport.requests.count == count - 1)
            await requests(count, of: transport, moving: .seconds(1))
        }
        feed.stop()
    }

    @Test func `events are passed on until they are accepted, with the same ids, before the next round`() async throws {
        let transport = ScriptedTransport([last(), last(), last(.mail("a", 1), .mail("b", 1)), last()])
        refusals.withLock { $0 = 2 }
        let feed = try feed(transport)
        feed.start()
        await requests(3, of: transport)
        while reports.withLock({ $0.count { $0.hasPrefix("waiting") } }) < 1 { await pause() }
        // A service that ends here continues with the events.
        feed.stop()
        refusals.withLock { $0 = 0 }
        let second = ScriptedTransport([last()])
        let next = try self.feed(second)
        next.start()
        let events = await events(2)
        #expect(events.map { $0["subject"]?.string } == ["a", "b"])
        #expect(
            events.allSatisfy { $0["graphflowworkflow"] == "tests/w" && $0.type == "microsoft.graph.message.created" })
        #expect(Set(events.map(\.id)).count == 2)
        while second.requests.isEmpty { await pause() }
        #expect(second.requests[0].url.absoluteString.hasSuffix("$deltatoken=x"))
        next.stop()
        #expect(try ChangeLog(reading: folder).undelivered == nil)
        #expect(accepted.withLock { $0.count } == 2)
    }

    @Test func `what the workflow wrote itself is not passed on, and is known`() async throws {
        let transport = ScriptedTransport([last(), last(), last(.mail("a", 1), .mail("b", 1)), last(.mail("a", 1))])
        var effect = Effect(.change(.init(id: "a")))
        effect.object = ObjectVersion(id: "A", etag: "W/\"a 1\"")
        let metadata = Workflow.Metadata(
            dsl: "1.0.3", namespace: "tests", name: "w", version: "1.0.0", title: nil, summary: nil)
        own.take(
            Event(
                number: 1, run: "1", workflow: metadata, time: now,
                kind: .request(.root, GraphEvent(operation: "graph", task: .root, kind: .effect(effect, .done)))))
        let feed = try feed(transport)
        feed.start()
        await requests(4, of: transport)
        #expect(await events(1).map { $0["subject"]?.string } == ["b"])
        feed.stop()
        #expect(try ChangeLog(reading: folder).version(of: "a") == ItemVersion("W/\"a 1\""))
        #expect(accepted.withLock { $0.count } == 1)
    }

    @Test func `a source that is refused stops, says so once, and lets others follow it`() async throws {
        let transport = ScriptedTransport([
            last(), last(), .json(#"{"error":{"code":"ErrorAccessDenied"}}"#, status: 403),
        ])
        let feed = try feed(transport)
        feed.start()
        await requests(3, of: transport)
        while reports.withLock({ $0.count }) < 2 { await pause() }
        #expect(reports.withLock { $0.last?.hasPrefix("stopped") } == true)
        feed.ring()
        feed.stop()
        var log = try ChangeLog(in: folder, of: "test", at: now)
        log.close()
        #expect(reports.withLock { $0.count } == 2)
    }
}
