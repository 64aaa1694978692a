import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "Script Process": external scripts.
@Suite struct ExternalScriptTests: ResourceSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a script on the network is read, and run with what it is given`() async throws {
        let transport = ScriptedTransport(.json("import sys\nprint('hello', sys.argv[1])"))
        let output = try await signed(
            """
            - a:
                run:
                  script:
                    language: python
                    arguments: [world]
                    source:
                      endpoint: { uri: 'https://scripts.contoso.com/hello.py', authentication: { use: library } }
            """, rest: Self.use, transport)
        #expect(output == "hello world")
        #expect(transport.requests.first?.headers["Authorization"] == "Bearer t0p-secret")
    }

    @Test func `its address can be computed`() async throws {
        let transport = ScriptedTransport(.json("print(1)"), .json("print(2)"))
        let output = try await CallFixture(transport).runner.run(
            workflow(
                """
                - a: { run: { script: { language: python, source: { endpoint: 'https://scripts.contoso.com/{name}.py' } } } }
                - b:
                    input: { from: "${ { name: $workflow.input.name } }" }
                    run: { script: { language: python, source: { endpoint: '${ "https://scripts.contoso.com/2/" + .name }' } } }
                """), input: ["name": "x"]
        ).value
        #expect(output == "2")
        #expect(transport.requests.map(\.url.path) == ["/x.py", "/2/x"])
    }

    @Test func `a script that cannot be read starts nothing`() async throws {
        let transport = ScriptedTransport(.status(403))
        let log = EventLog()
        let error = await #expect(throws: WorkflowError.self) {
            try await CallFixture(transport, recorders: [log.recorder]).runner.run(
                workflow(
                    "- a: { run: { script: { language: python, source: { endpoint: 'https://scripts.contoso.com/x' } } } }"
                )
            ).value
        }
        #expect(error?.status == 403)
        #expect(error?.instance == "/do/0/a")
        #expect(!log.events.contains { if case .callStarted = $0.kind { true } else { false } })
    }

    @Test func `a plan shows that a script would be read and run`() async throws {
        let plan = try await Runner.testing().plan(
            workflow(
                "- a: { run: { script: { language: js, source: { endpoint: 'https://scripts.contoso.com/x' } } } }")
        ).value
        #expect(plan.requests.map(\.request.url.absoluteString) == ["https://scripts.contoso.com/x"])
        #expect(plan.steps.count == 2)
        #expect(plan.output == "‹a.stdout›")
    }

    /// Runs a workflow as a plan says that was made while its document on the network was the first one.
    private func approved(
        _ tasks: String, rest: String = "", mode: Plan.Mode, _ documents: String...
    ) async throws -> (complete: Bool, gaps: [String], error: String?, requests: Int) {
        let workflow = try workflow(tasks, rest: rest)
        let transport = ScriptedTransport(documents.map { .json($0) })
        let runner = CallFixture(transport).runner
        let plan = try await runner.plan(workflow, input: ["n": 1], mode: mode).value
        let approved = try ApprovedPlan(ApprovedPlan(plan).value)
        do {
            _ = try await runner.run(workflow, as: approved).value
            return (plan.isComplete, plan.gaps, nil, transport.requests.count)
        } catch let error as PlanMismatch {
            return (plan.isComplete, plan.gaps, error.differences.joined(separator: "; "), transport.requests.count)
        } catch {
            return (plan.isComplete, plan.gaps, WorkflowError(error, at: .root).detail, transport.requests.count)
        }
    }

    private static let made =
        "- a: { run: { script: { language: python, source: { endpoint: 'https://s.contoso.com/x?y=é' } } } }"

    @Test func `an approved plan without reads says that it lacks the script, and so does its run`() async throws {
        let run = try await approved(Self.made, mode: .dry, "print(1)", "print(1)")
        #expect(!run.complete)
        #expect(run.gaps == ["'https://s.contoso.com/x?…' is only read by a run (or --dry-run=read)"])
        #expect(run.error?.contains("'--dry-run=read'") == true, "\(run.error ?? "")")
    }

    @Test func `a script that an approved plan has read must be the same`() async throws {
        let same = try await approved(Self.made, mode: .read, "print(1)", "print(1)", "print(1)")
        #expect(same.complete)
        #expect(same.error == nil, "\(same.error ?? "")")
        let before = try await approved(Self.made, mode: .read, "print(1)", "print(2)", "print(2)")
        #expect(before.error != nil)
        let during = try await approved(Self.made, mode: .read, "print(1)", "print(1)", "print(2)")
        #expect(during.error?.contains("https://s.contoso.com/x") == true, "\(during.error ?? "")")
    }

    @Test(arguments: [Plan.Mode.dry, .read])
    func `a schema on the network is part of an approved plan that has read it`(mode: Plan.Mode) async throws {
        let tasks = "- a: { set: { n: 1 }, output: { schema: { resource: { endpoint: 'https://s.contoso.com/o' } } } }"
        let schema = "{ \"required\": [\"n\"] }"
        let same = try await approved(tasks, mode: mode, schema, schema, schema)
        #expect(same.complete == (mode == .read))
        #expect((same.error == nil) == (mode == .read), "\(same.error ?? "")")
        let other = try await approved(tasks, mode: mode, schema, schema, "{}")
        #expect(other.error?.contains("https://s.contoso.com/o") == true, "\(other.error ?? "")")
    }

    @Test(arguments: [
        ("file://none.py", "missing-file: There is no file 'none.py' next to the workflow"),
        ("file://../x.py", "missing-file: The file '../x.py' is outside the workflow's folder"),
        ("https://ö/x", "address: the host of 'https://ö/x' has characters beyond visible ASCII"),
        ("ftp://scripts.contoso.com/x.py", "address: 'ftp://scripts.contoso.com/x.py' is not an HTTP address"),
    ])
    func `a script that cannot be had is a finding`(address: String, finding: String) throws {
        #expect(
            try findings("- a: { run: { script: { language: python, source: { endpoint: '\(address)' } } } }") == [
                finding
            ])
    }
}
