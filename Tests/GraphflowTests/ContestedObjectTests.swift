import Foundation
import Testing
import Workflows

@testable import graphflow

/// Approved batches whose items write the same objects: what each finds there depends on the order of the items.
@Suite struct ContestedObjectTests {
    private static let effects = [
        "call: graph, with: { method: PATCH, path: '/users/${ .who }', body: { jobTitle: '${ .text }' } }",
        "call: upload, with: { path: '${ .file }', content: '${ .text }' }",
    ]
    private static let adele = "87d349ed-44d7-43e1-9a83-5f2406dee5bd"
    private let place: ApprovalCommandTests
    private var file: String { place.path("write ü.yaml") }
    private var plan: String { place.path("plan.json") }

    init() throws { place = try ApprovalCommandTests() }

    private func write(_ task: String, _ items: [Value]) throws -> [String] {
        let workflow = """
            document: { dsl: 1.0.3, namespace: tests, name: write, version: 1.0.0 }
            do: [ write: { \(task) } ]

            """
        try Data(workflow.utf8).write(to: URL(fileURLWithPath: file))
        let source = place.path("items.jsonl")
        try Data(items.map { $0.json() + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: source))
        return ["batch", file, "--each", source, "--key", ".text"]
    }

    private func item(_ text: String, who: String, in file: String) -> Value {
        ["text": .string(text), "who": .string(who), "file": .string(file)]
    }

    @Test(arguments: effects, ["1", "8"])
    func `items that write one object are followed in any order`(task: String, concurrency: String) async throws {
        try await place.withSandbox { _, environment async throws in
            let items = [
                item("Größe", who: "adelev@contoso.com", in: "in/Same ü.txt"),
                item("a/b", who: Self.adele, in: "in/same ü.TXT"),
                item("🙂", who: "AdeleV@contoso.com", in: "in/Same ü.txt"),
                item("alone", who: "megan@contoso.com", in: "in/alone.txt"),
            ]
            let batch = try write(task, items) + ["--concurrency", concurrency]
            let planned = await place.run(batch + ["--dry-run=read", "--plan-out", plan], environment)
            #expect(planned.status == 0, "\(planned.1.standardError)")
            let shape = try DataFile.read(plan)["plan"]?["shape"]
            #expect(shape?.json().contains("other items of the batch write there") == true, "\(shape?.json() ?? "")")
            let done = await place.run(batch + ["--plan", plan], environment)
            #expect(done.status == 0, "\(done.1.standardError)")
        }
    }

    @Test(arguments: effects)
    func `what others changed meanwhile is refused where one item writes`(task: String) async throws {
        try await place.withSandbox { _, environment async throws in
            let batch = try write(
                task,
                [
                    item("1", who: "adelev@contoso.com", in: "in/a.txt"),
                    item("2", who: "megan@contoso.com", in: "in/b.txt"),
                ])
            #expect(await place.run(batch + ["--dry-run=read", "--plan-out", plan], environment).status == 0)
            #expect(try DataFile.read(plan)["plan"]?["contested"] == nil)
            let others = try write(task, [item("Somebody else's", who: "megan@contoso.com", in: "in/b.txt")])
            #expect(await place.run(others, environment).status == 0)
            _ = try write(
                task,
                [
                    item("1", who: "adelev@contoso.com", in: "in/a.txt"),
                    item("2", who: "megan@contoso.com", in: "in/b.txt"),
                ])
            let done = await place.run(batch + ["--plan", plan], environment)
            #expect(done.status == 1 && done.1.standardError.contains("Not as planned"), "\(done.1.standardError)")
        }
    }
}
