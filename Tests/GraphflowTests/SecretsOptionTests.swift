import Foundation
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// `graphflow run` with secrets from the environment and from a file.
@Suite struct SecretsOptionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private let text = """
        document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
        use: { secrets: [api-key, login] }
        do:
          - a: { set: { key: '${ $secrets["api-key"] }', user: '${ $secrets.login.username }' } }
        """

    @Test func `what is missing is said before anything runs, and how to give it`() async throws {
        let workflow = try folder.file(text)
        let console = TestConsole(environment: ["GRAPHFLOW_SECRET_API_KEY": "abc"])
        #expect(await console.run("run", workflow) == 3)
        #expect(console.standardOutput.isEmpty)
        #expect(console.standardError.contains("needs the secret 'login'"))
        #expect(console.standardError.contains("set GRAPHFLOW_SECRET_LOGIN in the environment"))
        #expect(await TestConsole().run("run", workflow, "--dry-run") == 0)
    }

    @Test func `secrets come from the file, and else from the environment, and are not shown`() async throws {
        let secrets = try folder.file("login: { username: megan-from-file }")
        let console = TestConsole(environment: [
            "GRAPHFLOW_SECRET_API_KEY": "hunter2hunter2", "GRAPHFLOW_SECRET_LOGIN": #"{"username":"megan-outside"}"#,
        ])
        #expect(await console.run("run", try folder.file(text), "--secrets", secrets, "--events", "-") == 0)
        let told = console.standardOutput + console.standardError
        for text in ["hunter2", "megan-"] { #expect(!told.contains(text)) }
        #expect(told.contains("‹secrets.login›"))
    }

    @Test func `a file of secrets that others may read is refused`() async throws {
        let console = TestConsole()
        #expect(
            await console.run("run", try folder.file(text), "--secrets", try folder.file("login: hunter2", mode: 0o644))
                == 64)
        #expect(console.standardError.contains("chmod 600"))
        #expect(!console.standardError.contains("hunter2"))
    }
}
