import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows
@testable import WorkflowHistory

/// Events with secrets, from a run to its journal and back.
@Suite struct SealedEventsTests {
    private static let store = SecretStore.values([
        "key": SecretValue("s3cr3t-k3y"), "login": SecretValue(["name": "zaphod", "pin": 471_108]),
    ])
    private static let known = made()
    private static let later = made()
    private let runs = TemporaryRuns()
    private let run = "01J00000000000000000000001"

    private static func made() -> KnownSecrets {
        let known = KnownSecrets(store, sealedBy: SealSource())
        for name in ["key", "login"] { known.add(store[name]?.revealed ?? .null, of: [name]) }
        return known
    }

    private func event(_ kind: Event.Kind, number: Int = 1) -> Event {
        Event(
            number: number, run: run, workflow: TemporaryRuns.workflow,
            time: Date(timeIntervalSince1970: 1_800_000_000),
            kind: kind)
    }

    /// Data with secrets, texts made of them, echoes of them, and texts that look like drawings.
    private func data(_ random: inout SeededGenerator, depth: Int = 0) -> Value {
        let secret = Value.secret("s3cr3t-k3y", of: ["key"])
        switch Int.random(in: 0..<(depth < 3 ? 14 : 11), using: &random) {
        case 0: return secret
        case 1: return .secret(.integer(471_108), of: ["login"])
        case 2: return .secret("S3CR3T-K3Y and zaphod", of: ["key", "login"])
        case 3:
            return .text([.plain("‹secrets.key› is "), .secret(Confidential("s3cr3t-k3y", of: ["key"])), .plain("!")])
        case 4:
            return .text([
                .secret(Confidential("x", of: ["key"])), .plain(" zaphod ‹"),
                .secret(Confidential("‹x›", of: ["login"])),
            ])
        case 5: return "an echo of s3cr3t-k3y, \(Data("s3cr3t-k3y".utf8).base64EncodedString()) and zaphod"
        case 6: return .integer(471_108)
        case 7: return "‹secrets.key›"
        case 8: return .string("‹›·🙂 ‹secrets.login›".unicodeScalars.map(String.init).shuffled(using: &random).joined())
        case 9: return [nil, true, 1.5, "plain"]
        case 10: return .secret(.double(-0.125), of: ["key"])
        case 11, 12:
            return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in data(&random, depth: depth + 1) })
        default:
            let names = ["a", "s3cr3t-k3y", "‹secrets.key›", "x s3cr3t-k3y", "x ‹secrets.key›", "b/~", "zaphod", "2"]
            return .object(
                Object(
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in
                        (names.randomElement(using: &random) ?? "a", data(&random, depth: depth + 1))
                    }))
        }
    }

    @Test(arguments: 0..<Extent.of(200, or: 50))
    func `an event is read back as it was, and its line has no secret`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let task = JSONPointer(["do", "0", "a"])
        let error = WorkflowError(["type": "about:blank", "status": 500, "detail": data(&random)])
        let emitted = try CloudEvent([
            "specversion": "1.0", "id": "1", "source": "s3cr3t-k3y", "type": "t", "subject": .secret("me", of: ["key"]),
            "data": data(&random),
        ])
        let received = try CloudEvent(
            ["specversion": "1.0", "id": "1", "source": "x", "type": "s3cr3t-k3y", "data": "zaphod"], text: "\"zaphod\""
        )
        let kinds: [Event.Kind] = [
            .workflowStarted(input: data(&random), context: data(&random)), .workflowCompleted(output: data(&random)),
            .taskStarted(task, input: data(&random)), .taskFaulted(task, error),
            .taskCompleted(task, output: data(&random), context: data(&random), then: .end),
            .decided(task, what: "in", value: data(&random)), .callEnded(task, .completed(data(&random))),
            .eventEmitted(task, emitted), .eventReceived(received), .jumped(task, count: 1, data: data(&random)),
            .iterationCompleted(task, round: 1, output: data(&random), context: data(&random), isLast: true),
        ]
        let events = kinds.enumerated().map { event($1, number: $0 + 1) }
        let journal = try Journal.begin(TemporaryRuns.header(run), text: TemporaryRuns.text, in: runs.folder)
        for event in events { try journal.append(try Self.known.seal(event)) }
        let read = try Journal.read(run, in: runs.folder).events
        let opened = try Self.later.open(read)
        for (event, opened) in zip(events, opened) { #expect(opened.record == event.record) }
        let written = try String(contentsOfFile: runs.path(run), encoding: .utf8)
        let told =
            written + read.shown.map { $0.record.json() }.joined() + String(reflecting: read)
            + events.compactMap { Self.known.conceal($0)?.event.record.json() }.joined()
        for text in ["s3cr3t-k3y", "S3CR3T", "zaphod", "471108", "czNjcjN0LWszeQ"] { #expect(!told.contains(text)) }
        // The events for people are the same ones while the run is at work and later.
        for (event, read) in zip(events, read.shown) { #expect(read.record == Self.known.conceal(event)?.event.record) }
    }

    @Test func `a large secret is in a blob, and read back`() throws {
        let large = String(repeating: "0123456789", count: 20_000)
        let events = [event(.workflowCompleted(output: ["a": .secret(.string(large), of: ["key"])]))]
        let journal = try Journal.begin(TemporaryRuns.header(run), text: TemporaryRuns.text, in: runs.folder)
        for event in events { try journal.append(try Self.known.seal(event)) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: runs.path(run))).count < 2_000)
        let opened = try Self.later.open(try Journal.read(run, in: runs.folder).events)
        #expect(opened.map(\.record) == events.map(\.record))
    }

    @Test func `a secret that is the input is not in the journal's first line`() async throws {
        let given = Locked<[Value]>([])
        var runner = Runner.testing { catalog in
            catalog.register("echo") { input, _ in
                given.withLock { $0.append(input) }
                return .value(input)
            }
        }
        runner.secrets = Self.store
        let workflow = try Workflow(
            tasks: "- send: { call: echo, with: { text: '${ .text }' } }",
            rest:
                "use: { secrets: [key] }\ninput: { schema: { format: json, document: { properties: { text: { pattern: '^s' } } } } }"
        )
        let journal = try runner.journal(of: workflow, input: ["text": "s3cr3t-k3y"], in: runs.folder)
        #expect(try await runner.run(workflow, journal: journal).value == ["text": "‹secrets.key›"])
        #expect(given.withLock { $0 } == [["text": "s3cr3t-k3y"]])
        let lines = try String(contentsOfFile: runs.path(journal.header.run), encoding: .utf8)
        #expect(lines.contains("‹secrets.key›"))
        #expect(!lines.contains("s3cr3t-k3y"))
    }

    /// A runner with secrets, and how often its function was called.
    private func runner(keptIn folder: RunsFolder? = nil) -> (runner: Runner, calls: Locked<Int>) {
        let calls = Locked(0)
        var runner = Runner.testing { catalog in
            catalog.register("echo") { input, _ in
                calls.withLock { $0 += 1 }
                return .value(input)
            }
        }
        runner.secrets = Self.store
        runner.journals = folder
        return (runner, calls)
    }

    private static let echo = "- send: { call: echo, with: { text: '${ $secrets.key }' } }"

    @Test func `a run with secrets does not begin with a key that others can read`() async throws {
        let (runner, calls) = runner(keptIn: runs.folder)
        let workflow = try Workflow(tasks: Self.echo, rest: "use: { secrets: [key] }")
        _ = try await runner.run(workflow).value
        let path = runs.home.appendingPathComponent("key").path
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let error = await #expect(throws: JournalError.self) { try await runner.run(workflow).value }
        #expect(error?.code == .refused)
        #expect(error?.message.contains("the key of secrets in \(path) cannot be used: others can read") == true)
        #expect(calls.withLock { $0 } == 1)
        #expect(try runs.folder.names.count == 1)
    }

    @Test func `a run from Swift with a folder of its own has its key there`() async throws {
        let folder = RunsFolder(runs.home.appendingPathComponent("ö wn", isDirectory: true))
        let runner = runner(keptIn: folder).runner
        let plain = try Workflow(tasks: "- send: { call: echo, with: { text: 1 } }")
        _ = try await runner.run(plain).value
        let path = folder.url.appendingPathComponent(".key").path
        #expect(!FileManager.default.fileExists(atPath: path), "no secret, no key")
        let workflow = try Workflow(tasks: Self.echo, rest: "use: { secrets: [key] }")
        _ = try await runner.run(workflow).value
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 32)
        #expect(try folder.names.count == 2)
        #expect(try folder.prune(keeping: 0).count == 2)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `a run without a journal makes no key`() async throws {
        let (runner, calls) = runner()
        let workflow = try Workflow(tasks: Self.echo, rest: "use: { secrets: [key] }")
        #expect(try await runner.run(workflow).value == ["text": "‹secrets.key›"])
        #expect(calls.withLock { $0 } == 1)
        #expect(!FileManager.default.fileExists(atPath: runs.home.path))
    }

    @Test func `a run whose key was lost is not resumed, and nothing of it changes`() async throws {
        let (runner, calls) = runner()
        let workflow = try Workflow(tasks: Self.echo, rest: "use: { secrets: [key] }")
        let journal = try runner.journal(of: workflow, input: ["text": "s3cr3t-k3y"], in: runs.folder)
        let written = try Data(contentsOf: URL(fileURLWithPath: runs.path(journal.header.run)))
        try FileManager.default.removeItem(at: runs.home.appendingPathComponent("key"))
        let error = await #expect(throws: JournalError.self) {
            try await runner.resume(workflow, journal, from: []).value
        }
        #expect(error?.hint?.contains("restore that file") == true)
        #expect(calls.withLock { $0 } == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: runs.path(journal.header.run))) == written)
        #expect(!FileManager.default.fileExists(atPath: runs.home.appendingPathComponent("key").path))
    }

    @Test func `a secret that is nested too deeply to be kept is refused, and an echo is not`() throws {
        func nested(_ value: Value) -> Value { (0..<600).reduce(value) { value, _ in [value] } }
        #expect(throws: JournalError.self) {
            try Self.known.seal(event(.workflowCompleted(output: nested(.secret("s3cr3t-k3y", of: ["key"])))))
        }
        let echo = event(.workflowCompleted(output: nested("s3cr3t-k3y")))
        let sealed = try Self.known.seal(echo).event
        #expect(!sealed.record.json().contains("s3cr3t"))
        #expect(try Self.later.open([sealed]).map(\.record) == [echo.record])
        #expect(!Self.known.conceal(nested("s3cr3t-k3y")).json().contains("s3cr3t"))
    }
}
