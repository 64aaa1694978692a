import Foundation
import Promises
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// `graphflow changes`, `run --event` and what `serve --check` says of sources.
@Suite struct ChangesCommandTests {
    private static let inbox = "{ resource: /me/mailFolders/inbox/messages, every: PT5S, select: [subject] }"

    private func place(
        _ sources: String = inbox, on schedule: String = "{ one: { with: { type: microsoft.graph.message.created } } }"
    )
        throws -> WorkflowPlace
    {
        let place = try WorkflowPlace(
            "  - a: { set: '${ .[0].subject }' }\n", head: schedule.isEmpty ? "" : "schedule: { on: \(schedule) }")
        let text = try String(contentsOfFile: place.file, encoding: .utf8)
            .replacing("version: 1.0.0", with: "version: 1.0.0, metadata: { changes: [\(sources)] }")
        try Data(text.utf8).write(to: URL(fileURLWithPath: place.file))
        return place
    }

    private func event(_ place: WorkflowPlace, _ value: Value) throws -> String {
        let path = place.folder.appendingPathComponent("event ‹ä›.json").path
        try Data(value.json().utf8).write(to: URL(fileURLWithPath: path))
        return "@\(path)"
    }

    private static func created(_ subject: String, _ type: String = "microsoft.graph.message.created") -> Value {
        [
            "specversion": "1.0", "id": "1", "source": "/me/mailFolders/inbox/messages", "type": .string(type),
            "subject": .string(subject), "data": ["id": .string(subject)],
        ]
    }

    private static let wrongLines: [(arguments: [String], status: Int32)] = [
        (["changes"], 64), (["changes", "FILE", "--since", "yesterday"], 64),
        (["changes", "FILE", "--skip", "--since", "all"], 64),
        (["changes", "FILE", "--skip", "--sandbox"], 64), (["changes", "FILE", "--since"], 64),
        (["run", "FILE", "--event", "newest"], 64), (["run", "FILE", "--event", "@missing.json"], 1),
        (["run", "FILE", "--event", "latest", "--input", "1"], 64), (["changes", "missing.yaml"], 2),
    ]

    @Test(arguments: wrongLines)
    func `a command line that is wrong says so`(arguments: [String], status: Int32) async throws {
        let place = try place()
        let console = place.console()
        let ended = await console.run(arguments.map { $0 == "FILE" ? place.file : $0 })
        #expect(ended == status || status != 64 && ended != 0, "\(ended) \(console.standardError)")
        #expect(!console.standardError.isEmpty && console.standardOutput.isEmpty)
    }

    @Test func `a file without sources has no changes to show`() async throws {
        let place = try WorkflowPlace("  - a: { set: { x: 1 } }\n")
        let console = place.console()
        #expect(await console.run("changes", place.file) == 64)
        #expect(console.standardError.contains("follows no changes"))
    }

    @Test func `what a source has is printed as events, and nothing is remembered`() async throws {
        let place = try place("{ resource: /users }", on: "{ one: { with: { source: /users } } }")
        let never = place.console()
        #expect(await never.run("changes", place.file, "--sandbox") == 0)
        #expect(never.standardOutput.isEmpty)
        #expect(never.standardError.contains("never followed"))
        let all = place.console()
        #expect(await all.run("changes", place.file, "--since", "all", "--sandbox") == 0, "\(all.standardError)")
        let events = try all.standardOutput.split(separator: "\n").map { try Value(json: String($0)) }
        #expect(events.count == 8)
        #expect(events.allSatisfy { $0["type"] == "microsoft.graph.user.created" && $0["graphflowworkflow"] == nil })
        #expect(Set(events.compactMap { $0["subject"]?.string }).count == 8)
        let now = place.console()
        #expect(await now.run("changes", place.file, "--since", "now", "--sandbox") == 0)
        #expect(now.standardOutput.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: "\(place.home)/changes"))
        let time = place.console()
        #expect(await time.run("changes", place.file, "--since", "2026-01-31T12:00:00Z", "--sandbox") == 64)
        #expect(time.standardError.contains("do not say when they changed"))
    }

    @Test(arguments: [1, 2])
    func `a run begins with the events of a file, as a service would begin it`(count: Int) async throws {
        let place = try place()
        let subject = "Größe ‹x› 50 % \"y\" 😀"
        let one = Self.created(subject)
        let file = try event(place, count == 1 ? one : [Self.created("other", "other"), one])
        let console = place.console()
        #expect(await console.run("run", place.file, "--event", file, "--sandbox") == 0, "\(console.standardError)")
        #expect(try Value(json: console.standardOutput) == .string(subject))
        let plan = place.console()
        #expect(await plan.run("run", place.file, "--event", file, "--sandbox", "--dry-run") == 0)
    }

    @Test(
        arguments: [
            (created("x", "other"), "do not start this workflow"), ([], "do not start this workflow"),
            (5, "is no CloudEvent"),
            (["id": "1"], "is no CloudEvent"), ([nil], "is no CloudEvent"),
        ] as [(Value, String)])
    func `an event that begins no run is refused`(value: Value, message: String) async throws {
        let place = try place()
        let console = place.console()
        #expect(await console.run("run", place.file, "--event", try event(place, value), "--sandbox") == 64)
        #expect(console.standardError.contains(message), "\(console.standardError)")
    }

    @Test func `a workflow that does not begin with events takes none`() async throws {
        let place = try WorkflowPlace("  - a: { set: { x: 1 } }\n")
        let console = place.console()
        #expect(await console.run("run", place.file, "--event", "latest", "--sandbox") == 64)
        #expect(console.standardError.contains("does not begin with an event"))
        let other = try WorkflowPlace(
            "  - a: { set: { x: 1 } }\n", head: "schedule: { on: { one: { with: { type: t } } } }")
        let latest = other.console()
        #expect(await latest.run("run", other.file, "--event", "latest", "--sandbox") == 64)
        #expect(latest.standardError.contains("needs a source of changes"))
    }

    @Test func `the newest item of a source can begin a run`() async throws {
        let place = try place("{ resource: /users }", on: "{ one: { with: { source: /users } } }")
        let console = place.console()
        #expect(await console.run("run", place.file, "--event", "latest", "--sandbox") == 0, "\(console.standardError)")
        #expect(try Value(json: console.standardOutput).string?.isEmpty == false)
        let empty = try self.place()
        let none = empty.console()
        #expect(await none.run("run", empty.file, "--event", "latest", "--sandbox") == 64)
        #expect(none.standardError.contains("no item of its sources starts this workflow now"))
    }

    @Test func `a check says what is followed, how often and with which permissions`() async throws {
        let place = try place("\(Self.inbox), { resource: /groups, kinds: [created, deleted] }")
        let console = place.console()
        #expect(await console.run("serve", "--check", place.file) == 0, "\(console.standardError)")
        let said = console.standardOutput
        #expect(said.contains("follows changes of /me/mailFolders/inbox/messages every 5"), "\(said)")
        #expect(said.contains(": 17280 requests a day while nothing changes; needs Mail.Read"), "\(said)")
        #expect(said.contains("follows created, deleted items of /groups every "), "\(said)")
        #expect(said.contains(": 1440 requests a day while nothing changes; needs Group"), "\(said)")
        #expect(!FileManager.default.fileExists(atPath: "\(place.home)/changes"))
    }

    @Test func `a file whose source cannot be followed is not served`() async throws {
        let place = try place("{ resource: /me/messages }")
        let console = place.console()
        #expect(await console.run("serve", "--check", place.file) == 2)
        #expect(console.standardError.contains("changes of '/me/messages' cannot be followed"))
    }
}
