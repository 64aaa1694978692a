import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl.md, "Catalogs" and "Using a Custom Function": functions at addresses and in catalogs.
@Suite struct ExternalFunctionTests: ResourceSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let greet = """
        input: { schema: { document: { type: object, required: [name], properties: { name: { type: string } } } } }
        output: { schema: { document: { type: string } }, as: .text }
        set: { text: "${ \\"Hello \\" + .name }" }
        """

    private static let twice = """
        - a: { call: 'https://functions.contoso.com/greet.yaml', with: { name: Ada } }
        - b: { call: 'https://functions.contoso.com/greet.yaml', with: { name: '${ . }' } }
        """

    @Test func `a function at an address is read once in a run, without credentials of Microsoft Graph`() async throws {
        let transport = ScriptedTransport(.json(Self.greet))
        let output = try await CallFixture(transport).runner.run(workflow(Self.twice)).value
        #expect(output == "Hello Hello Ada")
        #expect(transport.requests.map(\.url.absoluteString) == ["https://functions.contoso.com/greet.yaml"])
        #expect(transport.requests.first?.headers["Authorization"] == nil)
    }

    @Test(arguments: [
        ("https://github.com/o/r/blob/main/a/b.yaml", "https://raw.githubusercontent.com/o/r/main/a/b.yaml"),
        ("https://github.com/o/r/tree/v1/a/b.yaml", "https://raw.githubusercontent.com/o/r/v1/a/b.yaml"),
        ("https://gitlab.com/g/h/p/-/blob/main/b.yaml", "https://gitlab.com/g/h/p/-/raw/main/b.yaml"),
        ("https://contoso.com/blob/main/b.yaml", "https://contoso.com/blob/main/b.yaml"),
    ])
    func `a page of GitHub or GitLab stands for its raw file`(page: String, file: String) async throws {
        let transport = ScriptedTransport(.json("set: { n: 1 }"))
        let output = try await CallFixture(transport).runner.run(workflow("- a: { call: '\(page)' }")).value
        #expect(output == ["n": 1])
        #expect(transport.requests.map(\.url.absoluteString) == [file])
    }

    @Test(arguments: [
        ("https://github.com/o/r", "https://raw.githubusercontent.com/o/r/HEAD/"),
        ("https://github.com/o/r/tree/main", "https://raw.githubusercontent.com/o/r/main/"),
        ("https://gitlab.com/g/p", "https://gitlab.com/g/p/-/raw/HEAD/"),
        ("https://functions.contoso.com/all/", "https://functions.contoso.com/all/"),
    ])
    func `a catalog has its functions under functions, their names and versions`(
        endpoint: String, root: String
    ) async throws {
        let transport = ScriptedTransport(.json(Self.greet))
        let rest = """
            use:
              secrets: [token]
              catalogs:
                own: { endpoint: { uri: '\(endpoint)', authentication: { bearer: { token: '${ $secrets.token }' } } } }
            """
        let output = try await signed("- a: { call: 'greet:1.2.0@own', with: { name: Ada } }", rest: rest, transport)
        #expect(output == "Hello Ada")
        #expect(transport.requests.map(\.url.absoluteString) == [root + "functions/greet/1.2.0/function.yaml"])
        #expect(transport.requests.first?.headers["Authorization"] == "Bearer t0p-secret")
    }

    @Test(arguments: ["file://catalog", "catalog"])
    func `a catalog can be a folder beside the workflow, whose functions use that of graphflow`(
        endpoint: String
    ) async throws {
        try folder.write("catalog/functions/who/1.0.0/function.yaml", "call: me\noutput: { as: .displayName }")
        let workflow = try workflow(
            "- a: { call: 'who:1.0.0@own' }", rest: "use: { catalogs: { own: { endpoint: '\(endpoint)' } } }")
        #expect(workflow.validate().map(\.message) == [])
        #expect(try await Runner.testing().run(workflow).value == "Megan Bowen")
        #expect(try await Runner.testing().plan(workflow).value.files.keys.contains { $0.hasSuffix("function.yaml") })
    }

    @Test func `arguments and the result are checked by the function's own schemas`() async throws {
        for (function, with) in [
            (Self.greet, "{ name: 1 }"), ("output: { schema: { document: false } }\nset: { a: 1 }", "{}"),
        ] {
            try folder.write("greet.yaml", function)
            let error = await #expect(throws: WorkflowError.self) {
                try await Runner.testing().run(workflow("- a: { call: 'file://greet.yaml', with: \(with) }")).value
            }
            #expect(error?.is(.validation) == true)
            #expect(error?.instance == "/do/0/a")
        }
    }

    @Test func `a function sees nothing of its caller but its arguments`() async throws {
        try folder.write(
            "look.yaml", "set: { context: '${ $context }', input: '${ . }', whole: '${ $workflow.input }' }")
        let output = try await Runner.testing().run(
            workflow(
                "- a: { set: { n: 1 }, export: { as: { hidden: true } } }\n- b: { call: 'file://look.yaml', with: { x: 1 } }"
            ),
            input: ["secret": 1]
        ).value
        #expect(output["input"] == ["x": 1])
        #expect(output["whole"] == ["x": 1])
        #expect(output["context"]?["hidden"] == nil)
    }

    @Test(arguments: [
        ("call: me", "there is no function 'me'"),
        ("run: { shell: { command: id } }", "starts programs"),
        ("run: { workflow: { namespace: tests, name: test, version: 1.0.0 } }", "cannot be used"),
        ("set: { a: '${ .b' }", "cannot be used"), ("[]", "must be an object with a task"),
        ("call: openapi\nwith: { document: { endpoint: 'file://a.json' }, operationId: a }", "cannot be used"),
    ])
    func `a function of the network reaches neither Microsoft Graph nor files, and is refused otherwise`(
        function: String, reason: String
    ) async throws {
        try folder.write("a.json", "{}")
        let transport = ScriptedTransport(.json(function))
        let error = await #expect(throws: WorkflowError.self) {
            try await CallFixture(transport).runner.run(workflow("- a: { call: 'https://contoso.com/f.yaml' }")).value
        }
        #expect(error?.detail?.contains(reason) == true, "\(String(describing: error))")
        #expect(transport.requests.count == 1)
    }

    @Test(
        arguments: [
            ("own: { endpoint: 'https://contoso.com' }", "me", []),
            ("own: { endpoint: 'https://contoso.com' }", "a:1.0.0@other", ["unknown-reference"]),
            ("own: { endpoint: 'https://contoso.com' }", "a@own", ["function-version"]),
            ("own: { endpoint: 'https://contoso.com' }", "../a:1.0.0@own", ["function-version"]),
            ("own: { endpoint: 'catalog' }", "a:1.0.0@own", ["missing-file"]),
            ("own: {}", "me", ["missing-property"]),
            ("default: { endpoint: 'https://contoso.com' }", "me", ["reserved-name"]),
        ] as [(String, String, [String])])
    func `a catalog that nothing calls is fine, and a function that cannot be found is a finding`(
        catalog: String, call: String, ids: [String]
    ) throws {
        let found = try findings("- a: { call: '\(call)' }", rest: "use: { catalogs: { \(catalog) } }")
        #expect(found.map { String($0.prefix { $0 != ":" }) } == ids, "\(found)")
    }

    @Test func `a plan that reads nothing is not complete, and one that reads pins the function by its digest`()
        async throws
    {
        let transport = ScriptedTransport(
            Array(repeating: .json(Self.greet), count: 4) + [.json("set: { text: Goodbye }")])
        let runner = CallFixture(transport).runner
        let workflow = try workflow("- a: { call: 'https://functions.contoso.com/greet.yaml', with: { name: Ada } }")
        let dry = try await runner.plan(workflow).value
        #expect(!dry.isComplete)
        #expect(transport.requests.isEmpty)
        let plan = try await runner.plan(workflow, mode: .read).value
        #expect(plan.output == "Hello Ada")
        #expect(plan.files.keys.contains("https://functions.contoso.com/greet.yaml"))
        let approved = try ApprovedPlan(ApprovedPlan(plan).value)
        // A run of an approved plan makes the plan anew before it begins.
        #expect(try await runner.run(workflow, as: approved).value == "Hello Ada")
        await #expect(throws: (any Error).self) { try await runner.run(workflow, as: approved).value }
    }

    @Test func `a function beside the workflow can call others and itself, and its permissions are the workflow's`()
        async throws
    {
        try folder.write("self.yaml", "do: [ { again: { call: 'file://self.yaml' } } ]")
        let endless = try workflow("- a: { call: 'file://self.yaml' }")
        #expect(endless.validate().map(\.message) == [])
        #expect(endless.neededScopes() == [])
        var runner = Runner.testing()
        runner.mostRecursiveRuns = 1_000
        let run = runner.run(endless)
        let error = await #expect(throws: WorkflowError.self) { try await run.value }
        #expect(error?.detail?.contains("endlessly") == true || error?.detail?.contains("ran itself") == true)
        try folder.write("who.yaml", "do: [ { who: { call: me } } ]")
        #expect(try workflow("- a: { call: 'file://who.yaml' }").neededScopes() == ["User.Read"])
    }

    @Test func `a run is resumed with the function that it began with, or not at all`() async throws {
        let function = "do: [ { first: { set: { n: 1 } } }, { second: { set: { n: 2 } } } ]"
        try folder.write("f.yaml", function)
        let workflow = try workflow("- a: { call: 'file://f.yaml' }")
        let process = CrashingRun(endingWith: { event in
            if case .taskCompleted(let task, _, _, _) = event.kind { task.tokens.last == "first" } else { false }
        })
        #expect(try await process.run(workflow, input: [:], by: Runner.testing(), blobs: BlobStore()) == nil)
        let resumed = try await CrashingRun(events: process.events).resume(
            workflow, input: [:], by: Runner.testing(), blobs: BlobStore())
        #expect(resumed == ["n": 2])
        try folder.write("f.yaml", function + " ")
        let error = await #expect(throws: WorkflowError.self) {
            try await CrashingRun(events: process.events).resume(
                workflow, input: [:], by: Runner.testing(), blobs: BlobStore())
        }
        #expect(error?.detail?.contains("has changed since the run began") == true)
    }
}
