import Foundation
import TestSupport
import Testing

/// `graphflow graph`, and the drawings of the samples as they were last reviewed.
@Suite struct GraphCommandTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Snapshots/graph")
    private static let extensions = ["mermaid": "mmd", "dot": "dot", "svg": "svg"]

    @Test(arguments: SampleWorkflow.files, ["mermaid", "dot", "svg"])
    func `the samples look as they did`(_ name: String, _ format: String) async throws {
        let console = TestConsole()
        #expect(await console.run("graph", Repository.path("workflows/\(name)"), "--format", format) == 0)
        #expect(console.standardError == "")
        let file = Self.folder.appendingPathComponent(name).deletingPathExtension()
            .appendingPathExtension(Self.extensions[format] ?? format)
        if ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1" {
            try Data(console.standardOutput.utf8).write(to: file)
        }
        let expected = try? String(contentsOf: file, encoding: .utf8)
        #expect(console.standardOutput == expected, "\(file.path) differs: run the tests with UPDATE_SNAPSHOTS=1")
    }

    @Test func `Mermaid is the default`() async throws {
        let console = TestConsole()
        #expect(await console.run("graph", Repository.path("workflows/race.yaml")) == 0)
        #expect(console.standardOutput.contains("\nflowchart TD\n"))
    }

    @Test func `a command line that is wrong is explained`() async throws {
        for (arguments, message) in [
            (["graph"], "needs a workflow file"), (["graph", "a", "b"], "takes one workflow file"),
            (["graph", "a", "--format", "svgg"], "did you mean 'svg'?"),
            (["graph", "a", "--format", "pdf"], "choose one of mermaid, dot, svg"),
        ] {
            let console = TestConsole()
            #expect(await console.run(arguments) == 64)
            #expect(console.standardError.contains(message), "\(console.standardError)")
        }
    }

    @Test func `what cannot be run is not drawn`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("graph-\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = """
            document: { dsl: 1.0.3, namespace: samples, name: broken, version: 1.0.0 }
            do: [ { a: { cal: me } } ]
            """
        try Data(text.utf8).write(to: file)
        let console = TestConsole()
        #expect(await console.run("graph", file.path) == 2)
        #expect(console.standardOutput == "")
        #expect(console.standardError.contains("did you mean 'call'?"))
    }
}
