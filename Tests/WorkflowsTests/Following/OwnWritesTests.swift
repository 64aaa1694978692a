import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHistory
@testable import WorkflowModel
@testable import Workflows

/// Changes that a service's runs made themselves.
@Suite struct OwnWritesTests {
    private let own = OwnWrites(clock: SkippingClock())
    private let now = Date(timeIntervalSince1970: 1_767_225_600)
    private let workflow = "tests/w"

    private func take(
        _ kind: GraphEvent.Kind, run: String = "1", name: String = "w", parent: String? = nil, at time: Date? = nil,
        recognisedUntil: Date = .distantPast
    ) {
        let metadata = Workflow.Metadata(
            dsl: "1.0.3", namespace: "tests", name: name, version: "1.0.0", title: nil, summary: nil)
        var event = Event(
            number: 1, run: run, workflow: metadata, time: time ?? now,
            kind: .request(.root, GraphEvent(operation: "graph", task: .root, kind: kind)))
        event.parent = parent.map { Event.Parent(run: $0, task: .root) }
        own.take(event, recognisedUntil: recognisedUntil)
    }

    private func effect(_ kind: Effect.Kind, _ members: Object = [:], object: ObjectVersion? = nil) -> GraphEvent.Kind {
        var effect = Effect(kind, members)
        effect.object = object
        return .effect(effect, .done)
    }

    private func made(
        _ kind: ChangeSource.Kind, _ item: Value, of source: ChangeSource = .testing(), by name: String = "tests/w",
        since time: Date = .distantPast
    ) throws -> Bool {
        own.made(try #require(ItemChange(kind, of: item, from: source)), by: name, since: time)
    }

    @Test func `the version that a run wrote is its own, whatever the id's form is`() throws {
        take(effect(.change, ["id": "immutable"], object: ObjectVersion(id: "other form", etag: "W/\"a 2\"")))
        #expect(try made(.updated, .mail("a", 2)))
        #expect(try made(.updated, .mail("a", 2)))
        #expect(try !made(.updated, .mail("a", 3)))
        #expect(try !made(.updated, .mail("a", 2), by: "tests/other"))
    }

    @Test func `an item without a version is recognised once, and not for ever`() throws {
        let users = ChangeSource.testing("/users", .user)
        let user: Value = ["id": "u", "jobTitle": "Ä"]
        take(effect(.change, ["id": "u"]))
        #expect(try !made(.updated, ["id": "v"], of: users))
        #expect(try made(.updated, user, of: users))
        #expect(try !made(.updated, user, of: users))
        // A write that changed nothing is not seen; what a person does later is.
        take(effect(.change, ["id": "u"]))
        #expect(try !made(.updated, user, of: users, since: now.addingTimeInterval(1)))
        take(effect(.member, ["group": "g"]))
        #expect(try made(.updated, ["id": "g"], of: .testing("/groups", .group)))
        // From a journal: it was recognised before the service ended.
        take(effect(.change, ["id": "w"]), recognisedUntil: now)
        #expect(try !made(.updated, ["id": "w"], of: users))
        take(effect(.change, ["id": "w"]), recognisedUntil: now.addingTimeInterval(-1))
        #expect(try made(.updated, ["id": "w"], of: users))
    }

    @Test func `what a run removed is its own`() throws {
        take(effect(.delete, ["id": "a"]))
        #expect(try made(.deleted, .removed("a")))
        #expect(try !made(.deleted, .removed("b")))
        #expect(try !made(.updated, .mail("a", 1)))
        take(effect(.change, ["id": "m", "properties": ["move": [:]]], object: ObjectVersion(id: "m", etag: "5")))
        #expect(try made(.deleted, .removed("m")))
        #expect(try made(.created, ["id": "m", "@odata.etag": "5"]))
        #expect(try !made(.deleted, .removed("m")))
    }

    @Test func `a sent mail is recognised when it arrives, and what a person does with it is not`() throws {
        take(.drafted(id: "draft", internetMessageID: "<1@contoso.com>"))
        func mail(_ isDraft: Bool) -> Value {
            ["id": "m", "@odata.etag": "7", "internetMessageId": "<1@contoso.com>", "isDraft": .bool(isDraft)]
        }
        #expect(try made(.created, mail(false)))
        #expect(try made(.updated, mail(true)))
        #expect(try !made(.updated, mail(false)))
        #expect(try made(.deleted, .removed("draft")))
        #expect(try !made(.deleted, .removed("m")))
    }

    @Test func `what an inner run wrote is the outer workflow's`() throws {
        let metadata = Workflow.Metadata(
            dsl: "1.0.3", namespace: "tests", name: "w", version: "1.0.0", title: nil, summary: nil)
        own.take(
            Event(number: 1, run: "1", workflow: metadata, time: now, kind: .workflowStarted(input: 1, context: [:])))
        take(effect(.change, object: ObjectVersion(id: "a", etag: "9")), run: "2", name: "inner", parent: "1")
        #expect(try made(.updated, ["id": "a", "@odata.etag": "9"]))
        #expect(try !made(.updated, ["id": "a", "@odata.etag": "9"], by: "tests/inner"))
    }

    @Test func `a round waits for the writes that are in progress, and for no reads or later ones`() async throws {
        let clock = ManualClock()
        let own = OwnWrites(clock: clock)
        let pending = Locked<[Resolver<HTTPResponse>]>([])
        struct Held: HTTPTransport {
            let pending: Locked<[Resolver<HTTPResponse>]>
            func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
                Promise { resolver in pending.withLock { $0.append(resolver) } }
            }
        }
        let transport = own.watching(Held(pending: pending))
        func send(_ method: String) throws -> Promise<HTTPResponse> {
            guard let url = URL(string: "https://graph.microsoft.com/v1.0/me") else { throw CancellationError() }
            return transport.send(
                HTTPRequest(method, url),
                for: HTTPOperation(name: "test", effect: .idempotent, example: HTTPResponse(status: 200)))
        }
        _ = try send("GET")
        #expect(own.settled.isFulfilled)
        let write = try send("PATCH")
        let settled = own.settled
        #expect(!settled.isFulfilled)
        _ = try send("POST")
        pending.withLock { $0[1] }.fulfill(HTTPResponse(status: 200))
        _ = try await write.value
        #expect(!settled.isFulfilled)
        while clock.waitCount == 0 { await pause() }
        clock.advance(by: .seconds(1))
        try await settled.value
        #expect(!own.settled.isFulfilled)
    }
}
