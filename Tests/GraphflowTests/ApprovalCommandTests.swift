import Foundation
import Promises
import TestSupport
import Testing
import WorkflowHTTP
import Workflows

@testable import graphflow

/// Approvals on the command line, with the people of a sandbox over its socket.
@Suite struct ApprovalCommandTests {
    let folder: URL
    let home = FileManager.default.temporaryDirectory.appendingPathComponent("home-\(UUID().uuidString)")

    private static let mail = """
        document: { dsl: 1.0.3, namespace: tests, name: mail, version: 1.0.0 }
        do:
          - send: { call: sendMail, with: { to: [megan@contoso.com], subject: Hello, body: { content: hello } } }
        """
    private static let ask = """
        document: { dsl: 1.0.3, namespace: tests, name: ask, version: 1.0.0 }
        do:
          - attempt:
              try:
                - ask:
                    call: approval
                    with:
                      approvers: [adelev@contoso.com]
                      text: 'Mail ‹everyone› at "100 %"?'
                      data: { people: ['ü@contoso.com', null, ''] }
                      expires: PT1H
                - send: { call: sendMail, with: { to: [megan@contoso.com], subject: "${ .note }", body: { content: hi } } }
              catch:
                errors: { with: { status: 403 } }
                as: error
                do: [ { no: { set: { rejected: "${ $error.detail }" } } } ]
        """

    init() throws {
        folder = home.appendingPathComponent("workflows")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in [("mail.yaml", Self.mail), ("ask.yaml", Self.ask)] {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
    }

    /// A sandbox in which everybody who signs in is one person, and the environment of a robot that runs things.
    func withSandbox(
        faults: [Sandbox.Fault] = [], _ body: (Sandbox, [String: String]) async throws -> Void
    ) async throws {
        let sandbox = Sandbox(faults: faults)
        sandbox.signInRules.person = .approving("adelev@contoso.com")
        let server = SandboxServer(sandbox)
        let origin = "http://127.0.0.1:\(try server.start())"
        defer {
            server.stop()
            try? FileManager.default.removeItem(at: home)
        }
        let claims: Value = [
            "oid": "11111111-2222-3333-4444-555555555555",
            "scp": "Mail.Send Mail.ReadWrite Files.ReadWrite User.ReadWrite.All",
        ]
        let token = ["e30", Base64URL.encode(claims.jsonData()), "c2ln"].joined(separator: ".")
        try await body(
            sandbox,
            [
                "AZURE_AUTHORITY_HOST": origin, "GRAPHFLOW_GRAPH_URL": "\(origin)/v1.0",
                "GRAPHFLOW_HOME": home.appendingPathComponent("state").path,
                "AZURE_TENANT_ID": Sandbox.tenantID, "GRAPHFLOW_APPROVAL_CLIENT_ID": Sandbox.applicationID,
                "GRAPHFLOW_ACCESS_TOKEN": token, "PATH": "/usr/local/bin:/usr/bin:/bin",
                "BROWSER": "curl -s -L -o /dev/null",
            ])
    }

    func run(_ arguments: [String], _ environment: [String: String]) async -> (status: Int32, TestConsole) {
        let console = TestConsole(environment: environment)
        return (await console.run(arguments), console)
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    static let demand = ["--require-approval", "--approvers", "adelev@contoso.com"]

    @Test func `a plan is approved by another person, and serves one run`() async throws {
        try await withSandbox { sandbox, environment async throws in
            let (file, plan, approval) = (path("mail.yaml"), path("plan.json"), path("plan.approval.json"))
            #expect(await run(["run", file, "--dry-run=read", "--plan-out", plan], environment).status == 0)
            let approve = ["approve", plan, "--yes", "--note", "ü ‹› \"%\" 😀"]
            let approved = await run(approve, environment)
            #expect(approved.status == 0, "\(approved.1.standardError)")
            #expect(approved.1.standardError.contains("sends the mail 'Hello' to megan@contoso.com"))
            let attributes = try FileManager.default.attributesOfItem(atPath: approval)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let value = try DataFile.read(approval)
            #expect(Set(value.object?.keys ?? []) == ["plan", "expires", "note", "idToken", "key"])
            #expect(value["plan"]?.string == SHA256.hex(of: Data(try DataFile.read(plan).canonicalJSON)))
            #expect(await run(approve, environment).status == 64)
            #expect(!FileManager.default.fileExists(atPath: home.appendingPathComponent("state/identity").path))

            let planned = ["run", file, "--plan", plan] + Self.demand
            let without = await run(planned, environment)
            #expect(without.status == 2)
            #expect(without.1.standardError.contains("there is none"))
            #expect(await run(["run", file] + Self.demand, environment).status == 2)
            #expect(await run(["run", file, "--require-approval"], environment).status == 64)
            let other = ["run", file, "--plan", plan, "--require-approval", "--approvers", "megan@contoso.com"]
            #expect(await run(other + ["--approval", approval], environment).status == 2)
            #expect(sandbox.outbox.isEmpty)

            // A refusal does not use it up.
            let done = await run(planned + ["--approval", approval], environment)
            #expect(done.status == 0, "\(done.1.standardError)")
            #expect(sandbox.outbox.count == 1)
            let again = await run(planned + ["--approval", approval], environment)
            #expect(again.status == 2)
            #expect(again.1.standardError.contains("it was used by the run"), "\(again.1.standardError)")
            #expect(sandbox.outbox.count == 1)

            let shown = await run(["show", "last"], environment)
            #expect(shown.1.standardOutput.contains("approved by adelev@contoso.com"), "\(shown.1.standardOutput)")
            let json = try Value(json: await run(["show", "last", "--json"], environment).1.standardOutput)
            #expect(json["approvals"]?[0]?["note"]?.string == "ü ‹› \"%\" 😀")
            let listed = await run(["runs", "--approved-by", "AdeleV@contoso.com", "--json"], environment)
            #expect(try Value(json: listed.1.standardOutput).array?.count == 1)
            let evidence = path("evidence")
            #expect(await run(["show", "last", "--evidence", evidence], environment).status == 0)
            #expect(try DataFile.read("\(evidence)/approval-1.json") == value)
            #expect(try DataFile.read("\(evidence)/plan.json") == (try DataFile.read(plan)))
        }
    }

    @Test func `the person who planned or runs it cannot approve it, unless that is allowed`() async throws {
        try await withSandbox { sandbox, environment async throws in
            let (file, plan, approval) = (path("mail.yaml"), path("plan.json"), path("plan.approval.json"))
            var own = environment
            let user = await run(["get", "/users/adelev@contoso.com", "--query", ".id"], environment)
            let claims: Value = [
                "oid": try Value(json: user.1.standardOutput), "scp": "Mail.Send Mail.ReadWrite",
            ]
            own["GRAPHFLOW_ACCESS_TOKEN"] = ["e30", Base64URL.encode(claims.jsonData()), "c2ln"].joined(separator: ".")
            #expect(await run(["run", file, "--dry-run=read", "--plan-out", plan], environment).status == 0)
            #expect(await run(["approve", plan, "--yes"], environment).status == 0)
            let planned = ["run", file, "--plan", plan, "--approval", approval] + Self.demand
            let refused = await run(planned, own)
            #expect(refused.status == 2)
            #expect(refused.1.standardError.contains("the person who runs it"), "\(refused.1.standardError)")
            own["GRAPHFLOW_ACCESS_TOKEN"] = "opaque"
            #expect(await run(planned, own).1.standardError.contains("it is unknown who runs it"))
            #expect(sandbox.outbox.isEmpty)
            #expect(await run(planned + ["--self-approval"], own).status == 0)
            #expect(sandbox.outbox.count == 1)
        }
    }

    @Test func `what nobody can approve is refused where approvals are demanded`() async throws {
        try await withSandbox { sandbox, environment async throws in
            var strict = environment
            strict["GRAPHFLOW_REQUIRE_APPROVAL"] = "1"
            let file = path("mail.yaml")
            for command in [
                ["post", "/me/events", "--body", "{}"], ["delete", "/me/events/1"], ["patch", "/me", "--body", "{}"],
                ["put", "/me/drive/root:/a:/content", "--body", "{}"], ["batch", file, "--each", "[{\"a\":1}]"],
            ] {
                let result = await run(command, strict)
                #expect(result.status == 2 || command[0] == "batch", "\(command): \(result.1.standardError)")
            }
            #expect(await run(["run", file], strict).status == 64)
            #expect(await run(["run", file, "--dry-run"], strict).status == 0)
            #expect(await run(["get", "/me"], strict).status == 0)
            #expect(sandbox.outbox.isEmpty)
        }
    }

    /// Runs the workflow that asks until the body has answered; returns the run's end.
    func answered(
        _ environment: [String: String], file: String = "ask.yaml", questions: Int = 1,
        _ body: (TestConsole) async throws -> Void
    ) async throws -> (status: Int32, console: TestConsole) {
        let console = TestConsole(environment: environment)
        async let status = console.run(["run", path(file)])
        while openRequests(environment).count < questions { await pause() }
        try await body(console)
        return (await status, console)
    }

    /// What the newest run waits for.
    func openRequests(_ environment: [String: String]) -> [ApprovalRequest] {
        let kept = KeptRuns.standard(environment: environment)
        guard let run = try? kept.summaries(limit: 1, where: { _ in true }).first?.run else { return [] }
        return (try? ApprovalRequests(of: run, in: .standard(environment: environment)).open) ?? []
    }

    @Test func `a task waits for a person, whose note it gets`() async throws {
        try await withSandbox { sandbox, environment async throws in
            let end = try await answered(environment) { _ async throws in
                let listed = await run(["runs", "--state", "waiting", "--json"], environment)
                #expect(try Value(json: listed.1.standardOutput).array?.count == 1)
                let approve = await run(["approve", "last", "--yes", "--note", "go"], environment)
                #expect(approve.status == 0, "\(approve.1.standardError)")
                #expect(approve.1.standardError.contains("Mail ‹everyone› at \"100 %\"?"))
            }
            #expect(end.status == 0, "\(end.console.standardError)")
            #expect(sandbox.outbox.map(\.subject) == ["go"])
            #expect(await run(["approve", "last", "--yes"], environment).status == 64)
        }
    }

    @Test func `another person's approval does not count, and a rejection is an error of status 403`() async throws {
        try await withSandbox { sandbox, environment async throws in
            sandbox.signInRules.person = .approving("megan@contoso.com")
            let end = try await answered(environment) { _ async throws in
                let other = await run(["approve", "last", "--yes"], environment)
                #expect(other.status == 2)
                #expect(other.1.standardError.contains("not among the approvers"), "\(other.1.standardError)")
                #expect(await run(["reject", "last", "--note", "not now"], environment).status == 0)
            }
            #expect(end.status == 0)
            #expect(end.console.standardOutput.contains("not now"), "\(end.console.standardOutput)")
            #expect(sandbox.outbox.isEmpty)
            #expect(await run(["show", "last"], environment).1.standardOutput.contains("rejected by"))
        }
    }

    @Test func `a dry run plans both ways, and asks nobody`() async throws {
        let console = TestConsole(environment: ["GRAPHFLOW_HOME": home.appendingPathComponent("state").path])
        #expect(await console.run(["run", path("ask.yaml"), "--dry-run", "--format", "json"]) == 0)
        let plan = try Value(json: console.standardOutput)
        let kinds = (plan["tasks"]?[0]?["branches"]?.array ?? []).compactMap { $0["kind"]?.string }
        #expect(kinds == ["tasks", "catch"])
        #expect(plan["effects"]?.array?.count == 1)
        let text = TestConsole(environment: ["GRAPHFLOW_HOME": home.path])
        #expect(await text.run(["run", path("ask.yaml"), "--dry-run"]) == 0)
        #expect(text.standardOutput.contains("Waits for a person's approval at 'ask'"), "\(text.standardOutput)")
    }

    @Test func `a test answers for the people`() async throws {
        let tests = """
            workflow: ask.yaml
            cases:
              - name: approved
                approvals: [ { task: ask, by: adelev@contoso.com, note: fine } ]
                expect: { mails: [ { subject: fine } ] }
              - name: rejected
                approvals: [ { task: ask, by: adelev@contoso.com, approved: false } ]
                expect: { mails: [], output: { rejected: "adelev@contoso.com rejected 'ask'" } }
            """
        try Data(tests.utf8).write(to: folder.appendingPathComponent("ask.test.yaml"))
        let console = TestConsole(environment: ["GRAPHFLOW_HOME": home.appendingPathComponent("state").path])
        let status = await console.run(["test", path("ask.test.yaml")])
        #expect(
            console.standardOutput.contains("2 passed") || status == 0,
            "\(console.standardOutput)\(console.standardError)")
    }
}
