import Foundation
import Testing
import Workflows

/// A folder with a workflow file and its runs.
final class WorkflowPlace: Sendable {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appendingPathComponent("place-\(UUID().uuidString)", isDirectory: true)
    var file: String { folder.appendingPathComponent("workflow.yaml").path }
    var home: String { folder.appendingPathComponent("home").path }

    /// - Parameters:
    ///   - tasks: The list under `do`, in YAML, indented by two.
    ///   - head: More members of the workflow, such as `use`.
    init(_ tasks: String, head: String = "") throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(tasks, head: head)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ tasks: String, head: String = "") throws {
        let document = "document: { dsl: 1.0.3, namespace: tests, name: resume, version: 1.0.0 }\n"
        let text = document + (head.isEmpty ? "" : head + "\n") + "do:\n" + tasks
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }

    /// A file next to the workflow that only its owner may read.
    func secrets(_ text: String) throws -> String {
        let path = folder.appendingPathComponent("secrets.yaml").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    func console(_ environment: [String: String] = [:]) -> TestConsole {
        TestConsole(environment: variables(environment))
    }

    /// The program, in its own process.
    func process(_ arguments: [String], _ environment: [String: String] = [:]) throws -> GraphflowProcess {
        try GraphflowProcess(arguments, environment: variables(environment))
    }

    private func variables(_ more: [String: String]) -> [String: String] {
        ["GRAPHFLOW_HOME": home, "GRAPHFLOW_ACCESS_TOKEN": "x"].merging(more) { $1 }
    }

    /// Runs the workflow and returns the run's id.
    func run(_ options: String...) async throws -> String {
        #expect(await console().run(["run", file] + options) == 0)
        return try #require(try runs.first)
    }

    /// The ids of the runs.
    var runs: [String] {
        get throws { try RunsFolder.standard(environment: ["GRAPHFLOW_HOME": home]).names }
    }

    /// The output of `graphflow runs` for the only run.
    func state() async throws -> String? {
        let console = console()
        #expect(await console.run("runs", "--json") == 0)
        return try Value(json: console.standardOutput)[0]?["state"]?.string
    }

    /// The lines of a run's journal.
    func journal(_ run: String) throws -> [String] {
        try String(contentsOf: URL(fileURLWithPath: "\(home)/runs/\(run)/journal.jsonl"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    /// Removes lines from the end of a journal.
    func cut(_ run: String, keeping isKept: (String) -> Bool) throws {
        let lines = try journal(run)
        let kept = lines.prefix(while: isKept)
        #expect(kept.count > 1 && kept.count < lines.count)
        try Data((kept.joined(separator: "\n") + "\n").utf8)
            .write(to: URL(fileURLWithPath: "\(home)/runs/\(run)/journal.jsonl"))
        try? FileManager.default.removeItem(atPath: "\(home)/runs/\(run)/output.json")
    }

    /// Expects that no file of any run contains one of the texts, plain or as services encode it.
    func expectNothing(of texts: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let folder = URL(fileURLWithPath: home)
        let paths = try #require(FileManager.default.subpaths(atPath: folder.path))
        let files = paths.compactMap { path in
            FileManager.default.contents(atPath: folder.appendingPathComponent(path).path).map { (path, $0) }
        }
        #expect(files.contains { $0.0.hasSuffix("journal.jsonl") && !$0.1.isEmpty }, sourceLocation: sourceLocation)
        for (path, bytes) in files {
            for text in texts {
                let ways = [
                    text, Data(text.utf8).base64EncodedString(),
                    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text,
                ]
                for way in ways {
                    #expect(bytes.range(of: Data(way.utf8)) == nil, "\(path)", sourceLocation: sourceLocation)
                }
            }
        }
    }
}
