import Foundation
import Testing
import TestSupport

/// `graphflow run` and the processes that it starts.
@Suite struct RunProcessCommandTests {
    @Test(.timeLimit(.minutes(15)), arguments: [SIGINT, SIGTERM])
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
        while !FileManager.default.fileExists(atPath: mark.path) { await Task.yield() }
        let group = try #require(
            Int32(String(decoding: try Data(contentsOf: mark), as: UTF8.self).trimmingCharacters(in: .newlines)))
        #expect(ProcessGroup.isAtWork(group))
        process.send(signal)
        let result = try await process.result()
        #expect(result.status == (signal == SIGINT ? 130 : 143))
        while ProcessGroup.isAtWork(group) { await Task.yield() }
    }
}
