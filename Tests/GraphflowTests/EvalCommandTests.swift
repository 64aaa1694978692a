import Foundation
import Testing
import Workflows

@testable import graphflow

/// `graphflow eval`: an author tries an expression.
@Suite struct EvalCommandTests {
    private func write(_ text: String, as name: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "eval-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    @Test func `every output is on a line of its own`() async throws {
        let console = TestConsole()
        let file = try write("{\"a\": [1, \"two\", {\"b\": 3}]}", as: "data.json")
        #expect(await console.run("eval", ".a[]", file) == 0)
        #expect(console.standardOutput == "1\n\"two\"\n{\"b\":3}\n")
    }

    @Test func `the braces of a workflow may stay, and the file may be a workflow`() async throws {
        let console = TestConsole()
        let sample = Repository.path("workflows/share-profile-photo.yaml")
        #expect(await console.run("eval", "${ .document.name }", sample, "--raw") == 0)
        #expect(console.standardOutput == "share-profile-photo\n")
    }

    @Test func `at a terminal an expression needs no input`() async {
        let console = TestConsole()
        #expect(await console.run("eval", "[1, 2] | add") == 0)
        #expect(console.standardOutput == "3\n")
    }

    @Test func `an error while evaluating ends with 1`() async {
        let console = TestConsole()
        #expect(await console.run("eval", "error(\"no\")") == 1)
        #expect(console.standardOutput.isEmpty)
        #expect(console.standardError == "error: no\n")
    }

    @Test func `an expression that cannot be read ends with 2, with a caret at the character`() async {
        let console = TestConsole()
        #expect(await console.run("eval", ".a | lenght") == 2)
        #expect(console.standardError == "EXPRESSION:1:6: error: lenght/0 is not defined\n.a | lenght\n     ^\n")
    }

    @Test func `an input that cannot be read ends with 2`() async throws {
        let console = TestConsole()
        let file = try write("{\"a\": ", as: "data.json")
        #expect(await console.run("eval", ".a", file) == 2)
        #expect(console.standardError.contains("data.json:1:7: error: "))
        #expect(await TestConsole().run("eval", ".", "/nowhere/data.json") == 2)
        #expect(await TestConsole().run("eval") == 64)
    }
}
