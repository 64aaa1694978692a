import Foundation
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// How large an answer of a service may be.
@Suite struct AnswerOptionTests {
    private let runs = TemporaryRuns()
    /// Answers 4,000 letters as JSON, and as a file's content of 70 MB.
    private let service: LoopbackListener

    init() throws {
        service = try LoopbackListener(port: 0, bodyLimit: { _ in 0 }) { request in
            let isFile = request.url.lastPathComponent == "content"
            let body = isFile ? Data(count: 70_000_000) : Data("\"\(String(repeating: "a", count: 4000))\"".utf8)
            return (HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: body), .whole)
        }
        service.run()
    }

    private func run(_ arguments: String...) async -> (status: Int32, output: String, error: String) {
        let address = "http://127.0.0.1:\(service.port)/v1.0"
        let console = TestConsole(environment: [
            "GRAPHFLOW_HOME": runs.home.path, "GRAPHFLOW_GRAPH_URL": address, "GRAPHFLOW_ACCESS_TOKEN": "x",
        ])
        let status = await console.run(arguments)
        return (status, console.standardOutput, console.standardError)
    }

    @Test(arguments: ["run", "resume", "serve", "get"], ["", "0", "-1", "many", "1.5MB", "64 MB", "9999999999GB"])
    func `it is a number of bytes, kB, MB or GB`(command: String, size: String) async {
        let result = await run(command, "/me", "--max-answer", size)
        #expect(result.status == 64)
        #expect(result.error.contains("'\(size)' is not a size"))
    }

    @Test(arguments: [("3kB", false), ("4001", false), ("4002", true), ("4002B", true), ("5KB", true), ("1GB", true)])
    func `a larger answer is refused, to a command and to a workflow`(size: String, isAccepted: Bool) async throws {
        let got = await run("get", "/me", "--max-answer", size)
        #expect(got.status == (isAccepted ? 0 : 1), "\(got.error)")
        try FileManager.default.createDirectory(
            at: runs.home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = runs.home.appendingPathComponent("call.yaml")
        try Data(
            """
            document: { dsl: 1.0.3, namespace: tests, name: call, version: 1.0.0 }
            do:
              - ask: { call: http, with: { method: get, endpoint: 'http://127.0.0.1:\(service.port)/' } }
            """.utf8
        ).write(to: file)
        let ran = await run("run", file.path, "--no-journal", "--max-answer", size)
        #expect(ran.status == (isAccepted ? 0 : 1), "\(ran.error)")
        for error in [got.error, ran.error] where !isAccepted { #expect(error.contains("larger than")) }
    }

    @Test func `content of a file may be larger than other answers unless a limit is given`() async {
        let content = await run("get", "/me/drive/items/1/content")
        #expect(content.status == 0, "\(content.error)")
        #expect(content.output.utf8.count == 70_000_000)
        #expect(await run("get", "/me/drive/items/1/content", "--max-answer", "64MB").status == 1)
    }
}
