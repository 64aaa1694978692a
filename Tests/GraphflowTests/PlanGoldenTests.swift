import Foundation
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// The plan of every sample in every format, as files next to the tests; `UPDATE_SNAPSHOTS=1` rewrites them.
@Suite(.serialized) struct PlanGoldenTests {
    /// A sample with the input for its plan.
    struct Sample: CustomStringConvertible {
        let name: String
        var input: Value = [:]

        var description: String { name }
    }

    private static let inputs: [(file: String, input: Value)] =
        SampleWorkflow.all.map { ($0.name, $0.input) } + [
            ("ask-first.yaml", ["approvers": ["megan@contoso.com"]]), ("call-openapi.yaml", ["customer": "C-17"]),
            ("schedule-on.yaml", [["data": ["celsius": 41]]]), ("secrets.yaml", ["to": "adelev@contoso.com"]),
            ("file-changed.yaml", [["subject": "01PLAN"]]),
            (
                "mail-with-invoice.yaml",
                [
                    [
                        "subject": "AAkALg=",
                        "data": [
                            "subject": "Invoice 17", "receivedDateTime": "2026-01-05T08:59:00Z",
                            "from": ["emailAddress": ["address": "shop@fabrikam.com"]],
                        ],
                    ]
                ]
            ),
        ]

    /// Every file of the samples' folder, once for each input.
    static let samples: [Sample] = {
        SampleWorkflow.files.flatMap { file -> [Sample] in
            let inputs = inputs.filter { $0.file == file }.map(\.input)
            return inputs.isEmpty ? [Sample(name: file)] : inputs.map { Sample(name: file, input: $0) }
        }
    }()

    private static let environment = [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "GRAPHFLOW_CONTAINER": ContainerStandIn.program,
    ]

    private static let folder = URL(fileURLWithPath: #filePath)
        .appending(path: "../Snapshots/plans", directoryHint: .isDirectory).standardizedFileURL

    // A page has the same text in another form, which a browser looks at.
    @Test(arguments: PlanFormat.allCases.filter { $0 != .html })
    func `the plans of all samples are as they were`(format: PlanFormat) async throws {
        var counts: [String: Int] = [:]
        for sample in Self.samples {
            counts[sample.name, default: 0] += 1
            let console = TestConsole(environment: Self.environment)
            let status = await console.run(
                "run", "--dry-run", "--requests", "--format", format.rawValue, "--input", sample.input.json(),
                Repository.path("workflows/\(sample.name)"))
            #expect(status == 0, "\(sample): \(console.standardError)")
            var text = Self.withoutMoment(console.standardOutput.replacing(Repository.folder.path, with: "‹folder›"))
            if format != .text, let value = try? Value(json: text) { text = value.json(pretty: true) + "\n" }
            let name = sample.name.replacing(
                ".yaml", with: counts[sample.name] == 1 ? "" : "-\(counts[sample.name] ?? 0)")
            try Self.compare(text, with: "\(name).\(format == .text ? "txt" : format.rawValue)")
        }
    }

    /// The text without what depends on the moment of planning.
    private static func withoutMoment(_ text: String) -> String {
        let months = /\d\d (January|February|March|April|May|June|July|August|September|October|November|December)/
        var text = text.replacing(/("plannedAt": ?")[^"]*/) { "\($0.output.1)‹moment›" }
            .replacing(/20\d\d-\d\d-\d\dT\d\d(:|%3A)\d\d(:|%3A)\d\d(\.\d{3})?Z/, with: "‹time›")
            .replacing(/"seconds":\d{10},"milliseconds":\d{13}/, with: "‹epoch›")
        // The names of months have different lengths.
        if text.contains(months) { text.replace(/("bodySize": )\d+/) { "\($0.output.1)0" } }
        return text.replacing(months, with: "‹day›")
    }

    @Test(arguments: samples)
    func `the plan in JSON is as its schema says`(sample: Sample) async throws {
        let console = TestConsole(environment: Self.environment)
        _ = await console.run(
            "run", "--dry-run", "--format", "json", "--input", sample.input.json(),
            Repository.path("workflows/\(sample.name)"))
        let plan = try Value(json: console.standardOutput)
        #expect(plan["plan"] == "1.0")
        #expect(try JSONSchema(Plan.schema).validate(plan) == [])
    }

    @Test func `the schema of plans is printed`() async throws {
        let console = TestConsole()
        #expect(await console.run("validate", "--plan-schema") == 0)
        #expect(try Value(json: console.standardOutput)["title"] == "Plan of a graphflow run")
    }

    private static func compare(_ text: String, with name: String) throws {
        let file = folder.appending(path: name)
        if ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1" {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let (mine, theirs) = (text.split(separator: "\n"), expected.split(separator: "\n"))
        let line = zip(mine, theirs).first { $0 != $1 }
        #expect(
            text == expected,
            "\(name): '\(line?.0 ?? "")' was '\(line?.1 ?? "")'; UPDATE_SNAPSHOTS=1 writes it anew")
    }
}
