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

    @Test func `without a journal nothing is kept`() async throws {
        let place = try WorkflowPlace(Self.tasks)
        #expect(await place.console().run("run", place.file, "--no-journal") == 0)
        #expect(await place.console().run("run", place.file, "--dry-run") == 0)
        #expect(!FileManager.default.fileExists(atPath: place.home))
    }
}
