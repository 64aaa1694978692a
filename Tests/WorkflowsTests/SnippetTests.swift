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

    @Test func `a Codable function runs in a workflow, and results have properties`() async throws {
        let result = try await Self.run("TypedResults")
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("Hello, ") && result.output.hasSuffix("Megan Bowen megan@contoso.com\n"))
    }

    @Test func `without a token the chain in Swift says what to do`() async throws {
        let result = try await Self.run(
            "ShareProfilePhoto", environment: ["GRAPHFLOW_GRAPH_URL": "http://127.0.0.1:1/v1.0"])
        #expect(result.status == 1)
        #expect(result.error.contains("GRAPHFLOW_ACCESS_TOKEN"))
    }

    @Test func `the tutorial shows the programs as they are, and what they print`() async throws {
        let folder = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL
        let page = folder.appending(path: "Sources/Workflows/Engine/Documentation.docc/ChainsInSwift.md")
        var parts = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n```")[...]
        var shown: [String] = []
        while let text = parts.popFirst(), let block = parts.popFirst() {
            let body = block.drop { $0 != "\n" }.dropFirst()
            if block.hasPrefix("swift\n") {
                let name = try #require(text.split(separator: "`").last { $0.hasPrefix("Snippets/") })
                let program = try String(contentsOf: folder.appending(path: String(name)), encoding: .utf8)
                #expect(program.contains(body), "\(name)")
                shown.append(String(name))
            } else {
                let lines = body.split(separator: "\n")
                let words = try #require(lines.first).split(separator: " ").dropFirst(3).map(String.init)
                let result = try await Self.run(try #require(words.first), words.dropFirst().joined())
                let expected = lines.dropFirst().joined(separator: "\n")
                // Dots stand for what is left out at the end.
                let beginning = expected.split(separator: "…", omittingEmptySubsequences: false)[0]
                #expect(result.status == 0 && result.output.hasPrefix(beginning), "\(words): \(result.output)")
            }
        }
        #expect(shown.count == 7)
    }

    @Test(arguments: 1...5)
    func `each step of the tutorial is a program`(step: Int) async throws {
        let products = try #require(Bundle.main.executableURL).deletingLastPathComponent()
        let repository = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL
        let folder = try TemporaryFolder()
        // Only this file may have code outside of functions.
        try folder.write(
            "main.swift",
            Data(contentsOf: repository.appending(path: "Sources/Promises/Promises.docc/chain-\(step).swift")))
        let result = try await TestProcess(
            "/usr/bin/env",
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-I",
                products.appending(path: "Modules").path(percentEncoded: false),
                folder.url.appending(path: "main.swift").path(percentEncoded: false),
            ], environment: ProcessInfo.processInfo.environment, folder: repository
        ).result()
        #expect(result.status == 0, "\(result.error)")
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
