import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// What surrounds a run of an approved plan: files of the command, variables, and what a person reads in the plan.
@Suite struct ApprovedSurroundingsTests {
    private static func plan(_ place: WorkflowPlace) -> String { place.folder.appending(path: "plan.json").path }

    private static func write(_ place: WorkflowPlace, _ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: place.folder.appending(path: name))
    }

    /// A workflow that uploads a file whose name only the run knows.
    private static let unnamed = """
          - name: { run: { shell: { command: cat names } } }
          - put: { call: upload, with: { path: x.txt, content: { file: '${ . }' } } }

        """

    @Test func `files that the command reads as a plan or writes are no files of the workflow`() async throws {
        let place = try WorkflowPlace(Self.unnamed)
        try Self.write(place, "names", "a b.txt")
        try Self.write(place, "a b.txt", "content")
        let events = place.folder.appending(path: "ev.jsonl").path
        let environment = ["PATH": "/usr/bin:/bin"]
        for round in 1...2 {
            // In the second round the plan, the events and the home folder of the first are there already.
            let made = place.console(environment)
            let out = await made.run("run", place.file, "--dry-run", "--plan-out", Self.plan(place))
            #expect(out == 0, "\(round): \(made.standardError)")
            let done = place.console(environment)
            let status = await done.run(
                "run", place.file, "--plan", Self.plan(place), "--events", events, "--sandbox")
            #expect(status == 0, "\(round): \(done.standardError)")
        }
        // Another file that is new is none that the run reads.
        try Self.write(place, "new.txt", "new")
        let beside = place.console(environment)
        #expect(
            await beside.run("run", place.file, "--plan", Self.plan(place), "--events", events, "--sandbox") == 0,
            "\(beside.standardError)")
        try Self.write(place, "a b.txt", "changed")
        let changed = place.console(environment)
        #expect(
            await changed.run("run", place.file, "--plan", Self.plan(place), "--events", events, "--sandbox") == 2)
        #expect(changed.standardError.contains("a b.txt"), "\(changed.standardError)")
    }

    @Test(arguments: ["new.txt", "plan.json"])
    func `a run reads neither a file that is newer than its plan, nor the plan`(name: String) async throws {
        let place = try WorkflowPlace(
            Self.unnamed.replacing("cat names", with: "'[ -f new.txt ] && echo \(name) || echo a.txt'"))
        try Self.write(place, "a.txt", "content")
        let made = place.console(["PATH": "/usr/bin:/bin"])
        #expect(await made.run("run", place.file, "--dry-run", "--plan-out", Self.plan(place)) == 0)
        try Self.write(place, "new.txt", "new")
        let refused = place.console(["PATH": "/usr/bin:/bin"])
        #expect(await refused.run("run", place.file, "--plan", Self.plan(place), "--sandbox") == 1)
        let why = name == "plan.json" ? "cannot read the file 'plan.json'" : "approved plan was made without 'new.txt'"
        #expect(refused.standardError.contains(why), "\(refused.standardError)")
    }

    @Test func `a variable of programs must have the value of the plan`() async throws {
        let place = try WorkflowPlace(
            "  - say: { run: { shell: { command: 'echo \"$TO\"' } } }\n")
        func graphflow(_ to: String?, _ arguments: String...) async -> (status: Int32, output: String, error: String) {
            let console = place.console(["PATH": "/usr/bin:/bin"].merging(to.map { ["TO": $0] } ?? [:]) { $1 })
            let status = await console.run(["run", place.file, "--sandbox"] + arguments)
            return (status, console.standardOutput, console.standardError)
        }
        let plan = Self.plan(place)
        #expect(await graphflow("ädele", "--env", "TO", "--dry-run", "--plan-out", plan).status == 0)
        let text = try String(contentsOfFile: plan, encoding: .utf8)
        #expect(text.contains("\"TO\"") && !text.contains("ädele"))
        let same = await graphflow("ädele", "--env", "TO", "--plan", plan)
        #expect(same.status == 0 && same.output == "\"ädele\"\n", "\(same.error)")
        for other in ["", "mallory"] {
            let refused = await graphflow(other, "--env", "TO", "--plan", plan)
            #expect(refused.status == 2)
            #expect(refused.error.contains("the variable 'TO' has another value than in the plan"), "\(refused.error)")
        }
        let none = await graphflow("ädele", "--plan", plan)
        #expect(none.status == 2 && none.error.contains("would not get the variable 'TO'"), "\(none.error)")
        #expect(await graphflow("ädele", "--dry-run", "--plan-out", plan).status == 0)
        let more = await graphflow("ädele", "--env", "TO", "--plan", plan)
        #expect(more.status == 2 && more.error.contains("would get the variable 'TO'"), "\(more.error)")
    }

    /// Changes of a plan that leave everything that a run does as it is.
    private static let edits: [(path: [String], value: Value?)] = [
        (["plan", "complete"], false), (["plan", "summary", "reads"], 7), (["plan", "summary", "changes"], []),
        (["plan", "summary", "unclear"], ["nothing"]), (["plan", "workflow", "name"], "harmless"),
        (["plan", "gaps"], ["a gap"]), (["plan", "output"], "‹else›"), (["plan", "note"], "looks good"),
        (["plan", "grantedPermissions"], ["Mail.Send"]), (["note"], "approved"),
        (["digests", "note"], "x"), (["plan", "summary"], nil),
    ]

    @Test func `a plan of which anything was edited is refused, also with new digests`() async throws {
        let place = try WorkflowPlace(
            "  - mail: { call: sendMail, with: { to: a@contoso.com, subject: S, body: B } }\n")
        let plan = Self.plan(place)
        #expect(await place.console().run("run", place.file, "--dry-run", "--plan-out", plan) == 0)
        let whole = try Value(json: try String(contentsOfFile: plan, encoding: .utf8))
        for (path, value) in Self.edits {
            var edited = whole.setting(value, at: path[...])
            edited = edited.setting(.string(ApprovedPlan.digest(of: edited["plan"] ?? .null)), at: ["digests", "plan"])
            try Data(edited.json().utf8).write(to: URL(fileURLWithPath: plan))
            let console = place.console()
            let status = await console.run("run", place.file, "--plan", plan, "--sandbox", "--no-journal")
            #expect(status == 2, "\(path): \(console.standardError)")
        }
        // Its form says nothing.
        try Data(whole.json(pretty: true).utf8).write(to: URL(fileURLWithPath: plan))
        #expect(await place.console().run("run", place.file, "--plan", plan, "--sandbox", "--no-journal") == 0)
    }

    /// A workflow whose request has the time in it, before and after a wait.
    private static let timed = """
          - at: { set: { at: '${ now | todate }' } }
          - pause: { wait: PT0.01S }
          - mail: { call: sendMail, with: { to: a@contoso.com, subject: '${ .at }', body: '${ now | tostring }' } }
          - last: { set: { at: '${ $workflow.input | now }' } }

        """

    @Test func `the time in a plan is that of planning, and its run has the same`() async throws {
        let place = try WorkflowPlace(Self.timed)
        let made = place.console()
        // Real time: only the order of moments is compared.
        let before = Date()
        let json = await made.run("run", place.file, "--dry-run", "--format", "json", "--plan-out", Self.plan(place))
        #expect(json == 0, "\(made.standardError)")
        let plan = try Value(json: made.standardOutput)
        let moment = try #require(plan["plannedAt"]?.string.flatMap { Date(iso8601: $0) })
        // Real time: as before, to the millisecond.
        #expect((before - 0.001...Date()).contains(moment))
        #expect(plan["output"] == ["at": .double(moment.timeIntervalSince1970)])
        #expect(plan["tasks"]?[0]?["output"]?["at"]?.string == String(moment.iso8601.prefix(19)) + "Z")
        let done = place.console()
        #expect(
            await done.run("run", place.file, "--plan", Self.plan(place), "--sandbox") == 0, "\(done.standardError)")
        #expect(try Value(json: done.standardOutput) == plan["output"])
        // Without the plan, it is the clock's.
        let other = place.console()
        #expect(await other.run("run", place.file, "--sandbox") == 0, "\(other.standardError)")
        #expect(try Value(json: other.standardOutput) != plan["output"])
    }

    @Test(arguments: [
        (age: 90_000, options: [], status: 2, words: "more than 1 d ago: make it again"),
        (90_000, ["--max-age", "26h"], 0, ""), (3_000, [], 0, ""),
        (3_000, ["--max-age", "30m"], 2, "more than 30 min ago: make it again"),
        (-3_000, ["--max-age", "26h"], 2, "which is in the future"), (-60, [], 0, ""),
    ])
    func `an older plan is refused before anything is sent`(
        age: Double, options: [String], status: Int32, words: String
    ) async throws {
        let place = try WorkflowPlace(Self.timed)
        let plan = Self.plan(place)
        #expect(await place.console().run("run", place.file, "--dry-run", "--plan-out", plan) == 0)
        // Made by another process, some time ago.
        // Real time: each age is ten minutes or more from its limit, or moves away from it.
        let moment = Date(timeIntervalSinceNow: -age)
        let workflow = try Workflow(contentsOf: URL(fileURLWithPath: place.file))
        var runner = Runner(graph: GraphClient(credential: .fixed(AccessToken("x"))))
        runner.now = { moment }
        let old = try await runner.plan(workflow).value
        try Data(ApprovedPlan(old).value.json().utf8).write(to: URL(fileURLWithPath: plan))
        let console = place.console()
        let result = await console.run(["run", place.file, "--plan", plan, "--sandbox"] + options)
        #expect(result == status, "\(console.standardError)")
        #expect(words.isEmpty || console.standardError.contains(words), "\(console.standardError)")
    }

    @Test(arguments: [["run"], ["batch", "--each", "x.csv"], ["resume"]])
    func `an age is for a plan`(command: [String]) async throws {
        let place = try WorkflowPlace(Self.timed)
        let console = place.console()
        #expect(await console.run(command + [place.file, "--max-age", "1h"]) == 64)
        #expect(console.standardError.contains("'--max-age' needs an approved plan"), "\(console.standardError)")
    }
}

extension Value {
    /// The data with another value at a path, or without one.
    fileprivate func setting(_ value: Value?, at path: ArraySlice<String>) -> Value {
        guard let name = path.first else { return value ?? .null }
        var members = object ?? [:]
        let rest = path.dropFirst()
        members[name] = rest.isEmpty ? value : (members[name] ?? [:]).setting(value, at: rest)
        return .object(members)
    }
}
