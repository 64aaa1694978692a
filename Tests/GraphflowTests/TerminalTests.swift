import Foundation
import Promises
import Testing
import Workflows

@testable import graphflow

/// Output to a terminal when a file or a service contains control sequences.
@Suite struct TerminalTests {
    private let written = Locked("")

    private var console: Console {
        let write: @Sendable (Data) -> Void = { [written] data in
            written.withLock { $0 += String(decoding: data, as: UTF8.self) }
        }
        return Console(
            environment: ["NO_COLOR": "1"], outputIsTerminal: true, errorIsTerminal: true, ownsProcess: false,
            output: write, error: write)
    }

    private func run(_ workflow: String) async throws -> (status: Int32, text: String) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        let head = "document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }\n"
        try Data((head + workflow).utf8).write(to: file)
        let status = await CommandLineTool.run(["run", file.path, "--sandbox"], on: console)
        return (status.rawValue, written.withLock { $0 })
    }

    @Test func `names and errors cannot give the terminal orders`() async throws {
        let (status, text) = try await run(
            #"""
            do:
              - "a\e[2J": { set: { a: 1 } }
              - b: { raise: { error: { type: "https://contoso.com/\e[2J", status: 500, title: "\u009b2J", detail: "\e[2J" } } }
            """#)
        #expect(status == 1)
        #expect(text.contains("500"))
        #expect(!text.contains("\u{1B}[2J"))
        #expect(!text.contains("\u{9B}"))
    }

    @Test func `the output stays the same JSON, and cannot give the terminal orders`() async throws {
        let (status, text) = try await run(#"do: [ { a: { set: { n: "\u009b2J\u202e \e[2J é" } } } ]"#)
        #expect(status == 0)
        #expect(text.contains(#""n": "\u009b2J\u202e \u001b[2J é""#), "\(text)")
    }

    @Test func `what is drawn is replaced where it stands, and removed for what stays`() {
        let console = console
        console.draw(["… a", "  … b"], under: [])
        #expect(takeWritten() == "\u{1B}[?7l… a\u{1B}[K\n  … b\u{1B}[K\u{1B}[J\r\u{1B}[1A\u{1B}[?7h")
        console.draw(["… a", "  … b"], under: [])
        #expect(takeWritten().isEmpty)
        console.draw(["… a"], under: [TerminalLine("✓", 32, "b", "1.0 s")])
        #expect(takeWritten() == "\r\u{1B}[J✓ b                    1.0 s\n\u{1B}[?7l… a\u{1B}[K\u{1B}[J\r\u{1B}[?7h")
        console.complain("listening")
        #expect(takeWritten() == "\r\u{1B}[Jlistening\n")
        console.draw([], under: [])
        #expect(takeWritten().isEmpty)
    }

    private func takeWritten() -> String {
        written.withLock { text in
            defer { text = "" }
            return text
        }
    }

    @Test func `what to do about an error is said once`() throws {
        var error = GraphError(.unauthorized, status: 401, message: "Refused.")
        error.hint = "Sign in again."
        let workflow = try Workflow(
            text: "{ document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }, do: [] }")
        let failure = Failure(RunFailure(WorkflowError(error.problem, cause: error), of: workflow))
        #expect(failure.status == .signInRequired)
        #expect(failure.text(colour: false).components(separatedBy: "Sign in again.").count == 2)
    }
}
