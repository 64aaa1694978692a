import Foundation
import Testing
import Workflows

@testable import graphflow

/// `graphflow eval`: an author tries an expression.
@Suite final class EvalCommandTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "eval-\(UUID().uuidString)", isDirectory: true)

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func write(_ text: String, as name: String) throws -> String {
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
        #expect(
            console.standardError
                == "EXPRESSION:1:6: error: lenght/0 is not defined\n.a | lenght\n     ^\nhint: did you mean 'length'?\n"
        )
    }

    @Test func `an input that cannot be read ends with 2`() async throws {
        let console = TestConsole()
        let file = try write("{\"a\": ", as: "data.json")
        #expect(await console.run("eval", ".a", file) == 2)
        #expect(console.standardError.contains("data.json:1:7: error: "))
        #expect(await TestConsole().run("eval", ".", "/nowhere/data.json") == 2)
        #expect(await TestConsole().run("eval") == 64)
    }

    @Test(arguments: [
        (["-r", ".[1]"], "two\n"), (["-rc", ".[1:]"], "[\"two\",null]\n"), (["-j", ".[:2][]"], "1two"),
        (["-n", "."], "null\n"), (["-nr", "\"a\""], "a\n"), (["-s", "."], "[[1,\"two\",null]]\n"),
        (["-.[0]"], "-1\n"), (["-1", "-c"], "-1\n"), (["--", "-length"], "-3\n"),
        (["$a + $b.c", "--arg", "a", "x", "--argjson", "b", "{\"c\": \"y\"}", "-r"], "xy\n"),
        (["-r", "--arg", "a", "-x", "$a, $ARGS.named.a"], "-x\n-x\n"),
    ])
    func `jq's options mean what they mean there`(_ arguments: [String], _ output: String) async throws {
        let console = TestConsole()
        let file = try write("[1, \"two\", null]", as: "data.json")
        #expect(await console.run(["eval"] + arguments + [file]) == 0, "\(console.standardError)")
        #expect(console.standardOutput == output)
    }

    @Test(arguments: [("1", 0), ("1, null", 1), ("null, 1", 0), ("false", 1), ("empty", 4), ("error(\"x\")", 1)])
    func `the last output decides how it ends, if that is asked for`(_ program: String, _ status: Int32) async {
        #expect(await TestConsole().run("eval", "-ne", program) == status)
        #expect(await TestConsole().run("eval", "-n", program) == (program.hasPrefix("error") ? 1 : 0))
    }

    @Test func `outputs before an error are printed`() async {
        let console = TestConsole()
        #expect(await console.run("eval", "1, 2, error(\"no\")") == 1)
        #expect(console.standardOutput == "1\n2\n")
        #expect(console.standardError == "error: no\n")
    }

    @Test func `each of several JSON values is an input`() async throws {
        let console = TestConsole()
        let file = try write("{\"a\": 1}\n{\"a\": 2} 3\n", as: "data.jsonl")
        #expect(await console.run("eval", ".a?", file) == 0)
        #expect(console.standardOutput == "1\n2\n")
        #expect(await console.run("eval", "-s", "length", file) == 0)
        #expect(console.standardOutput == "1\n2\n3\n")
    }

    @Test func `a variable that is not set is shown with the option that sets it`() async {
        let console = TestConsole()
        #expect(await console.run("eval", "1 + $x") == 2)
        #expect(
            console.standardError
                == "EXPRESSION:1:5: error: $x is not defined: set it with --arg or --argjson\n1 + $x\n    ^\n")
        #expect(await console.run("eval", "$x", "--arg", "x") == 64)
    }

    @Test func `a file of YAML may have tags of its own and be large, other than a workflow`() async throws {
        let console = TestConsole()
        let tagged = "a: !Sub 'x'\nb: !Ref [1, !!int '2']\nc: !n 3\n"
        let file = try write(tagged, as: "data.yaml")
        #expect(await console.run("eval", ".", file) == 0)
        #expect(console.standardOutput == "{\"a\":\"x\",\"b\":[1,2],\"c\":3}\n")
        #expect(await console.run("validate", file) == 2)
        #expect(console.standardError.contains("the tag '!Sub' is not known"))
        let line = "- \(String(repeating: "1", count: 98))a\n"
        let large = try write(String(repeating: line, count: 120_000), as: "large.yml")
        #expect(await console.run("eval", "length", large) == 0)
        #expect(console.standardOutput.hasSuffix("\n120000\n"))
    }
}
