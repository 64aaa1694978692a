import Foundation
import TestSupport
import Testing
import Workflows

/// `graphflow resume` of a run of an approved plan: it keeps to the plan, whatever ended it.
@Suite struct ApprovedResumeTests {
    /// A workflow that mails to what a file says, beside a sandbox in its own process.
    private struct Fixture {
        static let tasks = """
              - who: { call: me }
              - tamper: { run: { shell: { command: '[ ! -f other.txt ] || cp other.txt to.txt' } } }
              - read: { call: readFile, with: { file: to.txt } }
              - mail: { call: sendMail, with: { to: '${ . | rtrimstr("\\n") }', subject: Pay, body: now } }

            """
        let place: WorkflowPlace
        let sandbox: GraphflowProcess
        let address: String

        init(_ tasks: String = Fixture.tasks) async throws {
            place = try WorkflowPlace(tasks)
            sandbox = try GraphflowProcess(["sandbox"])
            address = try await sandbox.firstLine()
            try write("to.txt", "adelev@contoso.com\n")
        }

        var plan: String { place.folder.appending(path: "plan.json").path }

        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: place.folder.appending(path: name))
        }

        func remove(_ name: String) throws {
            try FileManager.default.removeItem(at: place.folder.appending(path: name))
        }

        func graphflow(_ arguments: String...) async -> (status: Int32, error: String) {
            let console = place.console(["GRAPHFLOW_GRAPH_URL": address, "PATH": "/usr/bin:/bin"])
            let status = await console.run(arguments)
            return (status, console.standardError)
        }

        /// Makes a plan and approves it.
        func approve(_ mode: String = "--dry-run") async {
            let made = await graphflow("run", place.file, mode, "--plan-out", plan)
            #expect(made.status == 0, "\(made.error)")
        }

        /// Whom the mails in the sandbox were sent to.
        func recipients() async throws -> [String] {
            let base = try #require(URL(string: address.replacing("/v1.0", with: "/sandbox")))
            let client = SandboxClient(transport: NetworkTransport(clock: .patient), base: base)
            return try await client.get("/outbox").array?.flatMap { $0["to"]?.array?.compactMap(\.string) ?? [] } ?? []
        }

        func end() { sandbox.send(SIGTERM) }
    }

    @Test func `a file that changed during the run stops it, and every resumed one`() async throws {
        let fixture = try await Fixture()
        defer { fixture.end() }
        await fixture.approve()
        try fixture.write("other.txt", "meganb@contoso.com\n")
        let first = await fixture.graphflow("run", fixture.place.file, "--plan", fixture.plan)
        #expect(first.status == 1, "\(first.error)")
        let run = try #require(try fixture.place.runs.first)
        #expect(first.error.contains("graphflow resume \(run)"))
        for more in [[], ["--accept-changes"]] {
            let resumed = place(fixture)
            #expect(await resumed.run(["resume", run] + more) == 2, "\(resumed.standardError)")
            #expect(resumed.standardError.contains("'to.txt' was changed"), "\(resumed.standardError)")
        }
        #expect(try await fixture.recipients() == [])
        try fixture.remove("other.txt")
        try fixture.write("to.txt", "adelev@contoso.com\n")
        let last = await fixture.graphflow("resume", run)
        #expect(last.status == 0, "\(last.error)")
        #expect(try await fixture.recipients() == ["adelev@contoso.com"])
    }

    private func place(_ fixture: Fixture) -> TestConsole {
        fixture.place.console(["GRAPHFLOW_GRAPH_URL": fixture.address, "PATH": "/usr/bin:/bin"])
    }

    @Test func `a run that was killed keeps to its plan`() async throws {
        let fixture = try await Fixture()
        defer { fixture.end() }
        await fixture.approve()
        #expect(await fixture.graphflow("run", fixture.place.file, "--plan", fixture.plan).status == 0)
        let run = try #require(try fixture.place.runs.first)
        try fixture.place.cut(run) { !$0.contains("/do/2/read") }
        try fixture.write("to.txt", "meganb@contoso.com\n")
        let refused = await fixture.graphflow("resume", run)
        #expect(refused.status == 2, "\(refused.error)")
        try fixture.write("to.txt", "adelev@contoso.com\n")
        let resumed = await fixture.graphflow("resume", run)
        #expect(resumed.status == 0, "\(resumed.error)")
        // The journal that was cut has lost the first mail.
        #expect(try await fixture.recipients() == ["adelev@contoso.com", "adelev@contoso.com"])
    }

    @Test func `what is performed again needs a new plan`() async throws {
        let fixture = try await Fixture()
        defer { fixture.end() }
        await fixture.approve()
        #expect(await fixture.graphflow("run", fixture.place.file, "--plan", fixture.plan).status == 0)
        let run = try #require(try fixture.place.runs.first)
        try fixture.place.cut(run) { !$0.contains("/do/3/mail") }
        let again = await fixture.graphflow("resume", run, "--from", "read")
        #expect(again.status == 2)
        #expect(again.error.contains("approve a new plan, and add '--plan FILE'"), "\(again.error)")
        try fixture.place.write(Fixture.tasks.replacing("Pay", with: "Pay soon"))
        let accepted = await fixture.graphflow("resume", run, "--accept-changes")
        #expect(accepted.status == 2, "\(accepted.error)")
        let old = await fixture.graphflow("resume", run, "--accept-changes", "--plan", fixture.plan)
        #expect(old.status == 2)
        #expect(old.error.contains("the workflow file was changed"), "\(old.error)")
        await fixture.approve()
        let new = await fixture.graphflow("resume", run, "--accept-changes", "--from", "read", "--plan", fixture.plan)
        #expect(new.status == 0, "\(new.error)")
        // Only the first run's mail, and the one of the new plan.
        #expect(try await fixture.recipients() == ["adelev@contoso.com", "adelev@contoso.com"])
    }

    @Test func `a new plan holds for every later resumed run`() async throws {
        let fixture = try await Fixture()
        defer { fixture.end() }
        await fixture.approve()
        #expect(await fixture.graphflow("run", fixture.place.file, "--plan", fixture.plan).status == 0)
        let run = try #require(try fixture.place.runs.first)
        try fixture.place.cut(run) { !$0.contains("/do/2/read") }
        try fixture.write("to.txt", "meganb@contoso.com\n")
        await fixture.approve()
        let new = await fixture.graphflow("resume", run, "--plan", fixture.plan)
        #expect(new.status == 0, "\(new.error)")
        let lines = try fixture.place.journal(run)
        let mail = try #require(lines.lastIndex { $0.contains("/do/3/mail") && $0.contains("task.started") })
        let kept = lines[..<mail].joined(separator: "\n") + "\n"
        try Data(kept.utf8).write(
            to: URL(fileURLWithPath: "\(fixture.place.home)/runs/\(run)/journal.jsonl"))
        try fixture.write("to.txt", "adelev@contoso.com\n")
        let resumed = await fixture.graphflow("resume", run)
        #expect(resumed.status == 2, "\(resumed.error)")
    }

    @Test func `a plan with reads is resumed by what it read, although the run has changed that`() async throws {
        let fixture = try await Fixture(
            """
              - who: { call: me }
              - put: { call: upload, with: { path: 'a ü.txt', content: hello } }
              - mail: { call: sendMail, with: { to: adelev@contoso.com, subject: Pay, body: now } }

            """)
        defer { fixture.end() }
        await fixture.approve("--dry-run=read")
        let first = await fixture.graphflow("run", fixture.place.file, "--plan", fixture.plan)
        #expect(first.status == 0, "\(first.error)")
        let run = try #require(try fixture.place.runs.first)
        try fixture.place.cut(run) { !$0.contains("/do/2/mail") }
        let resumed = await fixture.graphflow("resume", run)
        #expect(resumed.status == 0, "\(resumed.error)")
        // A plan of now would replace the file.
        #expect(await fixture.graphflow("run", fixture.place.file, "--plan", fixture.plan).status == 2)
    }

    @Test func `a run whose plan is lost or damaged is not resumed`() async throws {
        let fixture = try await Fixture()
        defer { fixture.end() }
        await fixture.approve()
        #expect(await fixture.graphflow("run", fixture.place.file, "--plan", fixture.plan).status == 0)
        let run = try #require(try fixture.place.runs.first)
        try fixture.place.cut(run) { !$0.contains("/do/3/mail") }
        let header = try Value(json: try #require(try fixture.place.journal(run).first))
        let hash = try #require(header["plan"]?.string)
        let blob = URL(fileURLWithPath: "\(fixture.place.home)/runs/\(run)/blobs/\(hash.dropFirst(7))")
        let whole = try String(contentsOf: blob, encoding: .utf8)
        #expect(whole.contains("adelev@contoso.com") || whole.contains("to.txt"))
        for text in ["{}", nil] {
            try FileManager.default.removeItem(at: blob)
            if let text { try Data(text.utf8).write(to: blob) }
            let refused = await fixture.graphflow("resume", run)
            #expect(refused.status != 0)
            #expect(refused.error.contains("the approved plan of the run \(run)"), "\(refused.error)")
        }
        let resumed = await fixture.graphflow("resume", run, "--plan", fixture.plan)
        #expect(resumed.status == 0, "\(resumed.error)")
    }
}
