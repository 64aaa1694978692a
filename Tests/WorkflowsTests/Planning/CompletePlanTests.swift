import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// A plan leaves nothing out: every request, program and permission of a run is in it.
@Suite struct CompletePlanTests {
    /// A service with random answers beside the sandbox.
    private struct RandomAnswers: HTTPTransport {
        let sandbox: any HTTPTransport
        let random: Locked<(generator: SeededGenerator, agains: Int)>

        init(_ sandbox: Sandbox, seed: UInt64) {
            self.sandbox = sandbox.transport
            random = Locked((SeededGenerator(seed: seed), 0))
        }

        func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
            guard request.url.host() == "api.contoso.com" else {
                guard operation.name != "http" else { return .value(HTTPResponse(status: 404)) }
                return sandbox.send(request, for: operation)
            }
            let isAgain = request.url.path().hasSuffix("again")
            let value = random.withLock { random -> Value in
                if isAgain {
                    random.agains += 1
                    return .bool(random.agains < 4 && Bool.random(using: &random.generator))
                }
                return Self.data(&random.generator)
            }
            return .value(
                HTTPResponse(
                    status: 200, headers: ["Content-Type": "application/json"], body: value.jsonData()))
        }

        private static func data(_ random: inout SeededGenerator) -> Value {
            func pick(_ all: [Value]) -> Value { all.randomElement(using: &random) ?? .null }
            let large = Value.string(String(repeating: "large ", count: 55_000))
            return [
                "text": pick(["a", "b c/ü", "", .null, 3, "greet.yaml", "AAAA", pick(["b", "b", "b", "b", large])]),
                "user": pick(["megan@contoso.com", "alexw@contoso.com", .null, "nobody"]),
                "number": pick([0, 1, 5, 48, "x", .null]), "flag": pick([true, false, .null]),
                "list": pick([[], ["a"], ["megan@contoso.com", "alexw@contoso.com"], [1, 2, 3], "x", .null]),
                "object": pick([["q": "x"], [:], ["a": ["b"]], .null]),
                "path": pick(["x/y.txt", "z.txt", "greet.yaml", "https://api.contoso.com/other"]),
                "operation": pick(["getPet", "putPet", "addPets", "findPets", "addNote", "none", .null]),
                "parameters": pick([
                    ["id": 1, "tag": ["x", "y"]], ["ID": "a/b", "name": "Rex"], ["id": 2, "body": "b"], ["a": [1, 2]],
                    ["csv": ["x", 1], "filter": ["a": "b"], "session": "s"], ["body": ["a": "b"]],
                    [:], .null,
                ]),
                "choice": pick(["replace", "fail", "draft", "direct", "high", "edit", "view", "get", "put", .null]),
            ]
        }
    }

    private static let batch: UInt64 = 125

    /// A folder with the files that the workflows name.
    private static func makeFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(
            "greet.yaml", Data(contentsOf: SampleWorkflow.folder.appending(path: "run-workflow-greet.yaml")))
        try folder.write("pets.json", OpenAPIPlanTests.document)
        try folder.write("hello.py", "print('hello')")
        return folder
    }

    /// Plans and runs a workflow.
    /// - Returns: The number of requests and programs of the run.
    private static func check(seed: UInt64, in folder: TemporaryFolder) async throws -> Int {
        var generator = WorkflowGenerator(seed: seed &+ 1_000_000)
        let text = generator.workflowOfUnknowns()
        let workflow = try Workflow(text: text, folder: folder.url)
        let transport = RecordingTransport(RandomAnswers(Sandbox(), seed: seed))
        let programs = Locked<[(task: JSONPointer, occurrence: String)]>([])
        let recorder = Recorder { event in
            guard case .callStarted(let task, _) = event.kind, workflow.document.value[task]?["run"] != nil else {
                return
            }
            programs.withLock { $0.append((task, event.occurrence)) }
        }
        let clock = SkippingClock()
        var graph = GraphClient(
            credential: .fixed(AccessToken("sandbox")), baseURL: Sandbox.baseURL, transport: transport, clock: clock)
        graph.largestPut = 320 << 10
        var runner = Runner(graph: graph, clock: clock)
        runner.random = { 0.5 }
        runner.secrets = .values(["key": SecretValue("s3cr3t"), "login": SecretValue(["user": "megan"])])
        runner.catalog.register("notify", permissions: Permissions(delegated: ["Chat.Create"]), effect: .once) {
            with, context in
            // What it sends depends on what it gets.
            guard with["to"]?.string?.isEmpty != true else { return .value("nothing") }
            return context.graph.users(startsWith: "A").map { .integer($0.count) }
        }
        let plan: Plan?
        do { plan = try await runner.plan(workflow, input: ["n": 1]).value } catch { plan = nil }
        var live = runner
        live.recorders = [recorder]
        // A complete plan allows its run, with all bodies; the requests of any other are only looked for.
        let approval = plan.flatMap { $0.isComplete ? Approval($0) : nil }
        if let approval {
            live.world = LiveWorld(approval: approval)
            live.graph.transport = ApprovingTransport(approval, over: transport)
        }
        let output = try? await live.run(workflow, input: ["n": 1]).value
        #expect(approval?.deviation == nil, "\(approval?.deviation?.difference ?? ""): seed \(seed): \(text)")
        let started = programs.withLock { $0 }
        guard let plan else {
            #expect(output == nil, "the plan fails and the run does not: seed \(seed): \(text)")
            return 0
        }
        let missing = PlanMatcher.missing(transport.records, started, in: plan)
        #expect(missing.isEmpty, "seed \(seed): \(text)\nmissing: \(missing.joined(separator: "\n"))")
        return transport.records.count + started.count
    }

    @Test(arguments: 0..<Extent.of(16, or: 1) as Range<UInt64>)
    func `every request, program and permission of a run is in its plan`(batch: UInt64) async throws {
        let folder = try Self.makeFolder()
        var count = 0
        for seed in batch * Self.batch..<(batch + 1) * Self.batch {
            count += try await Self.check(seed: seed, in: folder)
        }
        #expect(count > 50)
    }

    private func plan(_ tasks: String) async throws -> Plan {
        try await Runner.testing().plan(Workflow(tasks: tasks)).value
    }

    @Test func `an upload of a file is planned with its content`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("inhält".utf8).write(to: folder.appending(path: "ä b.txt"))
        let file = folder.appending(path: "workflow.yaml")
        try Data(
            """
            document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
            do:
              - put: { call: upload, with: { path: a.txt, content: { file: 'ä b.txt' } } }
            """.utf8
        ).write(to: file)
        let plan = try await Runner.testing().plan(Workflow(contentsOf: file)).value
        let request = try #require(plan.requests.first)
        #expect(request.request.method == "PUT")
        guard case .text? = request.body else { throw Unplanned() }
        #expect(request.value["body"]?["text"] == "inhält")
    }

    private struct Unplanned: Error {}

    @Test func `an upload of a file that a program names is planned in both ways`() async throws {
        let plan = try await plan(
            """
            - list: { run: { shell: { command: ls } }, output: { as: '${ split("\\n") }' } }
            - each:
                for: { each: file, in: '${ . }' }
                do: [ { put: { call: upload, with: { path: '${ $file }', content: { file: '${ $file }' } } } } ]
            """)
        #expect(plan.requests.map(\.request.method) == ["PUT", "POST", "PUT"])
        #expect(plan.requests.map(\.operation.occurrence) == ["for:*", "for:*", "for:*"])
        #expect(
            plan.requests.map(\.condition) == [
                "if the content has at most 10 MiB", "if the content has more than 10 MiB",
                "if the content has more than 10 MiB and for each 10 MiB of it",
            ])
        #expect(plan.summary.delegatedPermissions.map(\.permission) == ["Files.ReadWrite"])
        #expect(plan.isComplete)
    }

    @Test func `what differs between the rounds of a loop is unknown`() async throws {
        let plan = try await plan(
            """
            - find: { call: users, with: { startsWith: A } }
            - start: { set: { at: first, same: yes } }
            - each:
                for: { in: '${ $context.none // ["x"] | map(select($workflow.id != .)) }' }
                while: '${ $workflow.id != .at }'
                do:
                  - put: { call: upload, with: { path: 'x/${ .at }.txt', content: '${ .same }' } }
                  - next: { set: { at: next, same: yes } }
            """)
        #expect(plan.requests.map(\.address).contains { $0.contains("/x/‹each.at›.txt") })
    }

    @Test func `a call of which nothing can be planned is in the plan, which is not complete`() async throws {
        let runner = Runner.testing { catalog in
            catalog.register("notify", permissions: Permissions(delegated: ["Chat.Create"])) { with, _ in
                guard with["number"]?.integer != nil else { throw FunctionError("needs a number", at: .root) }
                return .value("done")
            }
        }
        let plan = try await runner.plan(
            Workflow(
                tasks: """
                    - ask: { call: http, with: { method: get, endpoint: https://api.contoso.com/x } }
                    - tell: { call: notify, with: { number: '${ .number }' } }
                    """)
        ).value
        #expect(plan.requests.map(\.operation.name) == ["http", "notify"])
        #expect(plan.summary.delegatedPermissions.map(\.permission) == ["Chat.Create"])
        #expect(plan.effects.map(\.isOnce) == [true])
        #expect(!plan.isComplete)
        #expect(plan.value["complete"] == false)
        #expect(plan.value["gaps"]?.array?.count == 1)
    }

    @Test func `the output of a function in Swift is unknown in a plan`() async throws {
        let runner = Runner.testing { catalog in
            catalog.register("shout", output: ["type": "string"], effect: .read) { with, _ in
                .value(.string((with["text"]?.string ?? "").uppercased()))
            }
        }
        let workflow = try Workflow(tasks: "- a: { call: shout, with: { text: '${ $workflow.id }' } }")
        let output = try await runner.plan(workflow).value.markedOutput
        #expect(output.unknown?.shape == .text)
    }

    @Test func `a jump back plans what differs as unknown`() async throws {
        let plan = try await plan(
            """
            - first: { set: { at: one } }
            - put: { call: upload, with: { path: '${ .at }.txt', content: x }, output: { as: '${ { at: .name } }' } }
            - turn: { switch: [ { more: { when: '.at != "x"', then: put } } ] }
            """)
        #expect(plan.requests.map(\.address).first?.contains("‹put.at›.txt") == true)
        #expect(plan.requests.first?.operation.occurrence == "jump:*")
    }
}
