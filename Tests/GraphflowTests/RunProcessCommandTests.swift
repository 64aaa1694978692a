import Foundation
import Testing
import TestSupport

/// `graphflow run` and the processes that it starts.
@Suite struct RunProcessCommandTests {
    /// A hundred expressions that each need most of their budget.
    private static let endless =
        "{ " + (0..<100).map { "a\($0): '${ last(range(9000000)) }'" }.joined(separator: ", ") + " }"

    @Test(.timeLimit(.minutes(60)), arguments: [SIGINT, SIGTERM])
    func `an interruption ends the processes of the run, also those that ignore it`(signal: Int32) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = """
            document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
            do:
              - a: { run: { shell: { command: 'trap "" TERM; echo $$ > group.tmp; mv group.tmp group; sleep 1000 & wait; sleep 1000' } } }
            """
        let file = folder.appending(path: "workflow.yaml")
        try Data(text.utf8).write(to: file)
        let process = try GraphflowProcess(["run", file.path])
        let mark = folder.appending(path: "group")
        while !FileManager.default.fileExists(atPath: mark.path) { await pause() }
        let group = try #require(
            Int32(String(decoding: try Data(contentsOf: mark), as: UTF8.self).trimmingCharacters(in: .newlines)))
        #expect(ProcessGroup.isAtWork(group))
        process.send(signal)
        let result = try await process.result()
        #expect(result.status == (signal == SIGINT ? 130 : 143))
        while ProcessGroup.isAtWork(group) { await pause() }
    }

    @Test(.timeLimit(.minutes(60)))
    func `an interruption ends a computation, and the run can be resumed`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The run would take minutes; the task that does is changed before the run is resumed.
        func text(_ tasks: String) -> Data {
            Data(
                """
                document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
                do:
                  - first: { run: { shell: { command: 'echo x >> begun' } } }
                  - slow: \(tasks)
                """.utf8)
        }
        let file = folder.appending(path: "workflow.yaml")
        try text("{ set: \(Self.endless) }").write(to: file)
        let process = try GraphflowProcess(["run", file.path])
        _ = try await process.errorText { $0.contains("✓ first") }
        process.send(SIGINT)
        let result = try await process.result()
        #expect(result.status == 130, "\(result.error)")
        let words = try #require(result.error.split(separator: "resume with: graphflow ").last)
        let command = words.split(separator: "\n")[0].split(separator: " ").map(String.init)
        try text("{ set: { done: true } }").write(to: file)
        let resumed = try await GraphflowProcess(command + ["--accept-changes"]).result()
        #expect(resumed.status == 0)
        #expect(resumed.output == "{\"done\":true}\n")
        #expect(try Data(contentsOf: folder.appending(path: "begun")) == Data("x\n".utf8))
    }

    @Test(.timeLimit(.minutes(60)))
    func `an interruption of serve ends a computation`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "workflow.yaml")
        try Data(
            """
            document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
            schedule: { every: { milliseconds: 100 } }
            do:
              - first: { run: { await: false, shell: { command: 'echo x > begun' } } }
              - slow: { set: \(Self.endless) }
            """.utf8
        ).write(to: file)
        // The program is begun and left alone, so the run computes by the time that it writes.
        let process = try GraphflowProcess(["serve", file.path])
        while !FileManager.default.fileExists(atPath: folder.appending(path: "begun").path) { await pause() }
        process.send(SIGINT)
        let result = try await process.result()
        #expect(result.status == 130)
        #expect(result.error.contains("interrupted; resume with: graphflow resume "))
    }
}
