import Foundation
import Testing
import Workflows

@testable import graphflow

/// The diagnostics of broken workflows, word for word.
@Suite struct BrokenWorkflowsTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Snapshots")

    /// The workflows of the fixture by their faults, in the order of the file.
    private func workflows() throws -> [(name: String, text: String)] {
        let fixture = try String(
            contentsOf: Self.folder.appendingPathComponent("broken-workflows.txt"), encoding: .utf8)
        return fixture.components(separatedBy: "=== ").dropFirst().map { part in
            let end = part.firstIndex(of: "\n") ?? part.endIndex
            return (String(part[..<end]), String(part[end...].dropFirst()))
        }
    }

    private func findings(in text: String) throws -> [Diagnostic] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "broken-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = URL(fileURLWithPath: "workflow.yaml", relativeTo: folder)
        try Data(text.utf8).write(to: file)
        return Workflow.check(contentsOf: file).diagnostics
    }

    @Test func `each reads like advice`() throws {
        let snapshot = Self.folder.appendingPathComponent("broken-workflows.out.txt")
        let actual = try workflows().map { name, text in
            try "=== \(name)\n" + findings(in: text).map { $0.text() + "\n" }.joined()
        }.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1" {
            try Data(actual.utf8).write(to: snapshot)
        }
        let expected = try String(contentsOf: snapshot, encoding: .utf8).components(separatedBy: "=== ")
        for (actual, expected) in zip(actual.components(separatedBy: "=== "), expected) { #expect(actual == expected) }
        #expect(expected.count == actual.components(separatedBy: "=== ").count)
    }

    @Test func `each has a finding, and it is as bad as it says`() throws {
        for (name, text) in try workflows() {
            let findings = try findings(in: text)
            #expect(!findings.isEmpty, "\(name)")
            let hasError = findings.contains { $0.severity == .error }
            #expect(hasError != name.hasPrefix("warning:"), "\(name)")
        }
    }

    @Test func `warnings are errors when the author wants it`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("strict-\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        let warned = try #require(try workflows().first { $0.name.hasPrefix("warning: a task that nothing reaches") })
        try Data(warned.text.utf8).write(to: file)
        #expect(await TestConsole().run("validate", file.path) == 0)
        #expect(await TestConsole().run("validate", "--strict", file.path) == 2)
    }

    @Test func `findings are written for programs, too`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("format-\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        let broken = try #require(try workflows().first { $0.name == "an unknown function" })
        try Data(broken.text.utf8).write(to: file)
        let json = TestConsole()
        #expect(await json.run("validate", "--format", "json", file.path) == 2)
        let finding = try Value(json: json.standardOutput)[0]
        #expect(finding?["id"] == "unknown-function")
        #expect(finding?["line"] == 3)
        #expect(finding?["column"] == 20)
        #expect(finding?["hint"]?.string?.contains("'photo'") == true)
        let sarif = TestConsole()
        #expect(await sarif.run("validate", "--format", "sarif", file.path) == 2)
        let result = try Value(json: sarif.standardOutput)["runs"]?[0]?["results"]?[0]
        #expect(result?["locations"]?[0]?["physicalLocation"]?["region"]?["startLine"] == 3)
        let github = TestConsole()
        #expect(await github.run("validate", "--format", "github", file.path) == 2)
        #expect(github.standardOutput.hasPrefix("::error file=\(file.path),line=3,col=20,"))
    }
}
