import Foundation
import Testing

struct SnippetTests {
    /// The package's build folder, which contains the tests.
    private var products: URL? { Bundle.main.executableURL?.deletingLastPathComponent() }

    @Test func `the chain in Swift sends its mail to the sandbox`() throws {
        let program = Process()
        program.executableURL = try #require(products).appending(path: "ShareProfilePhoto")
        program.arguments = ["--sandbox"]
        let output = Pipe()
        program.standardOutput = output
        try program.run()
        let text = try output.fileHandleForReading.readToEnd()
        program.waitUntilExit()
        #expect(program.terminationStatus == 0)
        #expect(text == Data("sent: accepted\n".utf8))
    }

    @Test func `a workflow file runs from Swift`() throws {
        let program = Process()
        program.executableURL = try #require(products).appending(path: "RunWorkflow")
        program.currentDirectoryURL = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL
        program.arguments = ["--sandbox"]
        let output = Pipe()
        program.standardOutput = output
        try program.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        program.waitUntilExit()
        #expect(program.terminationStatus == 0)
        #expect(String(decoding: text, as: UTF8.self).contains("\"recipient\":\"adelev@contoso.com\""))
    }

    @Test func `without a token the chain in Swift says what to do`() throws {
        let program = Process()
        program.executableURL = try #require(products).appending(path: "ShareProfilePhoto")
        program.environment = ["GRAPHFLOW_GRAPH_URL": "http://127.0.0.1:1/v1.0"]
        let errors = Pipe()
        program.standardError = errors
        try program.run()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        program.waitUntilExit()
        #expect(program.terminationStatus == 1)
        #expect(String(bytes: text, encoding: .utf8)?.contains("GRAPHFLOW_ACCESS_TOKEN") == true)
    }
}
