import Foundation
import TestSupport
import Testing
import Workflows

/// `graphflow resume BATCH --dry-run`: exactly what is left, and nothing is done.
@Suite struct ResumedBatchPlanTests {
    private static let head = """
        input:
          schema:
            document: { type: object, required: [number, subject], properties: { number: { type: integer } } }
        """
    /// A file and a mail for each item; the second item's file is refused once.
    private static let tasks = """
          - note: { call: upload, with: { path: '${ "Notes/\\(.number).txt" }', content: noted } }
          - mail:
              call: sendMail
              with: { to: adelev@contoso.com, subject: '${ $workflow.input.subject }', body: now }

        """
    private static let subjects = ["Zoë ‹1›", "a/b \"2\" 100 %", "👩‍💻 \(String(repeating: "x", count: 200))", "null"]

    private func outbox(_ address: String) async throws -> [String] {
        let base = try #require(URL(string: address.replacing("/v1.0", with: "/sandbox")))
        let client = SandboxClient(transport: NetworkTransport(clock: .patient), base: base)
        return try await client.get("/outbox").array?.compactMap { $0["subject"]?.string } ?? []
    }

    private func bytes(of batch: String, in place: WorkflowPlace) throws -> [Data] {
        let folder = URL(fileURLWithPath: "\(place.home)/batches/\(batch)")
        return try ["journal.jsonl", "ledger.jsonl"].map { try Data(contentsOf: folder.appending(path: $0)) }
    }

    @Test func `what is planned for the rest of a batch is what the rest does`() async throws {
        let sandbox = try GraphflowProcess(["sandbox", "--fault", "PUT *Notes/2.txt* 403"])
        defer { sandbox.send(SIGTERM) }
        let address = try await sandbox.firstLine()
        let place = try WorkflowPlace(Self.tasks, head: Self.head)
        let items = Self.subjects.enumerated().map { number, subject in
            (["number": .integer(number + 1), "subject": .string(subject)] as Value).json()
        }
        let source = place.folder.appending(path: "items.jsonl").path
        try Data(items.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: source))
        let graph = ["GRAPHFLOW_GRAPH_URL": address]
        func graphflow(_ arguments: String..., status: Int32) async throws -> TestConsole {
            let console = place.console(graph)
            let ended = await console.run(arguments)
            #expect(ended == status, "\(arguments): \(console.standardError)")
            return console
        }
        // One that faults, and two that never begin.
        _ = try await graphflow(
            "batch", place.file, "--each", source, "--key", ".subject", "--name", "spring", "--no-lookup",
            "--concurrency", "1", "--max-failures", "1", status: 1)
        #expect(try await outbox(address) == [Self.subjects[0]])

        let before = try bytes(of: "spring", in: place)
        let shown = try await graphflow("resume", "spring", "--dry-run", "--format", "json", status: 0)
        let plan = try Value(json: shown.standardOutput)
        #expect(plan["continuedBatch"] == "spring")
        let left = plan["items"]?.array ?? []
        #expect(left.map { $0["key"]?.string } == Self.subjects.dropFirst().map { $0 })
        let mails = left.flatMap { $0["effects"]?.array ?? [] }.filter { $0["kind"] == "mail" }
        #expect(mails.compactMap { $0["subject"]?.string } == Array(Self.subjects.dropFirst()), "\(mails)")
        let failed = try await graphflow("resume", "spring", "--only", "faulted", "--dry-run=read", status: 0)
        #expect(failed.standardOutput.contains("the rest of resume 1.0.0, batch spring, for 1 item"))
        let refused = try await graphflow("resume", "spring", "--dry-run", "--format", "curl", status: 64)
        #expect(refused.standardError.contains("use text, json, html, markdown"), "\(refused.standardError)")
        #expect(try bytes(of: "spring", in: place) == before)
        #expect(try await outbox(address).count == 1)

        _ = try await graphflow("resume", "spring", status: 0)
        let sent = try await outbox(address).sorted()
        #expect(sent == ([Self.subjects[0]] + mails.compactMap { $0["subject"]?.string }).sorted())
        let over = try await graphflow("resume", "spring", "--dry-run", status: 0)
        #expect(over.standardError.contains("nothing is left to do") && over.standardOutput.isEmpty)
    }

    @Test
    func `an item that a person must settle first is said, and a changed source is refused until that is accepted`()
        async throws
    {
        let place = try WorkflowPlace(
            """
              - work: { run: { shell: { command: 'touch begun; while kill -0 $PPID; do sleep 0.1; done' } } }

            """)
        let source = place.folder.appending(path: "items.jsonl")
        try Data("{\"number\": 1}".utf8).write(to: source)
        let batch = try place.process(["batch", place.file, "--each", source.path, "--key", ".number", "--name", "n"])
        while !FileManager.default.fileExists(atPath: place.folder.appending(path: "begun").path) { await pause() }
        batch.send(SIGKILL)
        _ = try await batch.result()
        let before = try bytes(of: "n", in: place)
        func plan(_ options: String..., status: Int32) async -> TestConsole {
            let console = place.console()
            #expect(await console.run(["resume", "n", "--dry-run"] + options) == status, "\(console.standardError)")
            return console
        }
        let open = await plan(status: 1)
        #expect(open.standardOutput.contains("check whether it happened"), "\(open.standardOutput)")
        let settled = await plan("--assume", "sent", status: 0)
        #expect(!settled.standardOutput.contains("runs a program"), "\(settled.standardOutput)")
        let again = await plan("--assume", "not-sent", status: 0)
        #expect(again.standardOutput.contains("touch begun"), "\(again.standardOutput)")
        try Data("{\"number\": 2}".utf8).write(to: source)
        _ = await plan(status: 2)
        let accepted = await plan("--accept-changes", status: 0)
        #expect(accepted.standardOutput.contains("for 1 item of"), "\(accepted.standardOutput)")
        #expect(try bytes(of: "n", in: place) == before)
    }
}
