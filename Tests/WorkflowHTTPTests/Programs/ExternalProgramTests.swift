import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP

@Suite struct ExternalProgramTests {
    private func run(_ script: String, input: String = "", patience: Duration = .seconds(900)) async throws
        -> ExternalProgram.Outcome
    {
        try await ExternalProgram(file: URL(fileURLWithPath: "/bin/sh"), environment: ["PATH": "/usr/bin:/bin"]).run(
            ["-c", script], secrets: ["HIDDEN": Secret("hidden")], input: Secret(input), patience: patience,
            clock: .patient
        ).value
    }

    @Test func `a program gets arguments, variables and input, and its streams and status are kept`() async throws {
        let text = String(repeating: "0123456789", count: 50_000)
        let outcome = try await run("cat; echo $HIDDEN >&2; exit 3", input: text)
        #expect(outcome.output.revealed == text)
        #expect(outcome.error == "hidden\n")
        #expect(outcome.status == 3)
    }

    @Test func `a program that does not read its input ends nothing else`() async throws {
        let text = String(repeating: "0123456789", count: 50_000)
        let outcome = try await run("exec 0<&-; exit 0", input: text)
        #expect(outcome.status == 0)
    }

    @Test func `a program that a signal ended has the signal's number`() async throws {
        #expect(try await run("kill -9 $$").status == 9)
    }

    @Test func `a file that is busy is tried again for a moment`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(contentsOf: URL(fileURLWithPath: "/bin/true")).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
        let writer = try FileHandle(forWritingTo: file)
        var waits = 0
        let error = #expect(throws: SystemError.self) {
            try SystemCall.spawn(file.path, ["true"], environment: [:]) { _ in waits += 1 }
        }
        #expect(error?.code == ETXTBSY)
        #expect(waits == 20)
        // A process of another test can have inherited the descriptor, for as long as it takes to begin its program.
        func started() -> Int32? {
            try? SystemCall.spawn(file.path, ["true"], environment: [:]) { pause in
                try? writer.close()
                // Real time: nothing depends on how long it is.
                usleep(pause)
            }
        }
        var process = started()
        while process == nil { process = started() }
        #expect(SystemCall.awaitEnd(of: try #require(process)) == 0)
    }

    @Test func `a program that cannot be started is an error, with the system's reason`() async throws {
        let program = ExternalProgram(file: URL(fileURLWithPath: "/nowhere/program"), environment: [:])
        let run = program.run([], patience: .seconds(900), clock: .patient)
        let error = await #expect(throws: ExternalProgram.Failure.self) { try await run.value }
        guard case .notStarted(let why)? = error else { return #expect(error == nil, "another error") }
        #expect(why == "No such file or directory")
    }

    @Test func `a program that takes too long is ended`() async throws {
        // Real time: the limit passes on purpose.
        let error = await #expect(throws: ExternalProgram.Failure.self) {
            try await run("exec sleep 900", patience: .milliseconds(50))
        }
        guard case .timedOut? = error else { return #expect(error == nil, "another error") }
    }
}
