import Foundation
import Promises
import TestSupport
import Testing
import WorkflowHTTP
import Workflows

@testable import graphflow

/// What agents can do with the tools of `graphflow mcp`, in a sandbox in process.
@Suite struct AgentTests {
    fileprivate static let mail = """
        document: { dsl: 1.0.3, namespace: tests, name: mail, version: 1.0.0, title: Say hello }
        input:
          schema:
            document:
              type: object
              properties: { to: { type: string, minLength: 1 }, subject: { type: string } }
              required: [to]
        do:
          - send: { call: sendMail, with: { to: ["${ .to }"], subject: '${ .subject // "Hello" }', body: { content: hello } } }
          - done: { set: { mailed: true } }
        """
    private static let people = """
        document: { dsl: 1.0.3, namespace: tests, name: people, version: 1.0.0 }
        input: { schema: { document: { type: array, items: { type: string } } } }
        do:
          - all: { call: users, with: { top: 3 } }
        """
    private static let closed = """
        document: { dsl: 1.0.3, namespace: tests, name: closed, version: 1.0.0 }
        do:
          - attempt:
              try: [ { program: { run: { shell: { command: touch here } } } } ]
              catch: { as: error, do: [ { note: { set: { why: "${ $error.detail }" } } } ] }
          - other:
              try: [ { ask: { call: http, with: { method: get, endpoint: "https://contoso.com/" } } } ]
              catch: { do: [ { wait: { wait: P1D } } ] }
        """

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("agents-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in [("mail", Self.mail), ("people", Self.people), ("closed", Self.closed)] {
            try Data(text.utf8).write(to: folder.appendingPathComponent("\(name).yaml"))
        }
    }

    /// An agent that is connected to a server with these options.
    private final class Agent: Sendable {
        let server: AgentServer
        private let connection: RPCConnection
        private let serving: RPCConnection
        private let capabilities: Value
        private let asked: Locked<[Value]>

        init(_ folder: URL, _ options: [String] = [], capabilities: Value = [:]) throws {
            let console = TestConsole(environment: ["GRAPHFLOW_HOME": folder.appendingPathComponent("home").path])
            let command = try MCPCommand.parse([folder.path, "--sandbox"] + options)
            let agents = try command.agents(on: console.console)
            (server, self.capabilities) = (agents, capabilities)
            let (to, from) = (try Descriptor.pipe(), try Descriptor.pipe())
            serving = agents.server.serve(input: to.reading.number, output: from.writing.number)
            let asked = Locked<[Value]>([])
            self.asked = asked
            connection = RPCConnection(
                input: from.reading.number, output: to.writing.number, .lines,
                answer: { method, params, _ in
                    asked.withLock { $0.append(params) }
                    return .value(["action": "accept", "content": ["approve": true]])
                })
            SystemThread.start { [serving] in serving.run() }
            SystemThread.start { [connection] in connection.run() }
        }

        /// What the sandbox has sent.
        var mailCount: Int? {
            get async throws {
                let graph = try await server.setup.runner(try Workflow(text: AgentTests.mail)).graph
                return (graph.transport as? SandboxNetwork)?.sandbox.outbox.count
            }
        }

        var questions: [Value] { asked.withLock { $0 } }

        func ask(_ method: String, _ params: Object = [:]) async throws -> Value {
            var params = params
            params["_meta"] = [
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": capabilities,
            ]
            return try await connection.request(method, .object(params)).value
        }

        func call(_ tool: String, _ arguments: Object = [:], _ more: Object = [:]) async throws -> Value {
            var params: Object = ["name": .string(tool), "arguments": .object(arguments)]
            for (name, value) in more { params[name] = value }
            return try await ask("tools/call", params)
        }

        /// The same over an earlier version, in which the server asks while the call is open.
        func callInitialized(_ tool: String, _ arguments: Object) async throws -> Value {
            _ = try await connection.request(
                "initialize", ["protocolVersion": "2025-11-25", "capabilities": ["elicitation": [:]]]
            ).value
            return try await connection.request(
                "tools/call", ["name": .string(tool), "arguments": .object(arguments)]
            ).value
        }
    }

    private func withFolder(_ body: () async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body()
    }

    @Test func `the tools are those of the workflows, by name, with the schemas of their inputs`() async throws {
        try await withFolder {
            let tools = try await Agent(folder).ask("tools/list")["tools"]?.array ?? []
            let names = ["closed", "mail", "people"].flatMap { ["plan_\($0)", "rehearse_\($0)"] }
            #expect(
                tools.map { $0["name"]?.string } == ["list_workflows"] + names + ["run_plan", "run_status"])
            let hints = Dictionary(
                uniqueKeysWithValues: tools.map { ($0["name"]?.string ?? "", $0["annotations"] ?? .null) })
            #expect(hints["plan_mail"]?["readOnlyHint"] == true && hints["plan_mail"]?["openWorldHint"] == true)
            #expect(
                hints["rehearse_mail"]?["readOnlyHint"] == true && hints["rehearse_mail"]?["openWorldHint"] == false)
            let run = hints["run_plan"]
            #expect(
                run?["readOnlyHint"] == false && run?["idempotentHint"] == true && run?["destructiveHint"] == true)
            #expect(tools[3]["inputSchema"]?["required"] == ["to"])
            #expect(tools[5]["inputSchema"]?["properties"]?["input"]?["type"] == "array")
        }
    }

    @Test func `a plan with effects runs only when it is approved, and once`() async throws {
        try await withFolder {
            let agent = try Agent(folder, ["--approve", "form"], capabilities: ["elicitation": [:]])
            let subject = "ü ‹send.id› \"%\" </script> approve plan 1"
            let planned = try await agent.call(
                "plan_mail", ["to": "megan@contoso.com", "subject": .string(subject)])
            let plan = planned["structuredContent"] ?? .null
            #expect(plan["totals"]?["mails"] == ["atLeast": 1, "atMost": 1])
            #expect(plan["approve"]?["needed"] == true && plan["complete"] == true)
            let id = plan["planId"] ?? .null

            let asked = try await agent.call("run_plan", ["planId": id])
            #expect(asked["resultType"] == "input_required")
            let form = asked["inputRequests"]?["approve"]?["params"]
            #expect(form?["message"]?.string?.contains("sends the mail 'ü") == true)
            // An answer to nothing that was asked approves nothing.
            let accepted: Value = ["approve": ["action": "accept", "content": ["approve": true]]]
            for state: Value in ["", "x", .string(String(repeating: "0", count: 64))] {
                let again = try await agent.call(
                    "run_plan", ["planId": id], ["inputResponses": accepted, "requestState": state])
                #expect(again["resultType"] == "input_required")
            }
            let state = asked["requestState"] ?? .null
            let declined: Value = ["approve": ["action": "accept", "content": ["approve": "true"]]]
            let refused = try await agent.call(
                "run_plan", ["planId": id], ["inputResponses": declined, "requestState": state])
            #expect(refused["isError"] == true && refused["structuredContent"]?["state"] == "waiting")
            // The state has served.
            let replayed = try await agent.call(
                "run_plan", ["planId": id], ["inputResponses": accepted, "requestState": state])
            #expect(replayed["resultType"] == "input_required")
            let next = replayed["requestState"] ?? .null
            let done = try await agent.call(
                "run_plan", ["planId": id], ["inputResponses": accepted, "requestState": next])
            #expect(done["structuredContent"]?["state"] == "completed", "\(done)")
            #expect(done["structuredContent"]?["output"] == ["mailed": true])
            #expect(done["structuredContent"]?["effects"]?.array?.count == 1)
            let repeated = try await agent.call("run_plan", ["planId": id])
            #expect(repeated["structuredContent"] == done["structuredContent"])
            #expect(try await agent.mailCount == 1)
            let report = try agent.server.resource(of: id.string ?? "")
            #expect(report["approvals"]?[0]?["by"] == "form")
        }
    }

    @Test func `no answer to an agent has a secret of the workflow, as it is or in base64`() async throws {
        let secret = "s3cr3t-K3y"
        try await withFolder {
            let text = """
                document: { dsl: 1.0.3, namespace: tests, name: key, version: 1.0.0 }
                use: { secrets: [key] }
                do:
                  - part: { call: createFolder, with: { name: '${ $secrets.key[0:6] }' } }
                  - send: { call: sendMail, with: { to: [megan@contoso.com], subject: '${ $secrets.key }', body: x } }
                  - again:
                      call: sendMail
                      with: { to: [megan@contoso.com], subject: '${ "a" + $secrets.key | @base64 }', body: x }
                """
            try Data(text.utf8).write(to: folder.appendingPathComponent("key.yaml"))
            let secrets = folder.appendingPathComponent("secrets.json").path
            try #require(
                FileManager.default.createFile(
                    atPath: secrets, contents: Data("{ \"key\": \"\(secret)\" }".utf8),
                    attributes: [.posixPermissions: 0o600]))
            let agent = try Agent(
                folder, ["--secrets", secrets, "--approve", "form"], capabilities: ["elicitation": [:]])
            let planned = try await agent.call("plan_key")
            let id = planned["structuredContent"]?["planId"] ?? .null
            let done = try await agent.callInitialized("run_plan", ["planId": id])
            #expect(done["structuredContent"]?["state"] == "completed", "\(done)")
            let answers = [
                planned, done, try await agent.call("rehearse_key"),
                try await agent.call("run_status", ["runId": done["structuredContent"]?["runId"] ?? .null]),
                try agent.server.resource(of: id.string ?? ""),
            ]
            for answer in answers {
                let told = answer.json()
                // A part of it that the service gave back, such as the folder's name, is the service's.
                for trace in [secret, "YXMzY3IzdC1L", "czNjcjN0LUsz"] {
                    #expect(!told.contains(trace), "\(told)")
                }
            }
            #expect(answers[2].json().contains("sent the mail '‹secrets.key›'"), "\(answers[2])")
        }
    }

    @Test func `a client of an earlier version is asked while its call is open`() async throws {
        try await withFolder {
            let agent = try Agent(folder, ["--approve", "form"], capabilities: ["elicitation": [:]])
            let id = try await agent.call("plan_mail", ["to": "megan@contoso.com"])["structuredContent"]?["planId"]
            let done = try await agent.callInitialized("run_plan", ["planId": id ?? .null])
            #expect(done["structuredContent"]?["state"] == "completed", "\(done)")
            #expect(done["resultType"] == nil)
            #expect(agent.questions.count == 1)
        }
    }

    @Test func `without a form, nothing in the protocol approves`() async throws {
        try await withFolder {
            let agent = try Agent(folder, capabilities: ["elicitation": [:]])
            let id = try await agent.call("plan_mail", ["to": "megan@contoso.com"])["structuredContent"]?["planId"]
            let accepted: Value = ["approve": ["action": "accept", "content": ["approve": true]]]
            let refused = try await agent.call(
                "run_plan", ["planId": id ?? .null], ["inputResponses": accepted, "requestState": "x"])
            #expect(refused["isError"] == true)
            let next = refused["structuredContent"]?["next"]?.string ?? ""
            #expect(next.contains("graphflow approve \(id?.string ?? "?")"))
            for id: Value in [
                "../../x", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "", .string(String(repeating: "ü", count: 10_000)),
            ] {
                let unknown = try await agent.call("run_plan", ["planId": id])
                #expect(unknown["isError"] == true)
                #expect(try await agent.call("run_status", ["runId": id])["isError"] == true)
            }
            #expect(try await agent.mailCount == 0)
        }
    }

    @Test func `a plan that only reads needs no approval, and its run is kept`() async throws {
        try await withFolder {
            let agent = try Agent(folder)
            let plan = try await agent.call("plan_people", ["input": ["a"]])["structuredContent"]
            #expect(plan?["effects"] == [] && plan?["approve"]?["needed"] == false)
            let id = plan?["planId"] ?? .null
            let done = try await agent.call("run_plan", ["planId": id])["structuredContent"]
            #expect(done?["state"] == "completed" && done?["output"]?.array?.count == 3, "\(done ?? .null)")
            #expect(try await agent.call("run_status", ["runId": id])["structuredContent"] == done)
            let invalid = try await agent.call("plan_people", ["input": "a"])
            #expect(invalid["isError"] == true)
        }
    }

    @Test(arguments: [
        (["--max-mails", "0"], "--max-mails"), (["--only", "file,link"], "--only"),
        (["--internal-only"], "--internal-only"),
    ])
    func `a plan beyond the bounds is refused with the reason`(_ options: [String], _ word: String) async throws {
        try await withFolder {
            let refused = try await Agent(folder, options).call("plan_mail", ["to": "someone@fabrikam.com"])
            #expect(refused["isError"] == true && refused["structuredContent"]?["planId"] == nil)
            let reason = refused["structuredContent"]?["error"]?["detail"]?.string ?? ""
            #expect(reason.contains(word), "\(reason)")
            let allowed = ["--max-mails", "1", "--no-deletes", "--only", "mail"]
            let planned = try await Agent(folder, allowed).call("plan_mail", ["to": "megan@contoso.com"])
            #expect(planned["structuredContent"]?["planId"] != nil)
        }
    }

    @Test func `a rehearsal starts no program, asks no other service, and does not wait`() async throws {
        try await withFolder {
            let result = try await Agent(folder).call("rehearse_closed")["structuredContent"]
            #expect(result?["state"] == "completed", "\(result ?? .null)")
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("here").path))
            let mailed = try await Agent(folder).call("rehearse_mail", ["to": "megan@contoso.com"])
            #expect(mailed["structuredContent"]?["effects"]?[0]?["kind"] == "mail")
        }
    }

    @Test func `two workflows of one name, and a form with approvers, are refused at the start`() async throws {
        try await withFolder {
            try Data(Self.mail.utf8).write(to: folder.appendingPathComponent("other.yaml"))
            #expect(await TestConsole().run("mcp", folder.path) == 2)
            let form = ["mcp", folder.path, "--approve", "form", "--approvers", "megan@contoso.com"]
            #expect(await TestConsole().run(form) == 64)
            #expect(await TestConsole().run("mcp", folder.path, "--http", "0.0.0.0:0") == 64)
        }
    }

    @Test(arguments: ClientConfiguration.allCases)
    func `a configuration has the whole paths of files`(_ client: ClientConfiguration) async throws {
        let console = TestConsole()
        let arguments = ["mcp", "workflows", "--secrets", "s.json", "--sandbox", "--print-config", client.rawValue]
        #expect(await console.run(arguments) == 0)
        let here = FileManager.default.currentDirectoryPath
        for word in ["\"mcp\"", "\"\(here)/workflows\"", "\"--secrets=\(here)/s.json\"", "\"--sandbox\""] {
            #expect(console.standardOutput.contains(word), "\(console.standardOutput)")
        }
        #expect(!console.standardOutput.contains("print-config"))
    }
}
