import Foundation
import Promises
import Testing

@testable import WorkflowHTTP

struct MCPServerTests {
    private static let form: Value = [
        "method": "elicitation/create",
        "params": ["mode": "form", "message": "Go?", "requestedSchema": ["type": "object", "properties": [:]]],
    ]
    private static let url: Value = [
        "method": "elicitation/create",
        "params": ["mode": "url", "message": "Go?", "url": "https://contoso.com"],
    ]
    private static let sampling: Value = ["method": "sampling/createMessage", "params": [:]]
    private static let roots: Value = ["method": "roots/list", "params": [:]]

    private static let server = MCPServer(
        name: "test", version: "2", instructions: "Read.", capabilities: ["tools": [:]],
        handlers: MCPServer.methods(of: {
            [
                MCPTool("echo", title: "Echo", "Says it.", inputSchema: schema, hints: .read) { arguments, _ in
                    .value(.tool("said", structured: .object(arguments)))
                },
                asking("form", ["a": form]), asking("url", ["a": url]), asking("sampling", ["a": sampling]),
                asking("roots", ["a": roots]), asking("two", ["a": form, "b": form]),
                MCPTool("endless", title: nil, "Asks.", inputSchema: ["type": "object"]) { _, _ in
                    .value(.needs(["a": form], state: "again"))
                },
                MCPTool("steps", title: nil, "Tells.", inputSchema: ["type": "object"]) { _, exchange in
                    for step in [1, 1, 0, 5] { exchange.progress(step, of: 9, nil) }
                    return .value(.tool("told", isError: true))
                },
                MCPTool("fails", title: nil, "Fails.", inputSchema: ["type": "object"]) { _, _ in
                    throw CocoaError(.fileNoSuchFile)
                },
            ]
        }
        ).merging(["resources/read": { _ in .value(.result(["contents": [], "ttlMs": 5])) }]) { first, _ in first })

    private static let schema: Value = [
        "type": "object", "properties": ["text": ["type": "string"]], "required": ["text"],
        "additionalProperties": false,
    ]

    private static func asking(_ name: String, _ requests: Object) -> MCPTool {
        MCPTool(name, title: nil, "Asks.", inputSchema: ["type": "object"]) { _, exchange in
            guard exchange.responses.contains("a") else { return .value(.needs(requests, state: "s")) }
            return .value(.tool("\(exchange.state ?? "") \(Value.object(exchange.responses).json())"))
        }
    }

    private static func stateless(_ capabilities: Value = [:], _ params: Object = [:]) -> Value {
        var params = params
        var meta = params["_meta"]?.object ?? [:]
        meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28"
        meta["io.modelcontextprotocol/clientCapabilities"] = capabilities
        params["_meta"] = .object(meta)
        return .object(params)
    }

    private static func session(
        _ version: MCPVersion? = nil, _ capabilities: Object = [:], asked: Locked<[Value]> = Locked([]),
        notified: Locked<[Value]> = Locked([])
    ) -> MCPSession {
        MCPSession(
            version.map { ($0, capabilities) },
            ask: { method, params in
                asked.withLock { $0.append(["method": .string(method), "params": params]) }
                return .value(["action": "accept", "content": .integer(asked.withLock { $0.count })])
            }, notify: { method, params in notified.withLock { $0.append([.string(method), params]) } })
    }

    private static func text(_ result: Value) -> String { result["content"]?.array?.first?["text"]?.string ?? "" }

    private func answer(
        _ method: String, _ params: Value, in session: MCPSession = session()
    ) async throws -> Value {
        try await Self.server.answer(method, params, in: session).value
    }

    private func error(
        _ method: String, _ params: Value, in session: MCPSession = session()
    ) async -> RPCError? {
        await #expect(throws: RPCError.self) { try await answer(method, params, in: session) }
    }

    @Test(arguments: [
        ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"), ("", "2025-11-25"),
    ])
    func `a client and the server agree on a version`(requested: String, agreed: String) async throws {
        let session = Self.session()
        let result = try await answer(
            "initialize", ["protocolVersion": .string(requested), "capabilities": ["roots": [:]]], in: session)
        #expect(
            result == [
                "protocolVersion": .string(agreed), "capabilities": ["tools": [:]],
                "serverInfo": ["name": "test", "version": "2"], "instructions": "Read.",
            ])
        #expect(session.agreed?.version.rawValue == agreed)
        #expect(session.agreed?.capabilities == ["roots": [:]])
        #expect(try await answer("ping", [:], in: session) == [:])
        #expect(try await answer("tools/list", [:], in: session)["resultType"] == nil)
    }

    @Test func `initialize needs a version, and what comes before it is refused`() async {
        #expect(await error("initialize", [:])?.code == .params)
        #expect(await error("tools/list", [:])?.code == .params)
        #expect(await error("tools/list", [])?.code == .params)
    }

    @Test func `the newest version is discovered`() async throws {
        #expect(
            try await answer("server/discover", Self.stateless()) == [
                "resultType": "complete", "supportedVersions": ["2026-07-28", "2025-11-25", "2025-06-18"],
                "capabilities": ["tools": [:]], "instructions": "Read.", "ttlMs": 0, "cacheScope": "private",
                "_meta": ["io.modelcontextprotocol/serverInfo": ["name": "test", "version": "2"]],
            ])
    }

    @Test(arguments: ["initialize", "ping", "logging/setLevel", "resources/subscribe", "tools/unknown", ""])
    func `the newest version has no such method`(method: String) async {
        #expect(await error(method, Self.stateless())?.code == .method)
        let refusal = #expect(throws: RPCError.self) {
            try Self.server.check(method, Self.stateless(), in: Self.session())
        }
        #expect(refusal?.code == .method)
    }

    @Test func `the earlier versions have no discovery`() async {
        #expect(await error("server/discover", [:], in: Self.session(.june2025))?.code == .method)
    }

    @Test(arguments: ["2025-11-25", "x", 5] as [Value])
    func `a request that says another version is refused`(version: Value) async {
        let meta: Value = [
            "io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": [:],
        ]
        let refusal = await error("tools/list", ["_meta": meta], in: Self.session(.november2025))
        #expect(refusal?.code == .unsupportedVersion)
        #expect(refusal?.data?["requested"] == version)
        #expect(refusal?.data?["supported"] == MCPVersion.stateless)
        #expect(refusal?.message.contains("begins with 'initialize'") == (version == "2025-11-25"))
    }

    @Test(arguments: [nil, [], "x"] as [Value])
    func `a request must say what its client can do`(capabilities: Value) async {
        let meta: Value = [
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        ]
        #expect(await error("tools/list", ["_meta": meta])?.code == .params)
        #expect(
            await error("tools/list", ["_meta": ["io.modelcontextprotocol/protocolVersion": "2026-07-28"]])?.code
                == .params)
    }

    @Test func `results of the newest version say their type, and lists how long they are good`() async throws {
        let server: Value = ["io.modelcontextprotocol/serverInfo": ["name": "test", "version": "2"]]
        let list = try await answer("tools/list", Self.stateless())
        #expect(list["resultType"] == "complete" && list["ttlMs"] == 0 && list["cacheScope"] == "private")
        #expect(
            list["tools"]?.array?.first == [
                "name": "echo", "title": "Echo", "description": "Says it.", "inputSchema": Self.schema,
                "annotations": [
                    "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true,
                ],
            ])
        let read = try await answer("resources/read", Self.stateless())
        #expect(read["ttlMs"] == 5)
        let call = try await answer(
            "tools/call", Self.stateless([:], ["name": "echo", "arguments": ["text": "a"]]))
        #expect(
            call == [
                "resultType": "complete", "content": [["type": "text", "text": "said"]],
                "structuredContent": ["text": "a"], "_meta": server,
            ])
    }

    @Test(
        arguments: [
            ([:], "text"), (["text": 1], "text"), (["text": "a", "more": 1], "more"),
        ] as [(Value, String)])
    func `arguments that a tool does not take are a result that a model can read`(
        arguments: Value, name: String
    ) async throws {
        let result = try await answer("tools/call", Self.stateless([:], ["name": "echo", "arguments": arguments]))
        #expect(result["isError"] == true)
        #expect(Self.text(result).contains(name))
    }

    @Test(
        arguments: [
            [:], ["name": "unknown"], ["name": 1], ["name": "echo", "arguments": []], ["name": "ECHO"],
        ] as [Object])
    func `a call that is none is an error of the protocol`(params: Object) async {
        #expect(await error("tools/call", Self.stateless([:], params))?.code == .params)
    }

    @Test func `a tool that fails is an error of the server`() async {
        await #expect(throws: CocoaError.self) {
            try await answer("tools/call", Self.stateless([:], ["name": "fails"]))
        }
    }

    @Test func `a list has one page`() async {
        #expect(await error("tools/list", Self.stateless([:], ["cursor": "x"]))?.code == .params)
    }

    @Test func `the newest version gets questions as a result, and answers with the next request`() async throws {
        let asked = Locked<[Value]>([])
        let session = Self.session(asked: asked)
        let first = try await answer(
            "tools/call", Self.stateless(["elicitation": [:]], ["name": "form"]), in: session)
        #expect(first["resultType"] == "input_required")
        #expect(first["inputRequests"] == ["a": Self.form])
        #expect(first["requestState"] == "s")
        let second = try await answer(
            "tools/call",
            Self.stateless(
                ["elicitation": [:]], ["name": "form", "inputResponses": ["a": 1], "requestState": "s"]),
            in: session)
        #expect(Self.text(second) == #"s {"a":1}"#)
        #expect(asked.withLock { $0 }.isEmpty)
    }

    @Test(arguments: [MCPVersion.june2025, .november2025])
    func `the earlier versions are asked, one question after the other`(version: MCPVersion) async throws {
        let asked = Locked<[Value]>([])
        let session = Self.session(version, ["elicitation": [:]], asked: asked)
        // Only the newest version sends answers with a request.
        let result = try await answer("tools/call", ["name": "two", "inputResponses": ["a": "forged"]], in: session)
        #expect(
            Self.text(result)
                == #"s {"a":{"action":"accept","content":1},"b":{"action":"accept","content":2}}"#)
        let modes = asked.withLock { $0 }.map { $0["params"]?["mode"] }
        #expect(modes == (version == .june2025 ? [nil, nil] : ["form", "form"]))
    }

    @Test func `a server that always asks is stopped`() async {
        let asked = Locked<[Value]>([])
        let session = Self.session(.november2025, ["elicitation": [:]], asked: asked)
        #expect(await error("tools/call", ["name": "endless"], in: session)?.code == .failure)
        #expect(asked.withLock { $0.count } == 15)
    }

    @Test(
        arguments: [
            ("form", [:], ["elicitation": ["form": [:]]]),
            ("form", ["elicitation": ["url": [:]]], ["elicitation": ["form": [:]]]),
            ("form", ["elicitation": true], ["elicitation": ["form": [:]]]),
            ("url", ["elicitation": [:]], ["elicitation": ["url": [:]]]),
            ("url", ["elicitation": ["form": [:]]], ["elicitation": ["url": [:]]]),
            ("sampling", ["elicitation": [:]], ["sampling": [:]]), ("roots", ["sampling": [:]], ["roots": [:]]),
        ] as [(String, Value, Value)])
    func `a client is not asked for what it has not declared`(tool: String, declared: Value, needed: Value) async {
        let asked = Locked<[Value]>([])
        for (params, session) in [
            (Self.stateless(declared, ["name": .string(tool)]), Self.session(asked: asked)),
            (["name": .string(tool)] as Value, Self.session(.november2025, declared.object ?? [:], asked: asked)),
        ] {
            let refusal = await error("tools/call", params, in: session)
            #expect(refusal?.code == .missingCapability)
            #expect(refusal?.data == ["requiredCapabilities": needed])
        }
        #expect(asked.withLock { $0 }.isEmpty)
    }

    @Test func `the first version has no addresses to open`() async {
        let session = Self.session(.june2025, ["elicitation": ["url": [:]]])
        #expect(await error("tools/call", ["name": "url"], in: session)?.code == .missingCapability)
    }

    @Test(arguments: [("t", true), (7, true), (nil, false), (1.5, false), ([], false)] as [(Value, Bool)])
    func `progress increases, and only those who ask for it get it`(token: Value, isTold: Bool) async throws {
        let notified = Locked<[Value]>([])
        let params = Self.stateless([:], ["name": "steps", "_meta": ["progressToken": token]])
        let result = try await answer("tools/call", params, in: Self.session(notified: notified))
        #expect(result["isError"] == true)
        #expect(
            notified.withLock { $0 }
                == (isTold ? [1, 5] : []).map {
                    ["notifications/progress", ["progressToken": token, "progress": .integer($0), "total": 9]]
                })
    }
}
