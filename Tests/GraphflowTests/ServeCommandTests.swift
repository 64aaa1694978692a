import Foundation
import Promises
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// `graphflow serve`.
@Suite struct ServeCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ head: String, _ tasks: String = "- a: { set: { b: 1 } }") throws -> String {
        try folder.file(
            """
            document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
            \(head)
            do:
              \(tasks)
            """)
    }

    @Test func `a file without a schedule is refused, before any other is served`() async throws {
        let console = TestConsole()
        #expect(await console.run("serve", try file("schedule: { every: PT1S }"), try file("")) == 2)
        #expect(console.standardError.contains("this workflow has no schedule"))
        #expect(console.standardOutput.isEmpty)
    }

    @Test func `a file that needs an input is refused`() async throws {
        let console = TestConsole()
        let head = "schedule: { every: PT1S }\ninput: { schema: { document: { type: object, required: [to] } } }"
        #expect(await console.run("serve", try file(head)) == 2)
    }

    @Test func `secrets that are missing are said beforehand`() async throws {
        let console = TestConsole()
        let head = "schedule: { every: PT1S }\nuse: { secrets: [key] }"
        #expect(await console.run("serve", try file(head, "- a: { set: { b: '${ $secrets.key }' } }")) == 3)
        #expect(console.standardError.contains("GRAPHFLOW_SECRET_KEY"))
    }

    @Test(arguments: [["serve"], ["serve", "a.yaml", "--time-zone", "Europe/Berln"]])
    func `a command line that is wrong ends with 64`(arguments: [String]) async {
        #expect(await TestConsole().run(arguments) == 64)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `several files are served until a signal comes, and a run that fails stops nothing`(signal: Int32) async throws
    {
        let good = try file("schedule: { every: PT0.05S }")
        let bad = try file(
            "schedule: { after: PT0.05S }",
            "- a: { raise: { error: { type: 'https://contoso.com/errors/test', status: 418, title: No coffee } } }")
        let process = try GraphflowProcess(["serve", good, bad])
        #expect(try await process.firstLine() == #"{"b":1}"#)
        process.send(signal)
        let result = try await process.result()
        #expect([0, 128 + signal].contains(result.status))
        #expect(result.error.contains("runs every"))
    }
}
