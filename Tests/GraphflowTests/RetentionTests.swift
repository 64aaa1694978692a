import Foundation
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// How many runs are kept.
@Suite struct RetentionTests {
    private let runs = TemporaryRuns()

    private func run(_ options: String...) async throws -> Int32 {
        let file = runs.home.appendingPathComponent("greet.yaml")
        try FileManager.default.createDirectory(
            at: runs.home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data(
            """
            document: { dsl: 1.0.3, namespace: tests, name: greet, version: 1.0.0 }
            do: [ { greet: { set: { greeting: hello } } } ]
            """.utf8
        ).write(to: file)
        let console = TestConsole(environment: ["GRAPHFLOW_HOME": runs.home.path])
        return await console.run(["run", file.path, "--sandbox"] + options)
    }

    @Test func `after a run the oldest of those that are over go, and those that can be resumed stay`() async throws {
        let interrupted = "01J00000000000000000000001"
        try runs.record([], as: interrupted)
        for _ in 0..<3 { #expect(try await run() == 0) }
        let names = try runs.folder.names
        #expect(names.count == 4)
        #expect(try await run("--keep", "2") == 0)
        let left = try runs.folder.names
        #expect(left.count == 3)
        #expect(left.contains(names[0]))
        #expect(left.last == interrupted)
    }

    @Test func `how many are kept is a number, and nothing is kept without a journal`() async throws {
        #expect(try await run("--keep", "0") == 64)
        #expect(try await run("--keep", "many") == 64)
        #expect(try await run("--keep", "1", "--no-journal") == 64)
        #expect(try await run("--no-journal") == 0)
        #expect(try runs.folder.names.isEmpty)
    }

    @Test func `a served workflow leaves no more runs than it is told to`() async throws {
        try FileManager.default.createDirectory(
            at: runs.home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = runs.home.appendingPathComponent("served.yaml")
        try Data(
            """
            document: { dsl: 1.0.3, namespace: tests, name: served, version: 1.0.0 }
            schedule: { after: PT0.01S }
            do: [ { a: { raise: { error: { type: 'https://contoso.com/errors/tea', status: 418, title: Tea } } } } ]
            """.utf8
        ).write(to: file)
        let process = try GraphflowProcess(
            ["serve", file.path, "--keep", "2"], environment: ["GRAPHFLOW_HOME": runs.home.path])
        _ = try await process.errorText { $0.ranges(of: "(418)").count >= 20 }
        process.send(SIGTERM)
        _ = try await process.result()
        // Two have ended, one was interrupted, and one ended together with its process.
        #expect(try runs.folder.names.count <= 4)
    }
}
