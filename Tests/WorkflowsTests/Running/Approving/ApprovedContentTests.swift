import Foundation
import Promises
import TestSupport
import Testing

@testable import MicrosoftGraph
@testable import Workflows

/// Runs of approved plans that send files and attachments of which only the run knows names and sizes.
@Suite struct ApprovedContentTests {
    private static let sizes = ["small": 900, "medium": 700_000, "large": 2_100_000, "huge": 3_500_000]

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: 1)
        for (name, size) in sizes {
            let block = Data((0..<997).map { _ in UInt8.random(in: 0...255, using: &generator) })
            var bytes = Data(capacity: size + block.count)
            while bytes.count < size { bytes.append(block) }
            try bytes.prefix(size).write(to: folder.url.appending(path: name))
        }
        return folder
    }

    /// Runs an approved plan with a service that answers a question, and alters each request.
    private static func check(
        _ tasks: String, _ answer: Value, _ sandbox: Sandbox = Sandbox(), use: String = "{}", gaps: Int = 0
    ) async throws -> Plan {
        let folder = try folder()
        let all = "- ask: { call: http, with: { method: get, endpoint: https://api.contoso.com/data } }\n" + tasks
        let workflow = try Workflow(
            text: "document: { dsl: 1.0.3, namespace: samples, name: content, version: 1.0.0 }\nuse: \(use)\ndo:\n"
                + all,
            folder: folder.url)
        let clock = SkippingClock()
        var graph = GraphClient(
            credential: .fixed(AccessToken("sandbox")), baseURL: Sandbox.baseURL,
            transport: Answering(answer, sandbox.transport), clock: clock)
        graph.largestPut = 320 << 10
        var runner = Runner(graph: graph, clock: clock)
        let plan = try await runner.plan(workflow).value
        #expect(plan.gaps.count == gaps)
        let approval = Approval(plan)
        let altering = AlteringTransport(graph.transport, approval, plan, seed: 1)
        runner.world = LiveWorld(approval: approval)
        runner.graph.transport = altering
        _ = try await runner.run(workflow).value
        #expect(approval.deviation == nil)
        #expect(altering.results.allowed == [])
        #expect(altering.results.tried > 5)
        return plan
    }

    @Test(arguments: ["small", "medium", "./medium"])
    func `a file that an answer names is uploaded in as many ranges as it has`(_ name: String) async throws {
        let sandbox = Sandbox()
        _ = try await Self.check(
            "- put: { call: upload, with: { path: a.bin, content: { file: '${ .name }' } } }",
            ["name": .string(name)], sandbox)
        let ranges = sandbox.requests.compactMap { $0.request.headers["Content-Range"] }
        #expect(
            ranges
                == (name == "small"
                    ? []
                    : ["bytes 0-327679/700000", "bytes 327680-655359/700000", "bytes 655360-699999/700000"]))
    }

    @Test(
        arguments: [
            ("'${ .given }'", "text"), ("'${ .given }'", ["base64": "AAEC"]), ("'${ .given }'", ["file": "small"]),
            ("'${ .given }'", ["file": "medium"]), ("{ base64: '${ .given }' }", "AAEC"),
            ("{ base64: '${ .given }', contentType: image/png }", "AAEC"),
        ] as [(String, Value)])
    func `content is what an answer makes of it`(_ content: String, _ given: Value) async throws {
        _ = try await Self.check(
            "- put: { call: upload, with: { path: a.bin, content: \(content) } }", ["given": given])
    }

    @Test(arguments: [
        ["small"], ["large", "small"], ["large", "medium", "large", "small"], ["huge", "small"],
        ["small", "huge", "large"],
    ])
    func `each attachment is in the message or added to it, as there is room`(_ names: [String]) async throws {
        let attachments = names.indices.map { "{ name: a\($0), content: { file: '${ .names[\($0)] }' } }" }
        let plan = try await Self.check(
            "- mail: { call: sendMail, with: { to: megan@contoso.com, subject: s, body: b, "
                + "attachments: [\(attachments.joined(separator: ", "))] } }",
            ["names": .array(names.map(Value.string))])
        #expect(plan.requests.count(where: { $0.condition?.contains("does not fit") ?? false }) == names.count * 3)
    }

    @Test(
        arguments: [
            [
                "body": "text", "importance": "high", "attachments": [["name": "a", "content": "text"]],
                "cc": "alexw@contoso.com",
            ],
            [
                "body": ["contentType": "html", "content": "<b>x</b>"], "importance": "normal", "attachments": [],
                "cc": ["alexw@contoso.com"],
            ],
            ["body": ["content": "x"], "importance": .null, "attachments": .null, "cc": "alexw@contoso.com"],
            [
                "body": "b", "importance": .null, "attachments": [["name": "a", "content": ["base64": "AAEC"]]],
                "cc": .null,
            ],
        ] as [Value])
    func `the members of a mail are what an answer makes of them`(_ answer: Value) async throws {
        _ = try await Self.check(
            "- mail: { call: sendMail, with: { to: megan@contoso.com, subject: s, body: '${ .body }', "
                + "importance: '${ .importance }', attachments: '${ .attachments }', cc: '${ .cc }' } }", answer,
            gaps: 1)
    }

    @Test(arguments: [nil, [], [.null], ["a"], ["a", 2, .null], "text", 3] as [Value?])
    func `a query item is what an answer makes of it`(_ value: Value?) async throws {
        _ = try await Self.check(
            "- post: { call: http, with: { method: post, endpoint: 'https://api.contoso.com/x?y=1', "
                + "query: { q: '${ .q }', z: a }, headers: '${ .headers }', body: '${ .body }' } }",
            [
                "q": value ?? .null, "headers": ["X-A": value?.array == nil ? value ?? .null : "1"],
                "body": value ?? .null,
            ])
    }

    @Test func `an extension sends its requests before the task's own`() async throws {
        let note = "call: http, with: { method: post, endpoint: https://api.contoso.com/notes }"
        _ = try await Self.check(
            "- mail: { call: sendMail, with: { to: megan@contoso.com, subject: s, body: b } }", [:],
            use: "{ extensions: [ { log: { extend: call, before: [ { note: { \(note) } } ], "
                + "after: [ { look: { call: users, with: { startsWith: A } } } ] } } ] }")
    }

    @Test func `a choice that an answer makes is not another one`() async throws {
        let plan = try await Self.check(
            "- put: { call: upload, with: { path: a.txt, content: x, conflictBehavior: '${ .choice }' } }",
            ["choice": "rename"])
        #expect(plan.requests.count(where: { $0.request.method == "PUT" }) == 4)
    }
}

/// Answers questions to another host than the sandbox's.
private struct Answering: HTTPTransport {
    let answer: Value
    let inner: any HTTPTransport

    init(_ answer: Value, _ inner: any HTTPTransport) {
        self.answer = answer
        self.inner = inner
    }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        guard request.url.host() == "api.contoso.com" else { return inner.send(request, for: operation) }
        return .value(
            HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: answer.jsonData()))
    }
}
