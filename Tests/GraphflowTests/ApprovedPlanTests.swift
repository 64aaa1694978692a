import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// `--plan-out` and `--plan`: only what was approved happens.
@Suite struct ApprovedPlanTests {
    /// A copy of the samples, the plan of one of them, and a sandbox in its own process.
    private struct Fixture {
        let folder: URL
        let address: String
        let sandbox: GraphflowProcess

        init() async throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("approved-\(UUID().uuidString)")
            try FileManager.default.copyItem(at: SampleWorkflow.folder, to: folder)
            sandbox = try GraphflowProcess(["sandbox"])
            address = try await sandbox.firstLine()
        }

        var workflow: String { folder.appendingPathComponent("share-profile-photo.yaml").path }
        var plan: String { folder.appendingPathComponent("plan.json").path }

        func run(_ arguments: String..., base: String? = nil) async -> (status: Int32, error: String) {
            let console = TestConsole(environment: [
                "GRAPHFLOW_GRAPH_URL": base ?? address, "GRAPHFLOW_ACCESS_TOKEN": "x",
            ])
            let status = await console.run(["run", workflow] + arguments)
            return (status, console.standardError)
        }

        func change(_ name: String, _ change: (String) -> String) throws {
            let file = folder.appendingPathComponent(name)
            try Data(change(try String(contentsOf: file, encoding: .utf8)).utf8).write(to: file)
        }

        /// The paths of the requests to the sandbox.
        func requests() async throws -> Int {
            let base = try #require(URL(string: address.replacing("/v1.0", with: "/sandbox")))
            let client = SandboxClient(transport: NetworkTransport(clock: .patient), base: base)
            return try await client.get("/requests").array?.count ?? -1
        }

        func end() {
            sandbox.send(SIGTERM)
            try? FileManager.default.removeItem(at: folder)
        }
    }

    @Test func `an approved plan may have an event, a folder and a member that only its run knows`() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "office.yaml",
            """
            document: { dsl: 1.0.3, namespace: tests, name: office, version: 1.0.0 }
            do:
              - who: { call: me, export: { as: . } }
              - find: { call: groups, output: { as: '.[0].id' } }
              - join: { call: addToGroup, with: { group: '${ . }', user: '${ $context.userPrincipalName }' } }
              - folder: { call: createFolder, with: { name: Plans }, output: { as: .folder } }
              - event:
                  call: createEvent
                  with:
                    subject: 'For ${ $context.displayName }, ${ .childCount }'
                    start: '${ "2026-12-01T12:00" }'
                    end: '2026-12-01T13:00'
                    attendees: '${ [$context.email] }'
                    body: '${ $context.id }'
              - now:
                  call: createEvent
                  with:
                    subject: Now
                    start: '${ $workflow.startedAt.iso8601 }'
                    end: '${ $workflow.startedAt.iso8601 }'
                    timeZone: Europe/Paris
            """)
        let (workflow, plan) = (
            folder.url.appending(path: "office.yaml").path(), folder.url.appending(path: "plan.json").path()
        )
        let console = TestConsole()
        #expect(await console.run("run", workflow, "--dry-run", "--plan-out", plan) == 0)
        let status = await console.run("run", workflow, "--plan", plan, "--sandbox", "--no-journal")
        #expect(status == 0, "\(console.standardError)")
    }

    @Test(arguments: ["--dry-run", "--dry-run=read"])
    func `an approved plan is run with its input`(_ mode: String) async throws {
        let fixture = try await Fixture()
        defer { fixture.end() }
        #expect(await fixture.run("-p", "to=adelev@contoso.com", mode, "--plan-out", fixture.plan).status == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: fixture.plan)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(await fixture.run("--plan", fixture.plan).status == 0)
    }

    @Test(arguments: [
        "‹x›", "‹sendMail.messageId›", "›‹ ü 100 % \"'\\", "", "👩‍👩‍👧‍👦\u{202E}", String(repeating: "x‹", count: 5_000),
    ])
    func `an input with any characters is read back and runs as planned`(text: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "greet.yaml",
            """
            document: { dsl: 1.0.3, namespace: tests, name: greet, version: 1.0.0 }
            do: [ { mail: { call: sendMail, with: { to: a@contoso.com, subject: s, body: "a${ .text }" } } } ]
            """)
        try Value.object(["text": .string(text)]).jsonData().write(to: folder.url.appending(path: "input.json"))
        func path(_ name: String) -> String { folder.url.appending(path: name).path() }
        let (file, plan, input) = (path("greet.yaml"), path("plan.json"), "@\(path("input.json"))")
        let console = TestConsole()
        #expect(
            await console.run("run", file, "--sandbox", "--dry-run=read", "--plan-out", plan, "--input", input) == 0)
        #expect(await console.run("show", plan) == 0)
        #expect(await console.run("run", file, "--sandbox", "--plan", plan) == 0, "\(console.standardError)")
    }

    @Test func `what differs is said, and nothing is sent`() async throws {
        let fixture = try await Fixture()
        defer { fixture.end() }
        #expect(await fixture.run("-p", "to=adelev@contoso.com", "--dry-run", "--plan-out", fixture.plan).status == 0)
        func refused(_ words: String, _ arguments: String..., base: String? = nil) async {
            let console = TestConsole(environment: [
                "GRAPHFLOW_GRAPH_URL": base ?? fixture.address, "GRAPHFLOW_ACCESS_TOKEN": "x",
            ])
            let status = await console.run(["run", fixture.workflow, "--plan", fixture.plan] + arguments)
            #expect(status == 2, "\(words)")
            #expect(console.standardError.contains(words), "\(console.standardError)")
        }
        await refused(
            #"the input, to is "megan@contoso.com", and "adelev@contoso.com""#, "-p", "to=megan@contoso.com")
        await refused(
            "task 4.1 'upload', steps[0], url is", base: fixture.address.replacing("/v1.0", with: "/beta"))
        let template = try String(
            contentsOf: fixture.folder.appendingPathComponent("email-body.html"), encoding: .utf8)
        try fixture.change("email-body.html") { $0.replacing("Hello", with: "Hi") }
        await refused("'email-body.html' was changed")
        try fixture.change("email-body.html") { _ in template }
        try fixture.change("share-profile-photo.yaml") { $0 + "# looks harmless\n" }
        await refused("the workflow file was changed")
        #expect(try await fixture.requests() == 0)
    }

    @Test func `a plan that was changed is none`() async throws {
        let fixture = try await Fixture()
        defer { fixture.end() }
        #expect(await fixture.run("-p", "to=adelev@contoso.com", "--dry-run", "--plan-out", fixture.plan).status == 0)
        try fixture.change("plan.json") { $0.replacing("adelev@", with: "mallory@") }
        let changed = await fixture.run("--plan", fixture.plan)
        #expect(changed.status == 2)
        #expect(changed.error.contains("the plan was changed"))
        try fixture.change("plan.json") { _ in "{}" }
        let other = await fixture.run("--plan", fixture.plan)
        #expect(other.status == 2)
        #expect(other.error.contains("the file is not a plan"))
    }

    @Test func `options that do not go together are refused`() async throws {
        let console = TestConsole()
        #expect(await console.run("run", "a.yaml", "--plan-out", "b") == 64)
        #expect(await console.run("run", "a.yaml", "--dry-run", "--plan", "b") == 64)
    }
}
