import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "MCP Call", over streamable HTTP.
@Suite struct MCPCallTests {
    private static let versions = ["2025-06-18", "2025-11-25", "2026-07-28"]

    private func output(_ service: MCPService, _ task: String, input: Value = [:]) async throws -> Value {
        try await MCPFixture.runner(service).run(try Workflow(tasks: task), input: input).value
    }

    private func error(_ service: MCPService, _ task: String) async -> WorkflowError? {
        await MCPFixture.error { try await output(service, task) }
    }

    @Test(arguments: [false, true])
    func `the default version is initialized first, and the result is the output`(isStreamed: Bool) async throws {
        let service = MCPService(isStreamed: isStreamed, session: "s-1")
        let result = try await output(
            service, MCPFixture.task("tools/call", "{ name: find, arguments: { title: '${ .title }' } }"),
            input: ["title": "Atlas"])
        #expect(result == ["content": [["type": "text", "text": "tools/call"]]])
        #expect(
            service.messages == [
                [
                    "jsonrpc": "2.0", "id": 1, "method": "initialize",
                    "params": [
                        "protocolVersion": "2025-06-18", "capabilities": [:],
                        "clientInfo": ["name": "graphflow", "version": .string(Graphflow.version)],
                    ],
                ], ["jsonrpc": "2.0", "method": "notifications/initialized", "params": [:]],
                [
                    "jsonrpc": "2.0", "id": 2, "method": "tools/call",
                    "params": ["name": "find", "arguments": ["title": "Atlas"]],
                ],
            ])
        #expect(service.requests.map { $0.headers["Mcp-Session-Id"] } == [nil, "s-1", "s-1"])
        #expect(service.requests.map { $0.headers["MCP-Protocol-Version"] } == [nil, "2025-06-18", "2025-06-18"])
        #expect(service.requests.allSatisfy { $0.headers["Accept"] == "application/json, text/event-stream" })
        #expect(service.requests.allSatisfy { $0.method == "POST" && $0.headers["Mcp-Method"] == nil })
    }

    @Test func `the stateless version says everything in its only request`() async throws {
        let service = MCPService()
        let task = MCPFixture.task(
            "resources/read", "{ uri: 'book://ä \"%‹›' }", version: "2026-07-28",
            more: "client: { name: desk, version: '2' }, ")
        _ = try await output(service, task)
        let request = try #require(service.requests.first)
        #expect(service.requests.count == 1)
        #expect(request.headers["MCP-Protocol-Version"] == "2026-07-28")
        #expect(request.headers["Mcp-Method"] == "resources/read")
        let name = Data("book://ä \"%‹›".utf8).base64EncodedString()
        #expect(request.headers["Mcp-Name"] == "=?base64?\(name)?=")
        #expect(
            service.messages.first?["params"] == [
                "uri": "book://ä \"%‹›",
                "_meta": [
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": ["name": "desk", "version": "2"],
                    "io.modelcontextprotocol/clientCapabilities": [:],
                ],
            ])
    }

    @Test(arguments: versions)
    func `hostile texts arrive unchanged`(version: String) async throws {
        let name = "Ä\"'\\%‹x›\u{7f} \u{1F4D8}" + String(repeating: "n", count: 10_000)
        let service = MCPService()
        let task = MCPFixture.task(
            "tools/call", "{ name: '${ .name }', arguments: { '‹x›': '${ .name }' } }", version: version)
        _ = try await output(service, task, input: ["name": .string(name)])
        #expect(service.messages.last?["params"]?["name"] == .string(name))
        #expect(service.messages.last?["params"]?["arguments"] == ["‹x›": .string(name)])
    }

    @Test func `header fields of the call are sent, and cannot replace those of the protocol`() async throws {
        let service = MCPService()
        let transport = """
            http: { endpoint: { uri: '${ .address }', authentication: { bearer: { token: t0ken } } },
                headers: { X-Team: '${ .team }', Content-Type: text/plain } }
            """
        _ = try await output(
            service, MCPFixture.task("tools/list", "{}", transport),
            input: ["address": "https://books.contoso.com/mcp", "team": "a"])
        for request in service.requests {
            #expect(request.headers["X-Team"] == "a")
            #expect(request.headers["Authorization"] == "Bearer t0ken")
            #expect(request.headers.values(of: "Content-Type") == ["application/json"])
        }
    }

    @Test func `a tool's own error is a runtime error with what it says, cut`() async {
        let service = MCPService { method, _ in
            guard method == "tools/call" else { return nil }
            return .result([
                "isError": true,
                "content": [
                    ["type": "image", "data": "", "mimeType": "image/png"],
                    ["type": "text", "text": .string("no\nbook " + String(repeating: "x", count: 9_000))],
                ],
            ])
        }
        let error = await error(service, MCPFixture.task("tools/call", "{ name: lend }"))
        #expect(error?.is(.runtime) == true)
        #expect(
            error?.detail?.hasPrefix("the tool 'lend' of the MCP server 'books.contoso.com' failed: no book x") == true)
        #expect((error?.detail?.count ?? 9_000) < 2_200)
    }

    @Test(
        arguments: [
            (-32601, "no such method", "check 'method' and 'protocolVersion'"), (-32602, "bad", "check 'parameters'"),
            (-32603, "broken", "broken (error -32603)"), (-32021, "elicitation", "a workflow cannot answer"),
        ] as [(Int, String, String)])
    func `an error of the server is a runtime error that says what to do`(code: Int, words: String, hint: String) async
    {
        let service = MCPService { method, _ in method == "initialize" ? nil : .error(code, words) }
        let error = await error(service, MCPFixture.task("tools/list"))
        #expect(error?.is(.runtime) == true)
        #expect(
            error?.detail?.contains(words) == true && error?.detail?.contains(hint) == true,
            "\(String(describing: error))")
    }

    @Test func `a server of another version is named with what to write`() async {
        let service = MCPService { method, _ in
            method == "initialize" ? .result(["protocolVersion": "2025-11-25", "capabilities": [:]]) : nil
        }
        let error = await error(service, MCPFixture.task("tools/list"))
        #expect(error?.detail?.hasSuffix("write 'protocolVersion: 2025-11-25'") == true)
        #expect(service.methods == ["initialize"])
        let refusing = MCPService { _, _ in
            let body = #"""
                {"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"m","data":{"supported":["2026-07-28"]}}}
                """#
            return .response(
                HTTPResponse(status: 400, headers: ["Content-Type": "application/json"], body: Data(body.utf8)))
        }
        let refused = await self.error(refusing, MCPFixture.task("tools/list"))
        #expect(refused?.is(.runtime) == true)
        #expect(refused?.detail?.hasSuffix("write 'protocolVersion: 2026-07-28'") == true)
    }

    @Test func `a server that asks for input, or answers with nonsense, is an error`() async {
        for (result, words) in [
            (["resultType": "input_required", "inputRequests": [:]] as Value, "asks for input"),
            (["resultType": "task", "taskId": "1"], "cannot wait for"),
        ] {
            let service = MCPService { _, _ in .result(result) }
            let error = await error(service, MCPFixture.task("tools/call", "{ name: a }", version: "2026-07-28"))
            #expect(error?.is(.runtime) == true && error?.detail?.contains(words) == true)
        }
        for body in ["<html>", "", "{}", "[1]", #"{"jsonrpc":"2.0","id":7,"result":{}}"#] {
            let service = MCPService { _, _ in
                .response(
                    HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: Data(body.utf8)))
            }
            let error = await error(service, MCPFixture.task("resources/list", version: "2026-07-28"))
            #expect(error?.is(.runtime) == true, "\(body)")
            #expect(error?.detail?.contains("is that of an MCP server") == true)
        }
    }

    @Test(arguments: [(301, "endpoint"), (401, "authentication"), (404, "/mcp"), (400, "protocolVersion"), (500, "")])
    func `a refusal without a message of the protocol is one of the service`(status: Int, hint: String) async {
        let service = MCPService { _, _ in .response(HTTPResponse(status: status)) }
        let error = await error(service, MCPFixture.task("tools/list"))
        #expect(error?.is(.runtime) == true)
        #expect(error?.status == status)
        if !hint.isEmpty { #expect(error?.detail?.contains(hint) == true) }
        #expect(service.methods == ["initialize"])
    }

    @Test func `a tool whose answer is lost has an unknown outcome, unless it can be repeated`() async throws {
        for (effect, isUnknown) in [(nil, true), ("once", true), ("idempotent", false), ("read", false)] {
            for (reply, isLost) in [
                (MCPService.Reply.lost(.sent), true), (.response(HTTPResponse(status: 502)), false),
            ] {
                let service = MCPService { method, _ in method == "tools/call" ? reply : nil }
                let log = EventLog()
                let tasks = MCPFixture.task("tools/call", "{ name: lend }", effect: effect)
                let error = await MCPFixture.error {
                    try await MCPFixture.runner(service, recorders: [log.recorder]).run(Workflow(tasks: tasks)).value
                }
                #expect(error?.is(.unknownOutcome) == isUnknown)
                #expect(error?.is(.runtime) == !isUnknown)
                #expect(service.methods.last == "tools/call" && service.methods.count == 3)
                #expect(log.effects.last == (effect == "read" ? nil : isUnknown || isLost ? "unknown" : "refused"))
            }
        }
        let lost = MCPService { method, _ in method == "initialize" ? .lost(.sent) : nil }
        let error = await error(lost, MCPFixture.task("tools/call", "{ name: lend }"))
        #expect(error?.is(.runtime) == true)
    }

    @Test func `an account has the tools that were called, and no lists`() async throws {
        let log = EventLog()
        let runner = MCPFixture.runner(MCPService(), recorders: [log.recorder])
        _ = try await runner.run(Workflow(tasks: MCPFixture.task("tools/call", "{ name: lend }"))).value
        #expect(log.effects == ["begun", "done"])
        _ = try await runner.run(Workflow(tasks: MCPFixture.task("tools/list"))).value
        #expect(log.effects == ["begun", "done"])
    }

    @Test(arguments: [
        ("{ readOnlyHint: true }", "read"), ("{ idempotentHint: true }", "idempotent"), ("{ title: a }", "once"),
    ])
    func `annotations decide where the author of the file trusts them`(annotations: String, effect: String) async throws
    {
        let value = try Document(text: annotations, name: "a.yaml").value
        let service = MCPService { method, _ in
            method == "tools/list" ? .result(["tools": [["name": "lend", "annotations": value]]]) : nil
        }
        let transport = RecordingTransport(service)
        let tasks = MCPFixture.task("tools/call", "{ name: lend }", version: "2026-07-28", effect: "annotations")
        _ = try await MCPFixture.runner(transport).run(Workflow(tasks: tasks)).value
        #expect(service.methods == ["tools/list", "tools/call"])
        #expect(transport.records.map(\.operation.effect.rawValue) == ["read", effect])
    }

    @Test(arguments: [
        ("method: tools/cal, transport: { TRANSPORT }", ["arguments"]),
        ("method: tools/list, transport: {}", ["mcp"]), ("method: tools/list", ["arguments"]),
        ("method: tools/list, transport: { TRANSPORT, stdio: { command: a } }", ["mcp"]),
        ("protocolVersion: '2024-11-05', method: tools/list, transport: { TRANSPORT }", ["mcp"]),
        ("method: tools/call, transport: { TRANSPORT }", ["mcp"]),
        ("method: tools/call, parameters: { arguments: {} }, transport: { TRANSPORT }", ["mcp"]),
        ("method: prompts/get, parameters: {}, transport: { TRANSPORT }", ["mcp"]),
        ("method: resources/read, parameters: { name: a }, transport: { TRANSPORT }", ["mcp"]),
        ("method: '${ .m }', transport: { TRANSPORT }", ["computed-argument"]),
        ("method: tools/list, timeout: soon, transport: { TRANSPORT }", ["duration"]),
        ("method: tools/list, transport: { http: { endpoint: 'http://books.contoso.com/mcp' } }", ["plain-http"]),
        ("method: tools/list, transport: { http: { endpoint: 'https://a.com', headers: { 'a b': c } } }", ["header"]),
        ("method: tools/call, parameters: '${ . }', transport: { TRANSPORT }", []),
        ("method: tools/call, parameters: { name: '${ . }' }, transport: { TRANSPORT }", []),
    ])
    func `mistakes are found before anything runs`(with: String, ids: [String]) throws {
        let with = with.replacing("TRANSPORT", with: MCPFixture.address)
        let findings = try Workflow(tasks: "- ask: { call: mcp, with: { \(with) } }").validate()
        #expect(findings.map(\.id) == ids, "\(findings.map(\.message))")
    }

    @Test func `an unknown effect is found, and other metadata are not read`() throws {
        let error = #expect(throws: InvalidWorkflow.self) {
            try Workflow(tasks: MCPFixture.task("tools/list", effect: "reads"))
        }
        #expect(error?.diagnostics.map(\.id) == ["mcp"])
        #expect(error?.diagnostics.first?.hint == "did you mean 'read'?")
        #expect(try Workflow(tasks: "- a: { set: { b: 1 }, metadata: { effect: reads } }").validate() == [])
    }

    @Test func `plain http to another machine is refused before the run`() async throws {
        let service = MCPService()
        let literal = MCPFixture.task("tools/list", "{}", "http: { endpoint: 'http://books.contoso.com/mcp' }")
        await #expect(throws: (any Error).self) { try await output(service, literal) }
        let computed = MCPFixture.task("tools/list", "{}", "http: { endpoint: '${ \"http://books.contoso.com\" }' }")
        let error = await error(service, computed)
        #expect(error?.is(.configuration) == true)
        #expect(service.requests.isEmpty)
    }

    @Test func `the picture of a workflow says what is called`() throws {
        let workflow = try Workflow(tasks: MCPFixture.task("tools/call", "{ name: lend }"))
        #expect(WorkflowDrawing(workflow).mermaid.contains("tools/call lend"))
    }
}

extension EventLog {
    /// The states of the tools' effects, in order.
    fileprivate var effects: [String] {
        events.compactMap { event in
            guard case .request(_, let request) = event.kind, case .effect(let effect, let state) = request.kind,
                effect.kind == .tool
            else { return nil }
            return state.rawValue
        }
    }
}
