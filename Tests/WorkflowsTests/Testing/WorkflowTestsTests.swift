import Foundation
import GraphflowTesting
import TestSupport
import Testing
import Workflows

/// Files of tests that run from `swift test`.
struct WorkflowTestsTests {
    private static let sample = URL(fileURLWithPath: #filePath)
        .appending(path: "../../../../workflows/share-profile-photo.test.yaml").standardizedFileURL

    @Test(arguments: try WorkflowTests(contentsOf: sample).cases)
    func `the cases of a sample pass`(_ test: WorkflowTests.Case) async {
        let differences = await test.run()
        #expect(differences.isEmpty, "\(differences)")
    }

    @Test func `what differs is said at its place, and what cannot be read too`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let tests = folder.appending(path: "add.test.yaml")
        try """
        document: { dsl: 1.0.3, namespace: tests, name: add, version: 1.0.0 }
        do: [ { pause: { wait: PT1H } }, { add: { set: { sum: "${ .a + 1 }" } } } ]
        """.write(to: folder.appending(path: "add.yaml"), atomically: true, encoding: .utf8)
        try """
        cases:
          - { name: right, input: { a: 1 }, expect: { output: { sum: 2 } } }
          - { name: wrong, input: { a: 1 }, expect: { output: { sum: 3 } } }
        """.write(to: tests, atomically: true, encoding: .utf8)
        let cases = try WorkflowTests(contentsOf: tests).cases
        #expect(cases.map(\.name) == ["right", "wrong"])
        #expect(await cases[0].run().isEmpty)
        let differences = await cases[1].run()
        #expect(differences.map { $0.range?.start.line } == [3])
        try "cases: [ { name: x, expectation: {} } ]".write(to: tests, atomically: true, encoding: .utf8)
        #expect(throws: ReadingError.self) { try WorkflowTests(contentsOf: tests) }
    }
}
