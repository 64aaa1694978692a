import Foundation
import TestSupport
import Testing

@testable import Workflows
@testable import graphflow

/// `graphflow show --html`: a page in which nothing from outside is markup.
@Suite struct RunPageTests {
    private let runs = TemporaryRuns()
    private let run = "01J00000000000000000000001"
    private static let hostile =
        "</script><script>alert(1)</script><!--<b onclick=x>\"'&amp;]]>\u{2028}\u{2029}\u{202E}\u{1B}[2J\u{0}"

    private func page() async throws -> String {
        let console = TestConsole(environment: ["GRAPHFLOW_HOME": runs.home.path])
        #expect(await console.run(["show", run, "--html", "-"]) == 0, "\(console.standardError)")
        return console.standardOutput
    }

    /// What is between two texts, as often as they occur.
    private func parts(of page: String, from start: String, to end: String) -> [String] {
        page.components(separatedBy: start).dropFirst().compactMap { $0.components(separatedBy: end).first }
    }

    private func data(in page: String) throws -> Value {
        try Value(json: try #require(parts(of: page, from: #"id="data">"#, to: "</script>").first))
    }

    @Test func `names, data and errors with markup are text and nothing else`() async throws {
        var workflow = TemporaryRuns.workflow
        (workflow.name, workflow.title) = (Self.hostile, Self.hostile)
        let task = JSONPointer(["do", "0", Self.hostile])
        let error = WorkflowError([
            "type": "x", "status": 500, "title": .string(Self.hostile), "detail": .string(Self.hostile),
            "instance": .string(task.description),
        ])
        try runs.record(
            [
                .workflowStarted(input: .string(Self.hostile), context: 1), .taskStarted(task, input: nil),
                .taskRetried(task, attempt: 2, delay: .seconds(1), error: error), .taskFaulted(task, error),
                .workflowFaulted(error),
            ], as: run, workflow: workflow)
        let page = try await page()
        #expect(parts(of: page, from: "<script", to: ">") == [#" type="application/json" id="data""#, ""])
        #expect(parts(of: page, from: "</script", to: ">").count == 2)
        #expect(!page.contains("<b onclick") && !page.contains("<!--"))
        #expect(!page.contains("\u{2028}") && !page.contains("\u{2029}"))
        let data = try data(in: page)
        #expect(data["workflow"]?.string == Self.hostile)
        #expect(data["error"]?["detail"]?.string == Self.hostile)
        #expect(data["tasks"]?[0]?["name"]?.string == Self.hostile)
    }

    @Test func `the policy allows the page's own script and style, and nothing else`() async throws {
        try runs.record([.workflowStarted(input: 1, context: 1)], as: run)
        let page = try await page()
        func hash(_ text: String) -> String {
            "'sha256-\(Data(SHA256.hash(of: Data(text.utf8))).base64EncodedString())'"
        }
        let script = try #require(parts(of: page, from: "<script>", to: "</script>").first)
        let style = try #require(parts(of: page, from: "<style>", to: "</style>").first)
        #expect(
            parts(of: page, from: #"Policy" content=""#, to: "\"") == [
                "default-src 'none'; script-src \(hash(script)); style-src \(hash(style)); "
                    + "base-uri 'none'; form-action 'none'"
            ])
        // An attribute of style or of an event would be refused by it.
        #expect(!page.contains(" style=\"") && !page.contains("innerHTML") && !page.contains("http-equiv=\"refresh"))
    }

    @Test func `a text of 10 MB is cut, and what a script or a terminal would take as an end is escaped`() async throws
    {
        let task = JSONPointer(["do", "0", "a"])
        let large = Value.string(String(repeating: "x", count: 10 << 20))
        try runs.record(
            [
                .workflowStarted(input: 1, context: 1), .taskStarted(task, input: nil),
                .taskCompleted(task, output: large, context: nil, then: .continue), .workflowCompleted(output: large),
            ], as: run)
        let page = try await page()
        #expect(page.utf8.count < 500_000)
        #expect(try data(in: page)["output"]?.string?.hasSuffix("… (10.5 MB in all)") == true)
    }

    @Test func `without JavaScript the page has what show prints`() async throws {
        let task = JSONPointer(["do", "0", "<a>"])
        try runs.record([.workflowStarted(input: 1, context: 1), .taskStarted(task, input: nil)], as: run)
        let text = try #require(parts(of: try await page(), from: #"tabindex="0">"#, to: "</pre>").first)
        #expect(text.contains("\nstate    interrupted\n"))
        #expect(text.contains("… &lt;a&gt;          interrupted"))
        #expect(text.hasSuffix("\n  graphflow resume \(run)"))
    }

    @Test func `an error has its place in the file, and tasks have their lines`() async throws {
        let place = try WorkflowPlace(
            """
              - first: { set: { a: 1 } }
              - second:
                  raise: { error: { type: https://example.com/x, status: 400, title: Bad } }
            """)
        let console = place.console()
        #expect(await console.run("run", place.file) == 1)
        let name = try #require(try place.runs.first)
        let file = place.folder.appendingPathComponent("run.html").path
        #expect(await place.console().run("show", name, "--html", file) == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let page = try String(contentsOfFile: file, encoding: .utf8)
        let data = try data(in: page)
        #expect(data["lines"] == ["/do/0/first": 3, "/do/1/second": 4])
        #expect(data["source"]?["line"] == 4)
        #expect(data["source"]?["first"] == 1)
        #expect(data["source"]?["lines"]?[3] == "  - second:")
        #expect(page.contains(#"<g class="node raise" data-task="/do/1/second">"#))
    }

    @Test func `secrets are concealed in it`() async throws {
        let place = try WorkflowPlace(
            """
              - use: { set: { key: "${ $secrets.key }" } }
            """, head: "use: { secrets: [ key ] }")
        let secrets = try place.secrets("key: wormwood-and-gall\n")
        #expect(await place.console().run("run", place.file, "--secrets", secrets) == 0)
        let name = try #require(try place.runs.first)
        for options in [["--html", "-"], ["--data"], ["--json", "--data"]] {
            let console = place.console()
            #expect(await console.run(["show", name] + options) == 0)
            #expect(console.standardOutput.contains("‹secrets.key›"))
            #expect(!console.standardOutput.contains("wormwood"))
        }
    }
}
