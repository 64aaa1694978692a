import Foundation
import Testing
import Workflows

@testable import graphflow

/// No output of a command replaces a file that the command reads, whatever the two are called.
@Suite struct CommandFilesTests {
    /// How a second path leads to a file.
    enum Way: CaseIterable {
        case same, dotted, roundabout, relative, link, linkedLink, linkedFolder, hardLink

        func path(to file: String, in folder: URL) throws -> String {
            let files = FileManager.default
            let target = folder.appendingPathComponent(file).path
            let other = folder.appendingPathComponent("andere ü😀'\(UUID().uuidString).jsonl").path
            switch self {
            case .same: return target
            case .dotted: return folder.path + "/./" + file
            case .roundabout: return folder.path + "/inner/../" + file
            case .relative:
                let up = files.currentDirectoryPath.split(separator: "/").map { _ in ".." }.joined(separator: "/")
                return up + target
            case .link: try files.createSymbolicLink(atPath: other, withDestinationPath: target)
            case .linkedLink:
                try files.createSymbolicLink(atPath: other + "1", withDestinationPath: target)
                try files.createSymbolicLink(atPath: other, withDestinationPath: other + "1")
            case .linkedFolder:
                try files.createSymbolicLink(atPath: other, withDestinationPath: folder.path)
                return other + "/" + file
            case .hardLink: try files.linkItem(atPath: target, toPath: other)
            }
            return other
        }
    }

    struct Attack: CustomTestStringConvertible, Sendable {
        /// What is read, by its name in the folder.
        let input: String
        /// The words, in which `/NAME` is a file of the folder and `OUT` the output.
        let words: String
        var testDescription: String { words }

        init(_ input: String, _ words: String) { (self.input, self.words) = (input, words) }
    }

    private static let attacks = [
        Attack("workflow.yaml", "run /workflow.yaml --dry-run --plan-out OUT"),
        Attack("workflow.yaml", "run /workflow.yaml --sandbox --events OUT"),
        Attack("workflow.yaml", "run /workflow.yaml --sandbox --events=OUT"),
        Attack("vorlage ü.txt", "run /workflow.yaml --sandbox --events OUT"),
        Attack("vorlage ü.txt", "run /workflow.yaml --dry-run --plan-out OUT"),
        Attack("schema.json", "run /workflow.yaml --sandbox --events OUT"),
        Attack("inner/called.yaml", "run /inner/calling.yaml --sandbox --events OUT"),
        Attack("input.json", "run /workflow.yaml --input @/input.json --sandbox --events OUT"),
        Attack("input.json", "run /workflow.yaml --input=@/input.json --dry-run --plan-out OUT"),
        Attack("input.json", "run /workflow.yaml -p file=input.json --sandbox --events OUT"),
        Attack("mocks.yaml", "run /workflow.yaml --sandbox --mock /mocks.yaml --events OUT"),
        Attack("sandbox.yaml", "run /workflow.yaml --sandbox=/sandbox.yaml --events OUT"),
        Attack("secrets.yaml", "run /workflow.yaml --sandbox --secrets /secrets.yaml --events OUT"),
        Attack("values.env", "run /workflow.yaml --sandbox --env-file /values.env --events OUT"),
        Attack("plan.json", "run /workflow.yaml --plan /plan.json --events OUT"),
        Attack("plan.json", "run /workflow.yaml --plan /plan.json --approval /input.json --events OUT"),
        Attack("people.jsonl", "batch /workflow.yaml --each /people.jsonl --sandbox --results OUT"),
        Attack("people.jsonl", "batch /workflow.yaml --each /people.jsonl --sandbox --events OUT"),
        Attack("people.jsonl", "batch /workflow.yaml --each /people.jsonl --dry-run --plan-out OUT"),
        Attack("workflow.yaml", "batch /workflow.yaml --each /people.jsonl --sandbox --results OUT"),
        Attack("vorlage ü.txt", "batch /workflow.yaml --each /people.jsonl --sandbox --results OUT"),
        Attack("plan.json", "show /plan.json --html OUT"),
        Attack("plan.json", "approve /plan.json --out OUT"),
        Attack("input.json", "post /x --body @/input.json --sandbox --output OUT"),
        Attack("inner/scheduled.yaml", "serve /inner --sandbox --events OUT"),
        Attack("inner/scheduled.yaml", "serve /inner/scheduled.yaml --sandbox --events OUT"),
    ]

    private static let tasks = """
          - a: { call: readFile, with: { file: 'vorlage ü.txt' } }

        """
    private static func head(_ name: String) -> String {
        "document: { dsl: 1.0.3, namespace: tests, name: \(name), version: 1.0.0 }\n"
    }

    private func place() throws -> WorkflowPlace {
        let place = try WorkflowPlace(
            Self.tasks, head: "input: { schema: { resource: { endpoint: 'file://schema.json' } } }")
        let inner = place.folder.appendingPathComponent("inner")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        for (name, text) in [
            "vorlage ü.txt": "Hallo 😀\n", "schema.json": "{\"type\":\"object\"}", "input.json": "{\"a\":1}\n",
            "mocks.yaml": "[]\n", "sandbox.yaml": "profile: default\n", "values.env": "A=1\n",
            "people.jsonl": "{\"a\":1}\n{\"a\":2}\n", "plan.json": "{}\n",
            "inner/called.yaml": Self.head("called") + "do:\n  - a: { set: { x: 1 } }\n",
            "inner/calling.yaml": Self.head("calling")
                + "do:\n  - a: { run: { workflow: { namespace: tests, name: called, version: 1.0.0 } } }\n",
            "inner/scheduled.yaml": Self.head("scheduled")
                + "schedule: { every: PT1H }\ndo:\n  - a: { set: { x: 1 } }\n",
        ] {
            let file = place.folder.appendingPathComponent(name)
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
        _ = try place.secrets("a: secret\n")
        return place
    }

    /// The contents of all files in the folder but those of graphflow itself.
    private func contents(_ place: WorkflowPlace) -> [String: Data] {
        let names = (FileManager.default.subpaths(atPath: place.folder.path) ?? []).filter { !$0.hasPrefix("home") }
        return names.reduce(into: [:]) { all, name in
            all[name] = FileManager.default.contents(atPath: place.folder.appendingPathComponent(name).path)
        }
    }

    private func words(_ attack: String, _ output: String, _ place: WorkflowPlace) -> [String] {
        attack.split(separator: " ").map { word in
            if word.hasSuffix("OUT") { return word.dropLast(3) + output }
            guard let slash = word.firstIndex(of: "/"), word != "/x" else { return String(word) }
            return word[..<slash] + place.folder.path + word[slash...]
        }
    }

    @Test(arguments: attacks, Way.allCases)
    func `an output that is a file which the command reads is refused, and the file stays`(
        attack: Attack, way: Way
    ) async throws {
        let place = try place()
        let output = try way.path(to: attack.input, in: place.folder)
        let before = contents(place)
        let console = place.console()
        #expect(await console.run(words(attack.words, output, place)) == 64)
        let name = try #require(attack.input.split(separator: "/").last)
        let said = console.standardError
        #expect(said.contains("cannot be written") || attack.words.hasPrefix("approve"), "\(said)")
        #expect(said.contains(name) || said.contains("exists"), "\(said)")
        #expect(contents(place) == before)
    }

    @Test(arguments: Way.allCases)
    func `a batch that is resumed keeps its items, its workflow and its ledger`(way: Way) async throws {
        let place = try place()
        try place.write("  - a: { if: '${ .a == 2 }', raise: { error: { type: t, status: 400, title: t } } }\n")
        let people = place.folder.appendingPathComponent("people.jsonl").path
        let batch = ["batch", place.file, "--each", people, "--name", "b"]
        #expect(await place.console().run(batch) == 1)
        let ledger = try #require(
            FileManager.default.subpaths(atPath: place.home)?.first { $0.hasSuffix("ledger.jsonl") })
        for (input, option) in [
            ("people.jsonl", "--results"), ("people.jsonl", "--events"), ("workflow.yaml", "--events"),
            ("home/" + ledger, "--results"), ("home/" + ledger, "--events"),
        ] {
            let file = place.folder.appendingPathComponent(input)
            let before = try Data(contentsOf: file)
            let output = try way.path(to: input, in: place.folder)
            let console = place.console()
            // By another name, a file of graphflow's own is not known.
            if way == .hardLink, input.hasPrefix("home") { continue }
            #expect(await console.run("resume", "b", option, output) == 64)
            #expect(console.standardError.contains("cannot be written"), "\(console.standardError)")
            #expect(try Data(contentsOf: file) == before)
        }
    }

    @Test func `a command that fails before it writes leaves the former file`() async throws {
        let place = try place()
        let output = place.folder.appendingPathComponent("former").path
        try Data("former\n".utf8).write(to: URL(fileURLWithPath: output))
        for words in [
            "run /workflow.yaml --input 1 --sandbox --events OUT", "run /nowhere.yaml --dry-run --plan-out OUT",
            "batch /workflow.yaml --each /nowhere.jsonl --sandbox --results OUT", "show nothing --html OUT",
            "batch /workflow.yaml --each /people.jsonl --key .[ --sandbox --events OUT",
            "resume nothing --events OUT",
        ] {
            #expect(await place.console().run(self.words(words, output, place)) != 0)
            #expect(try String(contentsOfFile: output, encoding: .utf8) == "former\n", "\(words)")
        }
    }

    @Test func `a page replaces the former one as a whole, with its permissions`() async throws {
        let place = try place()
        let run = try await place.run("--input", "{}")
        let output = place.folder.appendingPathComponent("page ü.html").path
        let other = place.folder.appendingPathComponent("other").path
        try Data("former\n".utf8).write(to: URL(fileURLWithPath: output))
        try FileManager.default.linkItem(atPath: output, toPath: other)
        #expect(await place.console().run("show", run, "--html", output) == 0)
        #expect(try String(contentsOfFile: output, encoding: .utf8).hasPrefix("<!doctype html>"))
        // It was put in the place of the former one, which still has its other name.
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "former\n")
        let mode = try FileManager.default.attributesOfItem(atPath: output)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place.folder.path).allSatisfy { !$0.hasSuffix(".tmp") })
    }

    @Test func `an option that names an output says so`() {
        let outputs = Set(["events", "results", "plan-out", "html", "evidence", "out", "output", "coverage"])
        for command in CommandLineTool.commands {
            for option in command.options {
                // Of `show`, --events is a flag.
                let isOutput = outputs.contains(option.name) && (command.name, option.name) != ("show", "events")
                #expect(option.isOutput == isOutput, "\(command.name) \(option.dashed)")
            }
        }
    }
}
