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

    @Test func `a request that the plan does not have is not sent`() async throws {
        let workflow = try Workflow(text: Self.workflow)
        let base = try #require(URL(string: "https://graph.microsoft.com/v1.0"))
        let sent = Locked(0)
        let inner = AnsweringTransport { request, operation in
            sent.withLock { $0 += 1 }
            return Self.service(request, operation)
        }
        let graph = GraphClient(credential: .fixed(AccessToken("t")), baseURL: base, transport: inner)
        let plan = try await Runner(graph: graph).plan(workflow).value
        let planned = try #require(plan.requests.last)
        let transport = ApprovingTransport(plan, over: inner)
        // Before any answer an unknown matches anything; literal parts of the plan must match exactly.
        for (path, body) in [
            ("/me/drive/items/a/createLink", #"{"type":"edit"}"#), ("/me/drive/items/a/invite", #"{"type":"view"}"#),
            ("/users/b/drive/items/a/createLink", #"{"type":"view"}"#),
        ] {
            var request = planned.request
            request.url = try #require(URL(string: base.absoluteString + path))
            request.body = Data(body.utf8)
            let error = await #expect(throws: PlanDeviation.self) {
                try await transport.send(request, for: planned.operation).value
            }
            #expect(error?.problem["type"] == "urn:graphflow:error:plan-deviation")
        }
        #expect(sent.withLock { $0 } == 0)
        // Only the answer's value is let through.
        let upload = try #require(plan.requests.dropFirst().first)
        var request = upload.request
        request.url = try #require(
            URL(
                string: base.absoluteString + "/me/drive/root:/x.txt:/content?@microsoft.graph.conflictBehavior=replace"
            ))
        _ = try await transport.send(request, for: upload.operation).value
        request = planned.request
        request.url = try #require(URL(string: base.absoluteString + "/me/drive/items/other/createLink"))
        await #expect(throws: PlanDeviation.self) {
            try await transport.send(request, for: planned.operation).value
        }
        request.url = try #require(URL(string: base.absoluteString + "/me/drive/items/item-1/createLink"))
        _ = try await transport.send(request, for: planned.operation).value
        #expect(sent.withLock { $0 } == 2)
    }

    @Test func `reads that the plan does not have are let through`() async throws {
        let workflow = try Workflow(text: Self.workflow)
        let inner = AnsweringTransport(Self.service)
        let base = try #require(URL(string: "https://graph.microsoft.com/v1.0"))
        let graph = GraphClient(credential: .fixed(AccessToken("t")), baseURL: base, transport: inner)
        let plan = try await Runner(graph: graph).plan(workflow).value
        let planned = try #require(plan.requests.first)
        var request = planned.request
        request.url = base.appending(path: "me/messages/1")
        let answer = try await ApprovingTransport(plan, over: inner).send(request, for: planned.operation).value
        #expect(answer.status == 200)
    }

    @Test(arguments: [
        ("‹a›", "anything", true), ("x‹a›y", "x1y", true), ("x‹a›y", "x1z", false), ("x‹a›y", "x1yy", true),
        ("‹a›/‹a›", "1/1", true), ("‹a›/‹a›", "1/2", false), ("‹a›/‹b›", "1/2", true), ("‹k›", "known", true),
        ("‹k›", "other", false), ("‹k›!", "known!", true), ("plain", "plain", true), ("plain", "plane", false),
        ("/‹u›", "/a%20b", true),
    ])
    func `a text with symbols matches`(_ planned: String, _ real: String, _ expected: Bool) {
        var match = SymbolicMatch(answers: ["‹k›": ["known"], "‹u›": ["a b"]])
        #expect(match.matches(planned, real) == expected)
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
