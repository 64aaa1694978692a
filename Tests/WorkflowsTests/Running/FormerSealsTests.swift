import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows
@testable import WorkflowHistory

/// A journal of version 2, whose secrets are encrypted with keys made of themselves.
@Suite struct FormerSealsTests {
    private static let secrets = [
        "key": SecretValue("s3cr3t-k3y"), "login": SecretValue(["name": "megan-b", "pin": 471_108]),
    ]
    private static let text = """
        document: { dsl: 1.0.3, namespace: samples, name: former, version: 1.0.0 }
        use: { secrets: [key, login] }
        do:
          - keep:
              set:
                key: ${ $secrets.key }
                name: ${ "‹ä 🙂› \\($secrets.login.name)!" }
                pin: ${ $secrets.login.pin }
                plain: ${ .plain }
          - check:
              if: ${ .plain == "stop" }
              raise: { error: { type: https://contoso.com/stop, status: 400, title: stopped } }

        """
    private let runs = TemporaryRuns()

    /// Puts the journal where a run's is, and opens it.
    private func open() throws -> (journal: Journal, events: [Event]) {
        let snapshot = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Events/Journal/Snapshots/former-journal.jsonl")
        let bytes = try Data(contentsOf: snapshot)
        let first = try #require(bytes.split(separator: UInt8(ascii: "\n")).first)
        let run = try #require(try Value(json: first)["run"]?.string)
        try FileManager.default.createDirectory(
            atPath: runs.path(run, "blobs"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for (name, content) in [("journal.jsonl", bytes), ("workflow", Data(Self.text.utf8))] {
            try #require(
                FileManager.default.createFile(
                    atPath: runs.path(run, name), contents: content, attributes: [.posixPermissions: 0o600]))
        }
        return try Journal.open(run, in: runs.folder)
    }

    private func known(_ journal: Journal, _ secrets: [String: SecretValue] = secrets) -> KnownSecrets {
        KnownSecrets(.values(secrets), sealedBy: journal.sealing)
    }

    @Test func `its secrets are opened, and need no key of the home`() throws {
        let (journal, events) = try open()
        #expect(journal.header.version == 2)
        #expect(try known(journal).input(of: journal.header) == ["plain": "stop", "given": "an echo of s3cr3t-k3y"])
        let kept = try known(journal).open(events).compactMap { event -> Value? in
            if case .taskCompleted(_, let output, _, _) = event.kind { output } else { nil }
        }
        #expect(
            kept.map(\.revealed)
                == [["key": "s3cr3t-k3y", "name": "‹ä 🙂› megan-b!", "pin": 471_108, "plain": "stop"]])
        #expect(!FileManager.default.fileExists(atPath: runs.folder.keyFile.path))
    }

    @Test(arguments: ["key", "login"]) func `a secret that was changed is named`(name: String) throws {
        let (journal, events) = try open()
        var secrets = Self.secrets
        secrets[name] = SecretValue("another")
        #expect(throws: ChangedSecrets(run: journal.header.run, names: [name])) {
            try known(journal, secrets).open(events)
        }
    }

    @Test func `a run that is resumed seals with the key of the home from then on`() async throws {
        let (journal, events) = try open()
        var runner = Runner.testing { _ in }
        runner.secrets = .values(Self.secrets)
        let workflow = try Workflow(text: Self.text)
        let error = await #expect(throws: WorkflowError.self) {
            try await runner.resume(
                workflow, journal, from: events,
                beginningAt: Event.Parent(
                    run: journal.header.run, task: JSONPointer(["do", "0", "keep"]), occurrence: "")
            ).value
        }
        #expect(error?.title == "stopped")
        #expect(FileManager.default.fileExists(atPath: runs.folder.keyFile.path))
        let (_, all) = try Journal.read(journal.header.run, in: runs.folder)
        let seals = all.flatMap { $0.seals ?? [] }
        #expect(seals.map(\.isFormer).contains(true))
        #expect(seals.map(\.isFormer).contains(false))
        let text = try String(contentsOfFile: runs.path(journal.header.run), encoding: .utf8)
        for secret in ["s3cr3t-k3y", "megan-b", "471108"] { #expect(!text.contains(secret)) }
        let kept = try known(journal).open(all).compactMap { event -> Value? in
            if case .taskCompleted(_, let output, _, _) = event.kind { output.revealed } else { nil }
        }
        #expect(kept.count == 2)
        #expect(Set(kept).count == 1)
    }
}
