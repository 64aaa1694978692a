import Foundation
import Promises
import TestSupport
import Testing

@testable import MicrosoftGraph
@testable import Workflows

/// The requests of a run that an approved plan lets through.
@Suite struct ApprovingTransportTests {
    private static let workflow = """
        document: { dsl: 1.0.3, namespace: samples, name: approved, version: 1.0.0 }
        input: { from: . }
        do:
          - who: { call: me }
          - up: { call: upload, with: { path: "${ .displayName + \\".txt\\" }", content: "Hello" } }
          - link: { call: createLink, with: { itemId: "${ .id }" } }
        """

    private func run(
        _ transport: @escaping @Sendable (HTTPRequest, HTTPOperation) -> HTTPResponse, sent: Locked<[String]>
    ) async throws -> Result<Value, any Error> {
        let base = URL(string: "https://graph.microsoft.com/v1.0")
        let answering = AnsweringTransport { request, operation in
            sent.withLock { $0.append("\(request.method) \(request.url.path())") }
            return transport(request, operation)
        }
        let graph = GraphClient(
            credential: .fixed(AccessToken("t")), baseURL: base, transport: answering, gate: RequestGate())
        let workflow = try Workflow(text: Self.workflow)
        let runner = Runner(graph: graph)
        let plan = try await runner.plan(workflow).value
        let approved = try ApprovedPlan(ApprovedPlan(plan).value)
        do { return .success(try await runner.run(workflow, as: approved).value) } catch { return .failure(error) }
    }

    @Test func `symbols stand for what the answers give`() async throws {
        let sent = Locked<[String]>([])
        let outcome = try await run(Self.service, sent: sent)
        #expect(try outcome.get()["webUrl"] == "https://contoso.com/s/1")
        #expect(
            sent.withLock { $0 } == [
                "GET /v1.0/me", "PUT /v1.0/me/drive/root:/Megan%20Bowen.txt:/content",
                "POST /v1.0/me/drive/items/item-1/createLink",
            ])
    }

    /// A plan of the workflow, and a transport that sends what it allows.
    private func approved(
        _ count: Locked<Int> = Locked(0)
    ) async throws -> (plan: Plan, transport: ApprovingTransport, base: URL) {
        let base = try #require(URL(string: "https://graph.microsoft.com/v1.0"))
        let inner = AnsweringTransport { request, operation in
            count.withLock { $0 += 1 }
            return Self.service(request, operation)
        }
        let graph = GraphClient(credential: .fixed(AccessToken("t")), baseURL: base, transport: inner)
        let plan = try await Runner(graph: graph).plan(try Workflow(text: Self.workflow)).value
        return (plan, ApprovingTransport(Approval(plan), over: inner), base)
    }

    /// Lets the run know who the user is, as the task that asks does.
    private func ask(_ approved: (plan: Plan, transport: ApprovingTransport, base: URL)) async throws {
        let me = approved.plan.requests[0]
        let answer = try await approved.transport.send(me.request, for: me.operation).value
        var user = try #require(try Value(json: answer.body).object)
        user["email"] = user["mail"]
        approved.transport.approval.end(
            TaskExecution(try #require(me.operation.task), ""), output: .object(user))
    }

    /// A planned request to another address.
    private func request(_ planned: PlannedRequest, _ address: String) throws -> HTTPRequest {
        var request = planned.request
        request.url = try #require(URL(string: address))
        return request
    }

    private static let upload = "/me/drive/root:/Megan%20Bowen.txt:/content?@microsoft.graph.conflictBehavior=replace"

    @Test(arguments: [
        ("/me/drive/items/a/createLink", #"{"type":"edit"}"#), ("/me/drive/items/a/invite", #"{"type":"view"}"#),
        ("/users/b/drive/items/a/createLink", #"{"type":"view"}"#),
        ("/me/drive/items/item-1/createLink", #"{"type":"view"}"#),
    ])
    func `a request that the plan does not have is not sent, and nothing with an effect after it`(
        _ path: String, _ body: String
    ) async throws {
        let sent = Locked(0)
        let (plan, transport, base) = try await approved(sent)
        let planned = try #require(plan.requests.last)
        // The last one is in the plan, and too early.
        var request = try request(planned, base.absoluteString + path)
        request.body = Data(body.utf8)
        let error = await #expect(throws: PlanDeviation.self) {
            try await transport.send(request, for: planned.operation).value
        }
        #expect(error?.problem["type"] == "urn:graphflow:error:plan-deviation")
        let second = try self.request(plan.requests[1], base.absoluteString + Self.upload)
        await #expect(throws: PlanDeviation.self) {
            try await transport.send(second, for: plan.requests[1].operation).value
        }
        #expect(sent.withLock { $0 } == 0)
    }

    @Test func `each request is sent once`() async throws {
        let sent = Locked(0)
        let approved = try await approved(sent)
        try await ask(approved)
        let (plan, transport, base) = approved
        let second = try request(plan.requests[1], base.absoluteString + Self.upload)
        _ = try await transport.send(second, for: plan.requests[1].operation).value
        let third = try request(plan.requests[2], base.absoluteString + "/me/drive/items/item-1/createLink")
        _ = try await transport.send(third, for: plan.requests[2].operation).value
        #expect(sent.withLock { $0 } == 3)
        await #expect(throws: PlanDeviation.self) {
            try await transport.send(third, for: plan.requests[2].operation).value
        }
        #expect(sent.withLock { $0 } == 3)
    }

    @Test(arguments: [("Hello", true), ("Jello", false)])
    func `a body in a file is compared as well`(_ content: String, isSent: Bool) async throws {
        let folder = try TemporaryFolder()
        try folder.write("content", content)
        let sent = Locked(0)
        let approved = try await approved(sent)
        try await ask(approved)
        let (plan, transport, base) = approved
        var upload = try request(plan.requests[1], base.absoluteString + Self.upload)
        upload.body = nil
        upload.file = try FilePart(path: folder.url.appending(path: "content").path(percentEncoded: false))
        let promise = transport.send(upload, for: plan.requests[1].operation)
        if isSent {
            _ = try await promise.value
        } else {
            await #expect(throws: PlanDeviation.self) { try await promise.value }
        }
        #expect(sent.withLock { $0 } == (isSent ? 2 : 1))
    }

    @Test(arguments: [
        "a/b", "a/../b", "..", ".", "%2e%2E", "a/createLink?x=", "a?x=y", "root:/a.txt:", "a/createLink/items/b",
    ])
    func `no value leaves its slot`(_ value: String) async throws {
        let approved = try await approved()
        try await ask(approved)
        let (plan, transport, base) = approved
        let second = try request(plan.requests[1], base.absoluteString + Self.upload)
        _ = try await transport.send(second, for: plan.requests[1].operation).value
        let third = try request(plan.requests[2], base.absoluteString + "/me/drive/items/\(value)/createLink")
        await #expect(throws: PlanDeviation.self) {
            try await transport.send(third, for: plan.requests[2].operation).value
        }
    }

    @Test func `a changed read is refused, and a read for a call that changes something is sent`() async throws {
        let (plan, transport, base) = try await approved()
        let me = plan.requests[0]
        await #expect(throws: PlanDeviation.self) {
            try await transport.send(try request(me, base.absoluteString + "/users/other"), for: me.operation).value
        }
        var lookUp = plan.requests[1].operation
        lookUp.effect = .read
        let there = HTTPRequest("GET", base.appending(path: "me/drive/root:/x.txt"))
        #expect(try await transport.send(there, for: lookUp).value.status == 201)
    }

    @Sendable private static func service(_ request: HTTPRequest, _ operation: HTTPOperation) -> HTTPResponse {
        switch operation.name {
        case "me": .json(200, ["id": "1", "displayName": "Megan Bowen", "mail": "megan@contoso.com"])
        case "upload": .json(201, ["id": "item-1", "name": "a.txt", "size": 5, "webUrl": "https://contoso.com/a"])
        default: .json(201, ["id": "p", "link": ["type": "view", "webUrl": "https://contoso.com/s/1"]])
        }
    }
}

/// Answers each request at once.
private struct AnsweringTransport: HTTPTransport {
    let answer: @Sendable (HTTPRequest, HTTPOperation) -> HTTPResponse

    init(_ answer: @escaping @Sendable (HTTPRequest, HTTPOperation) -> HTTPResponse) { self.answer = answer }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        .value(answer(request, operation))
    }
}
