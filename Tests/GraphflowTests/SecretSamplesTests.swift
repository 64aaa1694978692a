import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHistory
@testable import Workflows

/// Every sample with a secret in each of its arguments, in the sandbox, and all that then leaves the process.
@Suite struct SecretSamplesTests {
    private static let secrets = ["s3cr3t-K3y", "it's a se/cr<e>t & ü"]
    /// The members whose texts a task sends, starts or returns.
    private static let members: Set<String> = ["with", "set", "run", "raise", "emit", "for"]

    /// The secret's text after a text or expression of the file.
    private static func adding(_ text: String) -> String {
        guard text.hasPrefix("${"), text.hasSuffix("}"), text.split(separator: "${").count == 1 else {
            return text + " ${ $secrets.key }"
        }
        let inner = text.dropFirst(2).dropLast()
        return "${ (\(inner)) as $v | if ($v | type) == \"string\" then $v + $secrets.key else $v end }"
    }

    @Test(.timeLimit(.minutes(60)), arguments: SampleWorkflow.all.indices)
    func `nothing that a sample leaves behind or shows has a secret`(index: Int) async throws {
        let sample = SampleWorkflow.all[index]
        let text = try String(contentsOf: SampleWorkflow.folder.appending(path: sample.name), encoding: .utf8)
        let whole = try Document(text: text, name: sample.name).value
        // A run that listens for another event than it emits would not end.
        let places = (whole["do"]?.texts(inside: Self.members) ?? []).filter { place in
            !place.contains("listen") && !(place.contains("emit") && place.last == "type")
        }
        // With a secret in every argument a run ends soon: each has one, and the first has it in all.
        let chosen = Extent.of(places.map { [$0] }, or: places.isEmpty ? [] : [[places[index % places.count]]])
        for (number, places) in ([places] + chosen).enumerated() {
            let secret = Self.secrets[(index + number) % Self.secrets.count]
            var file = whole.object ?? [:]
            file["do"] = whole["do"]?.changing(places, Self.adding)
            let used = (whole["use"]?["secrets"]?.array ?? []) + ["key"]
            file["use"] = .object((whole["use"]?.object ?? [:]).merging(["secrets": .array(used)]))
            try await expectNothing(of: secret, in: .object(file), sample.input)
        }
    }

    private func expectNothing(of secret: String, in workflow: Value, _ input: Value) async throws {
        let hook = try LoopbackService { _ in [:] }
        let place = try WorkflowPlace("")
        for name in try FileManager.default.contentsOfDirectory(atPath: SampleWorkflow.folder.path)
        where name != "graphflow.schema.json" {
            try FileManager.default.createSymbolicLink(
                at: place.folder.appending(path: name), withDestinationURL: SampleWorkflow.folder.appending(path: name))
        }
        try workflow.jsonData().write(to: URL(fileURLWithPath: place.file))
        let environment = ["GRAPHFLOW_SECRET_KEY": secret, "GRAPHFLOW_SECRET_DOOR_CODE": "4711-0815"]
        var told = ""
        func run(_ arguments: String...) async {
            let console = place.console(environment)
            _ = await console.run(arguments)
            told += console.standardOutput + console.standardError
        }
        let events = place.folder.appending(path: "events.jsonl").path
        await run(
            "run", place.file, "--sandbox", "--input", input.json(), "--events", events, "--undoable", "--notify",
            hook.address)
        told += (try? String(contentsOfFile: events, encoding: .utf8)) ?? ""
        told += hook.asked.map { String(decoding: $0.body ?? Data(), as: UTF8.self) }.joined()
        for run in try place.runs {
            for arguments in [["--data"], ["--json"], ["--events"], ["--html", "-"]] {
                let console = place.console(environment)
                _ = await console.run(["show", run] + arguments)
                told += console.standardOutput + console.standardError
            }
        }
        await run("effects")
        await run("effects", "--format", "json")
        await run("effects", "--format", "csv")
        await run("runs", "--json")
        for way in SecretTraces(of: secret).ways + [secret.replacing("'", with: #"'\''"#)] {
            #expect(!told.contains(way), "\(told.lines(with: way))")
        }
        let folder = URL(fileURLWithPath: place.home)
        for path in FileManager.default.subpaths(atPath: folder.path) ?? [] {
            guard let bytes = FileManager.default.contents(atPath: folder.appending(path: path).path) else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            for way in SecretTraces(of: secret).ways {
                #expect(!text.contains(way), "\(path): \(text.lines(with: way))")
            }
        }
    }

    @Test(.timeLimit(.minutes(60))) func `removing a run of an older version removes all that has its secrets`()
        async throws
    {
        let place = try WorkflowPlace(
            "  - mail: { call: sendMail, with: { to: [megan@contoso.com], subject: '${ $secrets.key }', body: x } }\n",
            head: "use: { secrets: [key] }")
        let console = place.console(["GRAPHFLOW_SECRET_KEY": "s3cr3t-K3y"])
        #expect(await console.run("run", place.file, "--sandbox") == 0, "\(console.standardError)")
        let run = try #require(try place.runs.first)
        let now = place.console()
        #expect(await now.run("show", run) == 0)
        #expect(!now.standardOutput.contains("may be in clear text"))
        #expect(now.standardOutput.contains("sent the mail '‹secrets.key›' to megan@contoso.com"))
        // As it was before effects were searched.
        let folder = RunsFolder.standard(environment: ["GRAPHFLOW_HOME": place.home])
        let path = "\(place.home)/runs/\(run)/journal.jsonl"
        let former = try Self.former(try String(contentsOfFile: path, encoding: .utf8))
        try Data(former.utf8).write(to: URL(fileURLWithPath: path))
        let show = place.console()
        #expect(await show.run("show", run) == 0, "\(show.standardError)")
        #expect(show.standardOutput.contains("may be in clear text: an older version wrote this"))
        let json = place.console()
        #expect(await json.run("show", run, "--json") == 0)
        #expect(try Value(json: json.standardOutput)["mayShowSecrets"] == true)
        #expect(await place.console().run("rm", run) == 0)
        #expect(try folder.names.isEmpty)
        let left = FileManager.default.subpaths(atPath: place.home) ?? []
        #expect(!left.contains { $0.contains(run) }, "\(left)")
    }

    /// The lines of a journal of version 3, with their checksums.
    private static func former(_ text: String) throws -> String {
        var (bytes, checksum) = ([UInt8](), "")
        for (index, line) in text.split(separator: "\n").enumerated() {
            var members = try Value(json: Data(line.utf8)).object ?? [:]
            (members["line"], members["checksum"]) = (nil, nil)
            if index == 0 { members["version"] = 3 }
            checksum = JournalLine.append(
                Array(Value.object(members).jsonData()), to: &bytes, number: index + 1, after: checksum)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Value {
    /// The places of the texts inside members of these names.
    fileprivate func texts(inside names: Set<String>, _ isInside: Bool = false, at place: [String] = []) -> [[String]] {
        switch self {
        case .string: isInside ? [place] : []
        case .array(let elements):
            elements.enumerated().flatMap { $1.texts(inside: names, isInside, at: place + ["\($0)"]) }
        case .object(let members):
            members.flatMap { name, member in
                member.texts(inside: names, isInside || names.contains(name), at: place + [name])
            }
        case .null, .bool, .integer, .double, .marked: []
        }
    }

    fileprivate func changing(_ places: [[String]], _ change: (String) -> String, at place: [String] = []) -> Value {
        switch self {
        case .string(let text): places.contains(place) ? .string(change(text)) : self
        case .array(let elements):
            .array(elements.enumerated().map { $1.changing(places, change, at: place + ["\($0)"]) })
        case .object(let members):
            // A later attempt would be of the same, after minutes.
            .object(
                Object(
                    members.filter { $0.key != "retry" }.map { ($0, $1.changing(places, change, at: place + [$0])) }))
        case .null, .bool, .integer, .double, .marked: self
        }
    }
}

extension Object {
    fileprivate func merging(_ other: Object) -> Object {
        var all = self
        for (name, value) in other { all[name] = value }
        return all
    }
}

extension String {
    /// What is around the first place of a text.
    fileprivate func lines(with text: String) -> String {
        split(separator: "\n").first { $0.contains(text) }.map { String($0.prefix(2_000)) } ?? ""
    }
}
