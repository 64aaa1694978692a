import Foundation
import TestSupport
import Testing

struct SnippetTests {
    @Test func `the chain in Swift sends its mail to the sandbox`() async throws {
        let result = try await Self.run("ShareProfilePhoto", "--sandbox")
        #expect(result.status == 0)
        #expect(result.output == "sent: accepted\n")
    }

    @Test func `a workflow file runs from Swift`() async throws {
        let result = try await Self.run("RunWorkflow", "--sandbox")
        #expect(result.status == 0)
        #expect(result.output.contains("\"recipient\":\"adelev@contoso.com\""))
    }

    @Test func `without a token the chain in Swift says what to do`() async throws {
        let result = try await Self.run(
            "ShareProfilePhoto", environment: ["GRAPHFLOW_GRAPH_URL": "http://127.0.0.1:1/v1.0"])
        #expect(result.status == 1)
        #expect(result.error.contains("GRAPHFLOW_ACCESS_TOKEN"))
    }

    /// Runs a program of the package's build folder, which contains the tests, in the package's folder.
    private static func run(
        _ name: String, _ arguments: String...,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> TestProcess.Result {
        let products = try #require(Bundle.main.executableURL).deletingLastPathComponent()
        return try await TestProcess(
            products.appending(path: name).path(percentEncoded: false), arguments, environment: environment,
            folder: URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL
        ).result()
    }
}
