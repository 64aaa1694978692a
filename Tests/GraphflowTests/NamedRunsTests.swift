import Foundation
import TestSupport
import Testing
import Workflows

/// What can be typed for a run, in every command that takes one.
@Suite struct NamedRunsTests {
    /// A batch of three items, each of which made a folder; the second one then failed.
    private struct Office {
        let place: WorkflowPlace
        let server = SandboxServer(Sandbox())
        let environment: [String: String]

        init(_ last: String) throws {
            place = try WorkflowPlace(
                """
                  - folder: { call: createFolder, with: { name: 'folder ${ $workflow.input.number }' } }
                \(last)

                """)
            let address = "http://127.0.0.1:\(try server.start())"
            environment = [
                "GRAPHFLOW_GRAPH_URL": "\(address)/v1.0", "GRAPHFLOW_TOKEN_URL": address, "GRAPHFLOW_USER": "me",
            ]
            try Data("{\"number\":1}\n{\"number\":2}\n{\"number\":3}\n".utf8).write(to: items)
        }

        var items: URL { place.folder.appending(path: "items.jsonl") }
        var batch: [String] { ["batch", place.file, "--each", items.path(), "--key", ".number", "--name", "spring.b"] }

        func perform(_ arguments: [String], status: Int32 = 0) async -> TestConsole {
            let console = place.console(environment)
            #expect(await console.run(arguments) == status, "\(arguments): \(console.standardError)")
            return console
        }

        func effects(_ name: String, status: Int32 = 0) async throws -> [Value] {
            try await perform(["effects", name, "--format", "json"], status: status).standardOutput
                .split(separator: "\n").map { try Value(json: String($0)) }
        }
    }

    private static let failing =
        "  - check: { if: '${ $workflow.input.number == 2 }', raise: { error: { type: 'https://contoso.com/e', status: 400, title: no } } }"

    @Test func `how long mails are looked up is kept with a batch, and can be changed`() async throws {
        let mail = "  - mail: { call: sendMail, with: { to: [megan@contoso.com], subject: 'ä', body: { content: x } } }"
        let office = try Office("\(Self.failing)\n\(mail)")
        defer { office.server.stop() }
        func said(_ arguments: [String]) async -> String {
            await office.perform(arguments, status: 1).standardError
        }
        let begun = await said(office.batch + ["--lookup-delay", "1"])
        let advice = "wait up to 1 s to be found: '--lookup-delay' changes the wait, '--no-lookup' turns lookups off"
        #expect(begun.contains(advice), "\(begun)")
        let resumed = await said(["resume", "spring.b"])
        #expect(resumed.contains("\(advice)\n"), "\(resumed)")
        #expect(resumed.contains("the batch spring.b of 'resume', faulted, begun "), "\(resumed)")
        // What it advises, it takes.
        #expect(await said(["resume", "spring.b", "--lookup-delay", "0"]).contains("wait up to 0 s"))
        #expect(!(await said(["resume", "spring.b", "--no-lookup"]).contains("looked up")))
        #expect(await said(office.batch).contains("wait up to 1 s"))
        #expect(await said(office.batch + ["--lookup-delay", "0"]).contains("wait up to 0 s"))
        #expect(office.server.sandbox.outbox.count == 2)
    }

    /// The name that is printed, and other ways to type it.
    private static let forms: [@Sendable (String) -> String] = [
        { $0 }, { String($0.dropLast(3)) },
        { String($0.dropLast()).uppercased().replacing("SPRING.B", with: "spring.b") },
    ]

    @Test(arguments: forms.indices) func `an item is named as results and effects name it`(_ form: Int) async throws {
        let office = try Office(Self.failing)
        defer { office.server.stop() }
        let results = await office.perform(office.batch, status: 1).standardOutput
        let runs = try results.split(separator: "\n").map { try Value(json: String($0)) }
            .reduce(into: [Value: String]()) { $0[$1["key"] ?? .null] = $1["run"]?.string }
        let typed = Self.forms[form](try #require(runs[2]))

        #expect(try await office.effects("spring.b").count == 3)
        #expect(try await office.effects(typed).map { $0["run"]?.string } == [runs[2]])
        let shown = await office.perform(["show", typed, "--json"]).standardOutput
        #expect(try Value(json: shown)["run"]?.string == runs[2])
        _ = await office.perform(["show", typed, "--evidence", office.place.folder.path()], status: 64)
        _ = await office.perform(["show", typed, "--key", "2"], status: 64)
        _ = await office.perform(["undo", typed, "--key", "2"], status: 64)

        // What cannot be done with one item is said, and nothing is done.
        let kept = await office.perform(["rm", typed, "spring.b"], status: 64).standardError
        #expect(kept.contains("graphflow rm spring.b"))
        for command in ["approve", "reject"] {
            let refused = await office.perform([command, typed], status: 64).standardError
            #expect(refused.contains("the run spring.b waits for no approval"), "\(refused)")
        }

        // Only that item continues; the workflow's file was corrected.
        try office.place.write(
            "  - folder: { call: createFolder, with: { name: 'folder ${ $workflow.input.number }' } }\n")
        try Data("{\"number\":1}\n{\"number\":2}\n{\"number\":3}\n{\"number\":4}\n".utf8).write(to: office.items)
        let resumed = await office.perform(["resume", typed, "--accept-changes"], status: 1).standardOutput
        let ended = try resumed.split(separator: "\n").map { try Value(json: String($0)) }
        #expect(ended.map { $0["run"]?.string } == [runs[2]])
        #expect(ended.map { $0["state"] } == ["completed"])

        // Only that item is taken back, also by the commands that are printed.
        let plan = office.place.folder.appending(path: "undo.json").path()
        let planned = await office.perform(["undo", typed, "--dry-run", "--plan-out", plan]).standardError
        #expect(planned.contains("graphflow undo \(try #require(runs[2])) --plan"), "\(planned)")
        _ = await office.perform(["undo", typed])
        let states = try await office.effects("spring.b").map { [$0["run"]?.string: $0["state"]] }
        #expect(states.filter { $0.values.contains("undone") }.flatMap(\.keys) == [runs[2]])
        _ = await office.perform(["undo", "spring.b", "--key", "1", "--dry-run", "--plan-out", plan])
        let printed = await office.perform(["undo", "spring.b", "--key", "1", "--dry-run", "--plan-out", plan])
        #expect(printed.standardError.contains("graphflow undo \(try #require(runs[1])) --plan"))
    }

    @Test func `what is named by no run or by several is refused by every command`() async throws {
        let office = try Office(Self.failing)
        defer { office.server.stop() }
        _ = await office.perform(office.batch, status: 1)
        _ = await office.perform(office.batch.dropLast() + ["spring.c"], status: 1)
        let before = [try await office.effects("spring.b").count, try await office.effects("spring.c").count]
        let commands = ["show", "effects", "undo", "resume", "rm", "approve", "reject"]
        for command in commands {
            for name in ["spring.b.0000", "spring.b.", "spring", "x.y", "..x", "spring.b.‹x› %", "spring.b.\u{7}"] {
                let isEmptyItem = name == "spring.b."
                let refused = await office.perform([command, name], status: 64).standardError
                #expect(
                    refused.contains("begin with") == (isEmptyItem || name == "spring"),
                    "\(command) \(name): \(refused)")
                #expect(!refused.contains("\u{7}"))
            }
        }
        let demand = ["--require-approval", "--approvers", "adelev@contoso.com"]
        let asked = await office.perform(["resume", "spring.b"] + demand, status: 2).standardError
        #expect(asked.contains("a batch cannot be approved as a whole"), "\(asked)")
        #expect(try await office.effects("spring.b").count == before[0])
        #expect(try await office.effects("spring.c").count == before[1])
    }

    @Test(arguments: ["SPRING", "spring.b", "last"])
    func `a run or batch is named by its beginning or as the last one`(_ name: String) async throws {
        let office = try Office(Self.failing)
        defer { office.server.stop() }
        _ = await office.perform(office.batch, status: 1)
        #expect(try await office.effects(name).count == 3)
        _ = await office.perform(["show", name])
        _ = await office.perform(["undo", name, "--dry-run"])
        _ = await office.perform(["resume", name, "--only", "unknown"], status: 1)
        for command in ["approve", "reject"] {
            let refused = await office.perform([command, name], status: 64).standardError
            #expect(refused.contains("waits for"), "\(refused)")
        }
        _ = await office.perform(["rm", name])
        #expect(try RunsFolder.batches(environment: ["GRAPHFLOW_HOME": office.place.home]).names.isEmpty)
    }

    @Test(arguments: forms.indices) func `an item that waits is rejected by its name`(_ form: Int) async throws {
        let office = try Office(
            "  - ask: { call: approval, with: { text: 'go on?', approvers: [adelev@contoso.com] } }")
        defer { office.server.stop() }
        let batch = Task { await office.perform(office.batch, status: 1) }
        let batches = RunsFolder.batches(environment: ["GRAPHFLOW_HOME": office.place.home])
        var waiting: [ApprovalRequest] = []
        while waiting.count < 3 {
            await pause()
            waiting = (try? ApprovalRequests(of: "spring.b", in: batches).open) ?? []
        }
        for (index, run) in waiting.compactMap(\.run).enumerated() {
            let typed = Self.forms[(form + index) % Self.forms.count](run)
            // Without a terminal or '--yes', it shows what would be approved, and asks nobody.
            let shown = await office.perform(["approve", typed], status: 64).standardError
            #expect(shown.contains("go on?"))
            #expect(shown.contains("without a terminal"), "\(shown)")
            _ = await office.perform(["reject", typed])
        }
        let results = await batch.value.standardOutput
        #expect(results.components(separatedBy: "403").count > 3)
    }
}
