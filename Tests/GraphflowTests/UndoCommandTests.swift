import Foundation
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// `graphflow undo`, against a sandbox behind a socket.
@Suite struct UndoCommandTests {
    /// A place, a sandbox, and what the sandbox holds.
    private struct Office {
        let place: WorkflowPlace
        let server = SandboxServer(Sandbox())
        let environment: [String: String]

        init(_ tasks: String) throws {
            place = try WorkflowPlace(tasks)
            environment = ["GRAPHFLOW_GRAPH_URL": "http://127.0.0.1:\(try server.start())/v1.0"]
        }

        func perform(_ arguments: String..., status: Int32 = 0) async -> TestConsole {
            let console = place.console(environment)
            #expect(await console.run(arguments) == status, "\(arguments): \(console.standardError)")
            return console
        }

        /// Everything that the workflows of these tests can change.
        func state() async throws -> [Value] {
            var state: [Value] = []
            for path in [
                "/me/drive/root/children?$select=id,name,eTag,size", "/me/events?$select=id,subject",
                "/me/mailFolders/drafts/messages?$select=id,subject&$top=1000", "/groups?$select=id,displayName",
                "/groups/02bd9fd6-8f93-4758-87c3-1fb73740a315/members?$select=id",
                "/users?$select=id,displayName&$top=999",
            ] {
                state.append(try Value(json: await perform("get", path).standardOutput)["value"] ?? .null)
            }
            state.append(.array(server.sandbox.drive.map { .integer($0.links.count) }))
            return state
        }

        func run() async throws -> String {
            _ = await perform("run", place.file)
            return try #require(try place.runs.first)
        }

        func states(_ run: String) async throws -> [Value?] {
            try await perform("effects", run, "--format", "json").standardOutput.split(separator: "\n")
                .map { try Value(json: String($0))["state"] }
        }
    }

    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    private static let group = "02bd9fd6-8f93-4758-87c3-1fb73740a315"
    /// A task for each kind of effect that can be taken back; `NNN` is a number.
    private static let reversible = [
        "- file: { call: upload, with: { path: 'ä ö #%&NNN ‹x›.txt', content: x } }",
        "- folder: { call: createFolder, with: { name: 'folder NNN' } }",
        "- event: { call: createEvent, with: { subject: 'NNN 🎉', start: '2026-01-01T08:00', end: '2026-01-01T09:00' } }",
        """
        - meeting:
              call: createEvent
              with:
                subject: 'meeting NNN'
                start: '2026-01-01T08:00'
                end: '2026-01-01T09:00'
                attendees: [adelev@contoso.com]
        """,
        "- draft: { call: graph, with: { method: POST, path: /me/messages, body: { subject: 'draft NNN' } } }",
        """
        - group:
              call: graph
              with:
                method: POST
                path: /groups
                body: { displayName: 'Group NNN', mailNickname: groupNNN, mailEnabled: false, securityEnabled: true }
        """,
        """
        - user:
              call: graph
              with:
                method: POST
                path: /users
                body:
                  displayName: 'Person NNN'
                  mailNickname: personNNN
                  userPrincipalName: personNNN@contoso.com
                  accountEnabled: true
                  passwordProfile: { password: 'Zebra-7-Lamp-NNN' }
        """,
    ]

    /// Several tasks, each with a number for itself.
    private static func tasks(_ all: [String]) -> String {
        all.enumerated().map { "  " + $1.replacing("NNN", with: "\($0 + 100)") + "\n" }.joined()
    }

    @Test(arguments: 0..<6) func `the state after a run and its undo is the state before`(seed: Int) async throws {
        var random = Numbers(state: UInt64(seed))
        let drawn = (0..<7).map { _ in Self.reversible.randomElement(using: &random) ?? "" }
        // Names of tasks are different.
        let tasks = drawn.enumerated().map { number, task in
            task.replacing("- ", with: "- t\(number)", maxReplacements: 1)
        }
        let office = try Office(Self.tasks(seed == 0 ? Self.reversible : tasks))
        defer { office.server.stop() }
        let before = try await office.state()
        let run = try await office.run()
        #expect(try await office.state() != before)
        let undo = await office.perform("undo", run)
        #expect(undo.standardOutput == "{\"undone\":7,\"left\":[]}\n")
        #expect(try await office.state() == before)
        #expect(try await office.states(run) == Array(repeating: "undone", count: 7))
        // Nothing happens twice.
        let count = office.server.sandbox.requests.count { $0.method != "GET" }
        #expect(await office.perform("undo", run).standardOutput == "{\"undone\":0,\"left\":[]}\n")
        #expect(office.server.sandbox.requests.count { $0.method != "GET" } == count)
        let runs = try Value(json: await office.perform("runs", "--json").standardOutput)
        #expect((runs.array ?? []).allSatisfy { $0["state"] == "completed" })
    }

    @Test func `folders that an upload may have made are named, unless the run looked for them`() async throws {
        let office = try Office("  - file: { call: upload, with: { path: 'ä 😀/a.txt', content: x } }\n")
        defer { office.server.stop() }
        let before = office.server.sandbox.snapshot
        let unseen = await office.perform("undo", try await office.run())
        #expect(unseen.standardError.contains("such as that of ä 😀/a.txt; 'run --undoable'"))
        _ = await office.perform("delete", "/me/drive/root:/ä 😀")
        _ = await office.perform("run", office.place.file, "--undoable")
        let seen = await office.perform("undo", "last")
        #expect(!seen.standardError.contains("stays"), "\(seen.standardError)")
        #expect(office.server.sandbox.snapshot == before)
    }

    @Test func `a link and a member go, and a file whose link is gone goes with them`() async throws {
        let office = try Office(
            """
              - file: { call: upload, with: { path: a.txt, content: x } }
              - link: { call: createLink, with: { itemId: '${ .id }', scope: organization } }
              - byName: { call: addToGroup, with: { group: \(Self.group), user: lynner@contoso.com } }

            """)
        defer { office.server.stop() }
        let before = try await office.state()
        let run = try await office.run()
        #expect(office.server.sandbox.drive.first { $0.name == "a.txt" }?.links.count == 1)
        let undo = await office.perform("undo", run)
        #expect(undo.standardOutput == "{\"undone\":3,\"left\":[]}\n")
        #expect(try await office.state() == before)
        let deletions = office.server.sandbox.requests.filter { $0.method == "DELETE" }.map(\.path)
        #expect(deletions.count == 3)
        #expect(deletions.contains { $0.hasSuffix("/$ref") } && deletions.contains { $0.contains("/permissions/") })
    }

    @Test func `what somebody changed since stays, with who and when, unless it is forced`() async throws {
        let office = try Office("  - file: { call: upload, with: { path: a.txt, content: x } }\n")
        defer { office.server.stop() }
        let run = try await office.run()
        try office.place.write("  - file: { call: upload, with: { path: a.txt, content: theirs } }\n")
        _ = try await office.run()
        let left = await office.perform("undo", run, status: 1)
        #expect(left.standardError.contains("left as it is: created the file a.txt"), "\(left.standardError)")
        #expect(left.standardError.contains("it was changed by Megan Bowen at 20"))
        #expect(office.server.sandbox.drive.first { $0.name == "a.txt" }?.content == Data("theirs".utf8))
        #expect(try await office.states(run) == ["done"])
        _ = await office.perform("undo", run, "--force")
        #expect(!office.server.sandbox.drive.contains { $0.name == "a.txt" })
        #expect(try await office.states(run) == ["undone"])
    }

    @Test func `a folder with something of somebody else in it stays`() async throws {
        let office = try Office("  - folder: { call: createFolder, with: { name: mine } }\n")
        defer { office.server.stop() }
        let run = try await office.run()
        try office.place.write("  - file: { call: upload, with: { path: mine/theirs.txt, content: x } }\n")
        let other = try await office.run()
        let left = await office.perform("undo", run, status: 1)
        #expect(left.standardError.contains("there is something in it"))
        #expect(office.server.sandbox.drive.contains { $0.path == "mine/theirs.txt" })
        _ = await office.perform("undo", other)
        _ = await office.perform("undo", run)
    }

    @Test(arguments: ["Ä ‹x› %41'", "a/b", "😀"])
    func `what a run put into what it made goes first, and what others put there stays`(name: String) async throws {
        let folder = Value.object(["displayName": .string(name)]).json()
        let office = try Office(
            """
              - folder: { call: graph, with: { method: POST, path: /me/mailFolders, body: \(folder) } }
              - draft: { call: graph, with: { method: POST, path: '/me/mailFolders/${ .id }/messages', body: { subject: a } } }

            """)
        defer { office.server.stop() }
        func folders() async throws -> [Value] {
            let answer = try Value(json: await office.perform("get", "/me/mailFolders").standardOutput)
            return (answer["value"]?.array ?? []).filter { $0["displayName"] == .string(name) }
        }
        let undo = await office.perform("undo", try await office.run())
        #expect(undo.standardOutput == "{\"undone\":2,\"left\":[]}\n")
        #expect(try await folders().isEmpty)
        let run = try await office.run()
        let id = try #require(await folders().first?["id"]?.string)
        _ = await office.perform("post", "/me/mailFolders/\(id)/messages", "--body", #"{"subject":"theirs"}"#)
        let left = await office.perform("undo", run, status: 1)
        #expect(left.standardError.contains("it has messages"), "\(left.standardError)")
        #expect(try await folders().count == 1)
        _ = await office.perform("undo", run, "--force")
        #expect(try await folders().isEmpty)
    }

    @Test func `what cannot come back is said before anything happens, with what a person can do`() async throws {
        let office = try Office("  - first: { call: upload, with: { path: a.txt, content: x } }\n")
        _ = try await office.run()
        try office.place.write(
            """
              - mail: { call: sendMail, with: { to: adelev@contoso.com, subject: 'Wrong "list"', body: x } }
              - second: { call: upload, with: { path: a.txt, content: y } }
              - rename: { call: graph, with: { method: PATCH, path: /users/lynner@contoso.com, body: { jobTitle: x } } }

            """)
        defer { office.server.stop() }
        let run = try await office.run()
        let count = office.server.sandbox.requests.count
        let plan = await office.perform("undo", run, "--dry-run")
        #expect(plan.standardError.contains("a mail that was sent cannot come back"))
        #expect(plan.standardError.contains("restore it from its version history"))
        #expect(plan.standardError.contains("the former values were not kept"))
        #expect(office.server.sandbox.requests.count == count)
        let undo = await office.perform("undo", run, "--draft-corrections", "--only", "mail", status: 1)
        #expect(undo.standardError.contains("stays: sends the mail"))
        let drafts = await office.perform("get", "/me/mailFolders/drafts/messages?$select=subject,toRecipients")
        #expect(drafts.standardOutput.contains("Correction: Wrong \\\"list\\\""), "\(drafts.standardOutput)")
        #expect(drafts.standardOutput.contains("adelev@contoso.com"))
        #expect(office.server.sandbox.outbox.count == 1)
    }

    @Test func `what a run changed in what it had made goes with it`() async throws {
        let office = try Office(
            """
              - first: { call: upload, with: { path: a.txt, content: x } }
              - second: { call: upload, with: { path: a.txt, content: y } }

            """)
        defer { office.server.stop() }
        let before = try await office.state()
        let run = try await office.run()
        #expect(await office.perform("undo", run).standardOutput == "{\"undone\":2,\"left\":[]}\n")
        #expect(try await office.state() == before)
    }

    @Test func `an undo follows its approved plan, and refuses another state of the run`() async throws {
        let office = try Office(
            """
              - file: { call: upload, with: { path: a.txt, content: x } }
              - folder: { call: createFolder, with: { name: b } }

            """)
        defer { office.server.stop() }
        let before = try await office.state()
        let run = try await office.run()
        let plan = office.place.folder.appendingPathComponent("plan.json").path
        let planned = await office.perform("undo", run, "--dry-run", "--plan-out", plan)
        #expect(planned.standardOutput.contains("removes the file a.txt"), "\(planned.standardOutput)")
        #expect(planned.standardError.contains("run it: graphflow undo \(run) --plan"))
        #expect(await office.perform("undo", run, "--plan", plan).standardOutput == "{\"undone\":2,\"left\":[]}\n")
        #expect(try await office.state() == before)
        _ = await office.perform("undo", run, "--plan", plan, status: 2)
    }

    private static let changes = """
          - file: { call: upload, with: { path: 'ä ‹x› #%.txt', content: new } }
          - user:
              call: graph
              with: { method: PATCH, path: /users/adelev@contoso.com, body: { jobTitle: '50 % "x"', city: null } }
          - leaver: { call: graph, with: { method: DELETE, path: /users/lynner@contoso.com } }

        """

    private static let path = "/me/drive/root:/%C3%A4%20%E2%80%B9x%E2%80%BA%20%23%25.txt:/content"

    /// What ``changes`` changes.
    private func changed(in office: Office) async throws -> [Value] {
        var state: [Value] = [.string(await office.perform("get", Self.path).standardOutput)]
        for path in ["/users/adelev@contoso.com?$select=jobTitle,city", "/users?$select=id&$top=999"] {
            state.append(try Value(json: await office.perform("get", path).standardOutput))
        }
        return state
    }

    @Test func `an undoable run follows its approved plan, and is set back by one`() async throws {
        let office = try Office(Self.changes)
        defer { office.server.stop() }
        let former = office.place.folder.appendingPathComponent("former.txt")
        try Data("former ‹ü› 😀".utf8).write(to: former)
        _ = await office.perform("put", Self.path, "--body", "@\(former.path)")
        let before = try await changed(in: office)
        let plan = office.place.folder.appendingPathComponent("plan.json").path
        let planned = await office.perform("run", office.place.file, "--undoable", "--dry-run", "--plan-out", plan)
        #expect(planned.standardOutput.contains("Undo: 2 taken back, 1 in part"), "\(planned.standardOutput)")
        #expect(planned.standardError.contains("--undoable"))
        let shown = await office.perform("show", plan)
        #expect(shown.standardOutput.contains("Undo: 2 taken back, 1 in part"))
        _ = await office.perform("run", office.place.file, "--plan", plan, "--undoable")
        #expect(try await changed(in: office) != before)
        let run = try #require(try office.place.runs.first)
        let undo = office.place.folder.appendingPathComponent("undo.json").path
        _ = await office.perform("undo", run, "--dry-run", "--plan-out", undo)
        #expect(await office.perform("undo", run, "--plan", undo).standardOutput == "{\"undone\":3,\"left\":[]}\n")
        #expect(try await changed(in: office).map { $0.json().count } == before.map { $0.json().count })
        #expect(try await changed(in: office).prefix(2) == before.prefix(2))
        // The same plan is of no use for a run that keeps nothing.
        _ = await office.perform("run", office.place.file, "--plan", plan, status: 2)
    }

    @Test func `what is kept for a time is gone after it, and nothing is kept without a journal`() async throws {
        let office = try Office(Self.changes)
        defer { office.server.stop() }
        _ = await office.perform("run", office.place.file, "--undoable", "--undo-for", "24h")
        let run = try #require(try office.place.runs.first)
        let kept = "\(office.place.home)/runs/\(run)/before"
        // The end of the time, two people, and that there was no such file.
        #expect(try FileManager.default.contentsOfDirectory(atPath: kept).count == 4)
        let end = URL(fileURLWithPath: "\(kept)/until")
        let until = try #require(Date(rfc3339: try String(contentsOf: end, encoding: .utf8)))
        let folder = RunsFolder.standard(environment: ["GRAPHFLOW_HOME": office.place.home])
        #expect(until.timeIntervalSince(try folder.summary(of: run).startedAt) >= 86_400)
        try Data("2026-01-01T00:00:00.000Z".utf8).write(to: end)
        let undone = await office.perform("undo", run, status: 1)
        #expect(undone.standardError.contains("the former values were not kept"), "\(undone.standardError)")
        #expect(!FileManager.default.fileExists(atPath: kept))
        for arguments in [["--undoable", "--no-journal"], ["--undo-for", "24h"]] {
            let console = office.place.console(office.environment)
            #expect(await console.run(["run", office.place.file] + arguments) == 64, "\(console.standardError)")
        }
        let console = office.place.console(office.environment.merging(["GRAPHFLOW_UNDOABLE": "yes"]) { $1 })
        #expect(await console.run(["run", office.place.file]) == 64)
    }

    @Test func `an undo that was cut off is resumed, or begun again, and does nothing twice`() async throws {
        let office = try Office(Self.tasks(Array(Self.reversible.prefix(5))))
        defer { office.server.stop() }
        let before = try await office.state()
        let run = try await office.run()
        _ = await office.perform("undo", run)
        let undo = try #require(try office.place.runs.first)
        let lines = try office.place.journal(undo)
        for count in stride(from: 2, to: lines.count, by: 7) {
            try Data((lines.prefix(count).joined(separator: "\n") + "\n").utf8)
                .write(to: URL(fileURLWithPath: "\(office.place.home)/runs/\(undo)/journal.jsonl"))
            let resumed = await office.perform("resume", undo)
            #expect(resumed.standardOutput == "{\"undone\":5,\"left\":[]}\n", "cut after line \(count)")
            #expect(try await office.state() == before)
        }
    }

    @Test func `what an undo took back before its record was cut off is found as it was`() async throws {
        func upload(_ name: String, _ content: String) -> String {
            "  - \(name): { call: upload, with: { path: 'kept ä%.txt', content: '\(content)' } }\n"
        }
        func change(_ name: String, _ title: String) -> String {
            "  - \(name): { call: graph, with: { method: PATCH, path: /users/lynner@contoso.com, "
                + "body: { jobTitle: '\(title)' } } }\n"
        }
        let office = try Office(upload("former", "former ü") + change("former title", "former"))
        defer { office.server.stop() }
        _ = try await office.run()
        let before = office.server.sandbox.drive.map(\.content)
        try office.place.write(
            upload("file", "new") + upload("again", "newer") + change("title", "a") + change("other", ""))
        _ = await office.perform("run", office.place.file, "--undoable")
        let run = try #require(try office.place.runs.first)
        let journal = URL(fileURLWithPath: "\(office.place.home)/runs/\(run)/journal.jsonl")
        let count = try office.place.journal(run).count
        _ = await office.perform("undo", run)
        let undo = try #require(try office.place.runs.first)
        let lines = try office.place.journal(run)
        #expect(lines.count == count + 4)
        for end in count...lines.count {
            for isResumed in [false, true] {
                try Data((lines.prefix(end).joined(separator: "\n") + "\n").utf8).write(to: journal)
                if isResumed {
                    let resumed = await office.perform("resume", undo)
                    #expect(resumed.standardOutput == "{\"undone\":4,\"left\":[]}\n")
                    #expect(try await office.states(run) == Array(repeating: "undone", count: 4))
                }
                let left = isResumed ? 0 : lines.count - end
                #expect(await office.perform("undo", run).standardOutput == "{\"undone\":\(left),\"left\":[]}\n")
                #expect(office.server.sandbox.drive.map(\.content) == before)
            }
        }
    }

    @Test func `a run that took back what it did itself is resumed, and one that another run took back is not`()
        async throws
    {
        let saga = """
              - saga:
                  try:
                    - file: { call: upload, with: { path: 'taken ü.txt', content: x } }
                    - fail: { raise: { error: { type: 'https://example.com/e', status: 500 } } }
                  catch:
                    do:
                      - back: { call: undo }
                      - note: { call: upload, with: { path: note.txt, content: x } }

            """
        let office = try Office(saga + "  - last: { call: upload, with: { path: last.txt, content: x } }\n")
        defer { office.server.stop() }
        let before = Set(office.server.sandbox.drive.map(\.name))
        let run = try await office.run()
        let lines = try office.place.journal(run)
        let journal = URL(fileURLWithPath: "\(office.place.home)/runs/\(run)/journal.jsonl")
        for count in 2..<lines.count {
            try Data((lines.prefix(count).joined(separator: "\n") + "\n").utf8).write(to: journal)
            _ = await office.perform("resume", run)
            let made = Set(office.server.sandbox.drive.map(\.name)).subtracting(before)
            #expect(made == ["note.txt", "last.txt"], "cut after line \(count)")
        }
        let other = try Office(
            saga + "  - last: { raise: { error: { type: 'https://example.com/e', status: 400 } } }\n")
        defer { other.server.stop() }
        _ = await other.perform("run", other.place.file, status: 1)
        let failed = try #require(try other.place.runs.first)
        _ = await other.perform("resume", failed, status: 1)
        _ = await other.perform("undo", failed)
        #expect(await other.perform("resume", failed, status: 64).standardError.contains("was undone"))
    }

    @Test func `a run in its own sandbox has nothing to undo, and one that was undone is not resumed`()
        async throws
    {
        let office = try Office(
            "  - file: { call: upload, with: { path: a.txt, content: x } }\n"
                + "  - fail: { raise: { error: { type: 'https://example.com/e', status: 500 } } }\n")
        defer { office.server.stop() }
        let own = office.place.console()
        #expect(await own.run("run", office.place.file, "--sandbox") == 1)
        let refused = await office.perform("undo", "last", status: 64)
        #expect(refused.standardError.contains("the sandbox ended with it"))
        _ = await office.perform("run", office.place.file, status: 1)
        let run = try #require(try office.place.runs.first)
        #expect(await office.perform("undo", run).standardOutput == "{\"undone\":1,\"left\":[]}\n")
        #expect(await office.perform("resume", run, status: 64).standardError.contains("was undone"))
    }

    @Test func `an item that was taken back does not continue, and the others do`() async throws {
        let isOpen = Locked(false)
        let service = try LoopbackService { _ in ["told": .bool(isOpen.withLock { $0 })] }
        let office = try Office(
            "  - file: { call: upload, with: { path: '${ .name }', content: x } }\n"
                + "  - ask: { call: http, with: { method: get, endpoint: '\(service.address)' }, "
                + "output: { as: '${ if .told then . else error(\"no\") end }' } }\n")
        defer { office.server.stop() }
        let items = office.place.folder.appendingPathComponent("items.jsonl").path
        try Data("{\"name\":\"ä 1.txt\"}\n{\"name\":\"b.txt\"}\n".utf8).write(to: URL(fileURLWithPath: items))
        let batch = ["batch", office.place.file, "--each", items, "--key", ".name", "--name", "spring"]
        let begun = office.place.console(office.environment)
        #expect(await begun.run(batch) == 1, "\(begun.standardError)")
        _ = await office.perform("undo", "spring", "--key", "b.txt")
        isOpen.withLock { $0 = true }
        let resumed = office.place.console(office.environment)
        #expect(await resumed.run("resume", "spring") == 1, "\(resumed.standardError)")
        let results = try resumed.standardOutput.split(separator: "\n").map { try Value(json: String($0)) }
        let states = Dictionary(uniqueKeysWithValues: results.map { ($0["key"]?.string ?? "", $0["state"]?.string) })
        #expect(states == ["ä 1.txt": "completed", "b.txt": "faulted"], "\(resumed.standardOutput)")
        #expect(resumed.standardOutput.contains("the item was undone"))
        #expect(!office.server.sandbox.drive.contains { $0.name == "b.txt" })
    }

    /// What each of several items changes, with what is there before.
    private static let shared = [
        """
        - a: { call: graph, with: { method: PATCH, path: /users/alexw@contoso.com, body: { jobTitle: '${ .name }' } } }
        """,
        "- a: { call: upload, with: { path: there.txt, content: '${ .name }' } }",
        "- a: { call: upload, with: { path: new.txt, content: '${ .name }' } }",
        "- a: { call: createFolder, with: { name: 'ä 😀' } }",
        """
        - a: { call: createEvent, with: { subject: '${ .name }', start: '2026-01-01T08:00', end: '2026-01-01T09:00' } }
          - b: { call: graph, with: { method: PATCH, path: '/me/calendar/events/${ .id }', body: { subject: x } } }
        """,
        """
        - a: { call: upload, with: { path: 'there.txt', content: '${ .name }' } }
          - b: { call: graph, with: { method: PATCH, path: '/me/drive/items/${ .id }', body: { name: '${ $workflow.input.name }-' } } }
        """,
    ]

    @Test(arguments: shared, [1, 4])
    func `what several items changed is as before, and one of them is taken back alone`(
        tasks: String, concurrency: Int
    ) async throws {
        let office = try Office("  \(tasks)\n")
        defer { office.server.stop() }
        let content = office.place.folder.appendingPathComponent("there.txt").path
        try Data("former ‹x›".utf8).write(to: URL(fileURLWithPath: content))
        _ = await office.perform("put", "/me/drive/root:/there.txt:/content", "--body", "@\(content)")
        let before = office.server.sandbox.snapshot
        let items = office.place.folder.appendingPathComponent("items.jsonl").path
        try Data((0..<4).map { "{\"name\":\"v\($0) ä\"}\n" }.joined().utf8).write(to: URL(fileURLWithPath: items))
        let batch = [
            "batch", office.place.file, "--each", items, "--key", ".name", "--name", "many", "--undoable",
            "--concurrency", "\(concurrency)",
        ]
        let begun = office.place.console(office.environment)
        // Items that run at the same time may refuse each other.
        let hasEnded = await begun.run(batch)
        #expect(concurrency > 1 || hasEnded == 0, "\(begun.standardError)")
        let one = office.place.console(office.environment)
        _ = await one.run("undo", "many", "--key", "v1 ä")
        let lines = try await office.perform("effects", "many", "--format", "json").standardOutput
            .split(separator: "\n").map { try Value(json: String($0)) }
        let runs = Dictionary(grouping: lines) { $0["run"]?.string ?? "" }
        // Those of the other items are as they were.
        #expect(runs.values.count { $0.contains { $0["state"] == "undone" } } <= 1, "\(lines)")
        let undo = office.place.console(office.environment)
        let status = await undo.run("undo", "many")
        #expect(status == 0, "\(undo.standardOutput) \(undo.standardError)")
        #expect(office.server.sandbox.snapshot == before, "\(undo.standardOutput)")
    }

    @Test func `the items of a batch are taken back, one of them or all`() async throws {
        let office = try Office("  - file: { call: upload, with: { path: '${ .name }', content: x } }\n")
        defer { office.server.stop() }
        let before = try await office.state()
        let items = office.place.folder.appendingPathComponent("items.jsonl").path
        try Data((1...20).map { "{\"name\":\"file \($0).txt\"}\n" }.joined().utf8).write(
            to: URL(fileURLWithPath: items))
        _ = await office.perform("batch", office.place.file, "--each", items, "--key", ".name", "--name", "spring")
        let one = await office.perform("undo", "spring", "--key", "file 7.txt")
        #expect(one.standardOutput == "{\"undone\":1,\"left\":[]}\n")
        #expect(office.server.sandbox.drive.count { $0.name.hasPrefix("file ") } == 19)
        #expect(await office.perform("undo", "spring").standardOutput == "{\"undone\":19,\"left\":[]}\n")
        #expect(try await office.state() == before)
        #expect(try await office.states("spring") == Array(repeating: "undone", count: 20))
    }
}
