import Foundation
import Testing
import Workflows

/// `graphflow resume`, on runs whose journal has lost its end.
@Suite struct ResumeCommandTests {
    private static let tasks = """
          - first: { set: { n: 1 } }
          - second: { set: '${ { n: (.n + 1) } }' }

        """

    @Test func `a run goes on behind its last task, and a complete one gives its output again`() async throws {
        let place = try WorkflowPlace(Self.tasks)
        let run = try await place.run()
        try place.cut(run) { !$0.contains("/do/1/second") }
        for _ in 1...2 {
            let console = place.console()
            #expect(await console.run("resume", String(run.prefix(20)).lowercased()) == 0, "\(console.standardError)")
            #expect(console.standardOutput == "{\"n\":2}\n")
            #expect(!console.standardError.contains("first"))
        }
        let shown = place.console()
        #expect(await shown.run("runs", "--json") == 0)
        #expect(try Value(json: shown.standardOutput)[0]?["state"] == "completed")
    }

    @Test func `what cannot be resumed is refused with what to type`() async throws {
        let place = try WorkflowPlace(Self.tasks)
        let sandboxed = try await place.run("--sandbox")
        try place.cut(sandboxed) { !$0.contains("/do/1/second") }
        let first = place.console()
        #expect(await first.run("resume", sandboxed) == 64)
        #expect(first.standardError.contains("graphflow sandbox"))
        let second = place.console()
        #expect(await second.run("resume", "nothing") == 64)
        #expect(second.standardError.contains("graphflow runs"))
        let third = place.console()
        #expect(await third.run("resume", sandboxed, "--assume", "perhaps") == 64)
        #expect(third.standardError.contains("--assume not-sent"))
        let fourth = place.console()
        #expect(await fourth.run("resume") == 64)
    }

    @Test func `another Microsoft Graph than the run's is refused`() async throws {
        let place = try WorkflowPlace(Self.tasks)
        let run = try await place.run()
        try place.cut(run) { !$0.contains("/do/1/second") }
        let console = place.console(["GRAPHFLOW_GRAPH_URL": "http://127.0.0.1:9/v1.0"])
        #expect(await console.run("resume", run) == 64)
        #expect(
            console.standardError.contains(
                "GRAPHFLOW_GRAPH_URL=https://graph.microsoft.com/v1.0 graphflow resume \(run)"))
    }

    @Test func `a changed file is refused until the changes are accepted, and what is kept is said`() async throws {
        let place = try WorkflowPlace(Self.tasks)
        let run = try await place.run()
        try place.cut(run) { !$0.contains("workflow.completed") }
        try place.write(Self.tasks.replacing(".n + 1", with: ".n + 10"))
        let refused = place.console()
        #expect(await refused.run("resume", run) == 2)
        #expect(refused.standardError.contains("graphflow resume \(run) --accept-changes"))
        let accepted = place.console()
        #expect(await accepted.run("resume", run, "--accept-changes") == 0, "\(accepted.standardError)")
        #expect(accepted.standardOutput == "{\"n\":11}\n")
        #expect(accepted.standardError.contains("kept: /do/0/first"))
        #expect(accepted.standardError.contains("performed again, with all tasks after it: /do/1/second"))
    }

    @Test func `a program whose end nobody knows is asked about, with exit 4`() async throws {
        let place = try WorkflowPlace("  - say: { run: { shell: { command: echo hello } } }\n")
        let run = try await place.run()
        try place.cut(run) { !$0.contains("call.ended") }
        let asked = place.console()
        #expect(await asked.run("resume", run) == 4)
        #expect(asked.standardError.contains("workflow.yaml:3:"))
        #expect(asked.standardError.contains("graphflow resume \(run) --assume not-sent"))
        let answered = place.console()
        #expect(await answered.run("resume", run, "--assume", "not-sent") == 0, "\(answered.standardError)")
        #expect(answered.standardOutput == "\"hello\"\n")
    }

    @Test func `what somebody says of an effect is in the account`() async throws {
        let place = try WorkflowPlace("  - say: { run: { shell: { command: echo hello } } }\n")
        let run = try await place.run()
        try place.cut(run) { !$0.contains("call.ended") }
        func state() async throws -> Value? {
            let console = place.console()
            #expect(await console.run("effects", run, "--format", "json") == 0)
            return try Value(json: console.standardOutput)["state"]
        }
        #expect(try await state() == "unknown")
        #expect(await place.console().run("resume", run, "--assume", "sent") == 0)
        #expect(try await state() == "done")
    }

    @Test func `without a journal nothing is kept`() async throws {
        let place = try WorkflowPlace(Self.tasks)
        #expect(await place.console().run("run", place.file, "--no-journal") == 0)
        #expect(await place.console().run("run", place.file, "--dry-run") == 0)
        #expect(!FileManager.default.fileExists(atPath: place.home))
    }
}

/// `graphflow resume`, on runs that ended with an error.
@Suite struct ResumeFaultedCommandTests {
    /// A loop whose second round fails until the file is mended, around a program whose effects are counted.
    private static func tasks(_ expression: String = "$user.mail | length | -.") -> String {
        """
          - before: { run: { shell: { command: echo before >> "$EFFECTS", environment: { EFFECTS: '${ $workflow.input.effects }' } } }, output: { as: $input } }
          - each:
              for: { each: user, in: '${ [{ name: "Ada", mail: 1 }, { name: "Ben", mail: "b" }, { name: "Cid", mail: 3 }] }' }
              do:
                - ask: { set: '${ \(expression) }' }

        """
    }

    private func effects(_ place: WorkflowPlace) -> Int {
        let text = try? String(contentsOf: place.folder.appendingPathComponent("effects"), encoding: .utf8)
        return text?.split(separator: "\n").count ?? 0
    }

    /// Runs until the second round fails; returns the run's name and what standard error says.
    private func fault(_ place: WorkflowPlace, _ options: String...) async throws -> (run: String, said: String) {
        let console = place.console()
        let input = "effects=\(place.folder.appendingPathComponent("effects").path)"
        #expect(await console.run(["run", place.file, "-p", input] + options) == 1)
        return (try place.runs.first ?? "", console.standardError)
    }

    private static let failing = "if $user.mail == \"b\" then error(\"no\") else $user.name end"

    @Test func `what a faulted run prints ends with the command that goes on, which keeps what completed`() async throws
    {
        let place = try WorkflowPlace(Self.tasks(Self.failing))
        let (run, said) = try await fault(place)
        #expect(said.hasSuffix("resume with: graphflow resume \(run)\n"))
        let again = place.console()
        #expect(await again.run("resume", "last") == 1)
        #expect(again.standardError.hasSuffix("resume with: graphflow resume \(run)\n"))
        try place.write(Self.tasks("$user.name"))
        let refused = place.console()
        #expect(await refused.run("resume", run) == 2)
        let mended = place.console()
        #expect(await mended.run("resume", run, "--accept-changes") == 0, "\(mended.standardError)")
        #expect(mended.standardOutput == "\"Cid\"\n")
        #expect(effects(place) == 1)
        let done = place.console()
        #expect(await done.run("resume", run) == 0)
        #expect(done.standardOutput == "\"Cid\"\n")
        let none = place.console()
        #expect(await none.run("resume", "last") == 64)
        #expect(await place.console().run("show", "last") == 0)
    }

    @Test func `a resume names its run, and 'last' is asked about if a newer one has completed`() async throws {
        let place = try WorkflowPlace(Self.tasks(Self.failing))
        let (run, _) = try await fault(place)
        let words = "the run \(run) of 'resume', faulted, begun "
        let first = place.console()
        #expect(await first.run("resume", "last") == 1)
        #expect(first.standardError.hasPrefix(words), "\(first.standardError)")
        let other = place.folder.appendingPathComponent("other ü.yaml")
        try Data(
            "document: { dsl: 1.0.3, namespace: tests, name: other, version: 1.0.0 }\ndo: [ { a: { set: { b: 1 } } } ]\n"
                .utf8
        ).write(to: other)
        #expect(await place.console().run("run", other.path) == 0)
        let newer = try #require(try place.runs.first { $0 != run })
        let asked = place.console()
        #expect(await asked.run("resume", "last") == 64)
        #expect(asked.standardError.contains("a newer one has completed: the run \(newer) of 'other', completed"))
        #expect(asked.standardError.contains("'--yes': graphflow resume \(run)"), "\(asked.standardError)")
        for options in [["last", "--yes"], [run], [String(run.prefix(24)).lowercased()]] {
            let sure = place.console()
            #expect(await sure.run(["resume"] + options) == 1, "\(sure.standardError)")
            #expect(sure.standardError.hasSuffix("resume with: graphflow resume \(run)\n"))
        }
        let quiet = place.console()
        #expect(await quiet.run("resume", run, "--quiet") == 1)
        #expect(!quiet.standardError.contains(words))
    }

    @Test func `the end of a completed run is performed again from a task, and effects are guarded`() async throws {
        let place = try WorkflowPlace(
            """
              - first: { set: { n: 1 } }
              - second: { set: { n: '${ .n + 1 }' } }
              - third: { set: { n: '${ .n * 10 }' } }

            """, head: "")
        let run = try await place.run()
        let again = place.console()
        #expect(await again.run("resume", "last", "--from", "second") == 0, "\(again.standardError)")
        #expect(again.standardOutput == "{\"n\":20}\n")
        #expect(again.standardError.contains("✓ third") && !again.standardError.contains("✓ first"))
        let twice = place.console()
        #expect(await twice.run("resume", run, "--from", "third") == 0)
        #expect(twice.standardOutput == "{\"n\":20}\n")
        #expect(await place.console().run("rm", "last") == 0)
        #expect(try place.runs.isEmpty)
        #expect(await place.console().run("rm", "last") == 64)
    }

    @Test func `an error inside a loop says the round, its element and the place of the expression`() async throws {
        let place = try WorkflowPlace(Self.tasks(Self.failing))
        let (_, said) = try await fault(place)
        #expect(said.contains("workflow.yaml:7:"))
        #expect(said.contains("task: /do/1/each/do/0/ask@for:1\n"))
        #expect(said.contains("round 2 of 'each': user = {\"name\":\"Ben\",\"mail\":\"b\"}\n"))
    }

    @Test func `an error in a function that a loop calls says the round of the loop`() async throws {
        let place = try WorkflowPlace(
            "  - each: { for: { in: '${ [1, 2] }' }, do: [{ go: { call: f, with: { x: '${ $item }' } } }] }\n",
            head: "use: { functions: { f: { set: '${ .x | if . == 2 then error(\"no\") else . end }' } } }")
        let console = place.console()
        #expect(await console.run("run", place.file) == 1)
        #expect(console.standardError.contains("\n  round 2 of 'each': item = 2\n"))
    }

    @Test func `where a run cannot be resumed, nothing says that it can`() async throws {
        let place = try WorkflowPlace(Self.tasks(Self.failing))
        #expect(try await !fault(place, "--sandbox").said.contains("resume"))
        #expect(try await !fault(place, "--no-journal").said.contains("resume"))
    }

    @Test func `an effect that must happen once is not repeated unless that is allowed`() async throws {
        let place = try WorkflowPlace(Self.tasks(Self.failing))
        let (run, _) = try await fault(place)
        let refused = place.console()
        #expect(await refused.run("resume", run, "--from", "before") == 2)
        #expect(refused.standardError.contains("must happen once: /do/0/before\n"))
        #expect(refused.standardError.contains("graphflow resume \(run) --from 'before' --repeat-effects"))
        #expect(effects(place) == 1)
        let allowed = place.console()
        #expect(await allowed.run("resume", run, "--from", "before", "--repeat-effects") == 1)
        #expect(effects(place) == 2)
        // A task without such an effect needs no permission.
        #expect(await place.console().run("resume", run, "--from", "each") == 1)
        #expect(effects(place) == 2)
        try place.write(Self.tasks("$user.name").replacing("echo before", with: "echo again"))
        let changed = place.console()
        #expect(await changed.run("resume", run, "--accept-changes") == 2)
        #expect(changed.standardError.contains("--accept-changes --repeat-effects"))
        #expect(effects(place) == 2)
    }

    @Test func `a task is named by its name, its pointer or its pointer with rounds`() async throws {
        let place = try WorkflowPlace(Self.tasks(Self.failing))
        let (run, _) = try await fault(place)
        for name in ["ask", "/do/1/each/do/0/ask"] {
            let several = place.console()
            #expect(await several.run("resume", run, "--from", name) == 64)
            #expect(several.standardError.contains("  /do/1/each/do/0/ask@for:0\n  /do/1/each/do/0/ask@for:1\n"))
        }
        let none = place.console()
        #expect(await none.run("resume", run, "--from", "nothing") == 64)
        #expect(none.standardError.contains("/do/0/before\n"))
        try place.write(Self.tasks("$user.name"))
        let one = place.console()
        #expect(
            await one.run("resume", run, "--from", "/do/1/each/do/0/ask@for:1", "--accept-changes") == 0,
            "\(one.standardError)")
        #expect(one.standardOutput == "\"Cid\"\n")
    }

    @Test(arguments: [["-p", "n=1"], ["--input", "{}"], ["--property=n=1"]])
    func `the input is part of the run`(options: [String]) async throws {
        let place = try WorkflowPlace(Self.tasks())
        let console = place.console()
        #expect(await console.run(["resume", "last"] + options) == 64)
        #expect(console.standardError.contains("the input is part of the run"))
        let help = place.console()
        #expect(await help.run("resume", "--help") == 0)
        #expect(!help.standardOutput.contains("--input"))
    }
}

/// `graphflow resume --dry-run`.
@Suite struct ResumeDryRunTests {
    private static func tasks(_ middle: String) -> String {
        """
          - before: { run: { shell: { command: echo ü; echo before >> "$EFFECTS", environment: { EFFECTS: '${ $workflow.input.effects }' } } } }
          - each: { for: { in: '${ ["a/ü@contoso.com", "b ‹x› 100 %"] }', each: x }, do: [{ say: { set: '${ $x }' } }] }
          - middle: { set: '${ \(middle) }' }
          - mail: { call: sendMail, with: { to: megan@contoso.com, subject: '${ "Grüße ‹\\(.)› 😀" }', body: hello } }

        """
    }

    @Test func `what is left is shown as a plan, and nothing is written, sent or repeated`() async throws {
        let place = try WorkflowPlace(Self.tasks("error(\"no\")"))
        let effects = place.folder.appendingPathComponent("effects").path
        #expect(await place.console().run("run", place.file, "-p", "effects=\(effects)") == 1)
        let run = try #require(try place.runs.first)
        try place.write(Self.tasks("."))
        let files = try place.contents()
        for options in [["--dry-run"], ["--dry-run", "--format", "json"], ["--dry-run", "--requests"]] {
            let console = place.console()
            #expect(
                await console.run(["resume", "last", "--accept-changes"] + options) == 0, "\(console.standardError)")
            #expect(console.standardError.hasPrefix("the run \(run) of 'resume', faulted, begun "))
            #expect(console.standardOutput.contains(run) && console.standardOutput.contains("megan@contoso.com"))
            #expect(console.standardOutput.contains("Grüße") && console.standardOutput.contains("100 %"))
            #expect(!console.standardOutput.contains("echo"))
            if options.contains("json") {
                let tasks = try Value(json: console.standardOutput)["tasks"]?.array ?? []
                #expect(tasks.compactMap { $0["name"]?.string } == ["middle", "mail"])
            }
            #expect(try place.contents() == files, "\(options)")
        }
        let refused = place.console()
        #expect(await refused.run("resume", run, "--dry-run") == 2)
        #expect(refused.standardError.contains("--accept-changes"))
    }

    @Test func `an unknown outcome is asked about, and the answer is planned`() async throws {
        let place = try WorkflowPlace(
            """
              - say: { run: { shell: { command: echo hello } } }
              - mail: { call: sendMail, with: { to: megan@contoso.com, subject: '${ "It said [\\(.)]" }', body: hello } }

            """)
        #expect(await place.console().run("run", place.file) == 1)
        let run = try #require(try place.runs.first)
        try place.cut(run) { !$0.contains("call.ended") }
        let files = try place.contents()
        let asked = place.console()
        #expect(await asked.run("resume", run, "--dry-run") == 4)
        #expect(asked.standardError.contains("graphflow resume \(run) --assume not-sent"))
        let sent = place.console()
        #expect(await sent.run("resume", run, "--dry-run", "--assume", "sent") == 0, "\(sent.standardError)")
        #expect(sent.standardOutput.contains("It said []") && !sent.standardOutput.contains("echo hello"))
        let repeated = place.console()
        #expect(await repeated.run("resume", run, "--dry-run", "--assume", "not-sent") == 0)
        #expect(repeated.standardOutput.contains("echo hello"), "\(repeated.standardOutput)")
        #expect(try place.contents() == files)
    }

    @Test func `what the journal conceals stays unknown, and its secrets are not needed`() async throws {
        let place = try WorkflowPlace(
            """
              - keep: { set: { all: '${ "x-\\($secrets.key)-y" }', alone: '${ $secrets.key }' } }
              - middle: { set: '${ error("no") }' }
              - post: { call: http, with: { method: post, endpoint: https://api.contoso.com/, body: '${ . }' } }

            """, head: "use: { secrets: [key] }")
        let secrets = try place.secrets("key: not-for-every-eye-123\n")
        #expect(await place.console().run("run", place.file, "--secrets", secrets) == 1)
        try place.write(
            """
              - keep: { set: { all: '${ "x-\\($secrets.key)-y" }', alone: '${ $secrets.key }' } }
              - middle: { set: '${ . }' }
              - post: { call: http, with: { method: post, endpoint: https://api.contoso.com/, body: '${ . }' } }

            """, head: "use: { secrets: [key] }")
        for format in ["text", "json", "curl"] {
            let console = place.console()
            let status = await console.run(
                "resume", "last", "--accept-changes", "--dry-run", "--requests", "--format", format)
            #expect(status == 0, "\(console.standardError)")
            #expect(console.standardOutput.contains("key"), "\(console.standardOutput)")
            #expect(!(console.standardOutput + console.standardError).contains("every-eye"))
        }
    }

    @Test func `a completed run has nothing left, and options that contradict each other are refused`() async throws {
        let place = try WorkflowPlace("  - first: { set: { n: 1 } }\n  - second: { set: { m: '${ .n }' } }\n")
        let run = try await place.run()
        let done = place.console()
        #expect(await done.run("resume", run, "--dry-run") == 0)
        #expect(done.standardOutput.isEmpty && done.standardError.contains("nothing is left"))
        let from = place.console()
        #expect(
            await from.run("resume", run, "--dry-run", "--from", "second", "--requests") == 0, "\(from.standardError)")
        #expect(from.standardOutput.contains("second") && !from.standardOutput.contains("first"))
        for options in [["--dry-run", "--plan", "x.json"], ["--format", "json"], ["--requests"], ["--dry-run=all"]] {
            let console = place.console()
            #expect(await console.run(["resume", run] + options) == 64, "\(options)")
        }
    }
}

extension WorkflowPlace {
    /// The contents of the files of all runs, by their paths.
    fileprivate func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: home) {
            contents[path] = FileManager.default.contents(atPath: home + "/" + path)
        }
        return contents
    }
}
