import Foundation
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// `--sandbox-only` and `--mock` of `run` and `batch`, and `--sandbox` of `users` and `whoami`.
@Suite struct SandboxOptionTests {
    private static let workflow = """
        document: { dsl: 1.0.3, namespace: tests, name: order, version: 1.0.0 }
        do:
          - order: { call: http, with: { method: post, endpoint: 'https://api.contoso.invalid/orders', body: { kind: KIND } } }
        """
    private static let mocks = """
        - request: { url: 'https://api.contoso.invalid/*', body: { kind: desk } }
          answer: { json: { id: 17 } }
        """

    private func run(_ kind: String, catching: Bool = false, _ options: String...) async throws -> (Int32, TestConsole)
    {
        let folder = try TemporaryFolder()
        var text = Self.workflow.replacing("KIND", with: kind)
        if catching {
            text = text.replacing("- order: {", with: "- try: { try: [{ order: {").replacing(
                "} } }", with: "} } } }], catch: {} }")
        }
        try folder.write("order.yaml", text)
        try folder.write("mocks.yaml", Self.mocks)
        let console = TestConsole()
        func path(_ name: String) -> String { folder.url.appending(path: name).path(percentEncoded: false) }
        let status = await console.run(
            ["run", path("order.yaml"), "--sandbox", "--no-journal"]
                + options.map { $0.replacing("MOCKS", with: path("mocks.yaml")) })
        return (status, console)
    }

    @Test func `another service answers from the file`() async throws {
        let (status, console) = try await run("desk", "--mock", "MOCKS")
        #expect(status == 0)
        #expect(console.standardOutput == "{\"id\":17}\n")
    }

    @Test func `what the file does not answer is an error, also if it is caught`() async throws {
        for catching in [false, true] {
            let (status, console) = try await run("lamp", catching: catching, "--mock", "MOCKS")
            #expect(status == 1)
            #expect(
                console.standardError.contains("'--mock' has no answer for POST https://api.contoso.invalid/orders"))
            #expect(console.standardError.contains("no request matched 'any request https://api.contoso.invalid/*'"))
        }
    }

    @Test func `alone, the sandbox lets nothing else through`() async throws {
        let (status, console) = try await run("desk", "--sandbox-only")
        #expect(status == 1)
        #expect(console.standardError.contains("'--sandbox-only' refuses all other services"))
    }

    @Test(arguments: ["--sandbox-only", "--mock=x.yaml"])
    func `a sandbox that refuses other services notifies none`(option: String) async {
        let console = TestConsole()
        let status = await console.run(
            "run", "order.yaml", "--sandbox", option, "--notify", "https://hooks.contoso.com/x")
        #expect(status == 64)
        #expect(console.standardError.contains("'--notify' posts to another service"))
    }

    @Test func `a limit for answers leaves the answers of the file in place`() async throws {
        let (status, console) = try await run("desk", "--mock", "MOCKS", "--max-answer", "1MB")
        #expect(status == 0)
        #expect(console.standardOutput == "{\"id\":17}\n")
    }

    @Test func `both are for the sandbox`() async {
        for option in ["--sandbox-only", "--mock=x.yaml"] {
            let console = TestConsole()
            #expect(await console.run("run", "order.yaml", option) == 64)
            #expect(console.standardError.contains("is for the sandbox"))
        }
    }

    @Test func `people of the sandbox are found without a sign-in`() async {
        let users = TestConsole()
        #expect(await users.run("users", "ade", "--sandbox") == 0)
        #expect(users.standardOutput.hasPrefix("Adele Vance\t"))
        let who = TestConsole()
        #expect(await who.run("whoami", "--sandbox") == 0)
        #expect(who.standardOutput.hasPrefix("Megan Bowen\n"))
    }
}
