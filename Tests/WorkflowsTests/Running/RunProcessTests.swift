import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "Run" and "Shell Process".
@Suite struct RunProcessTests {
    private func failure(_ task: String) async throws -> WorkflowError {
        try #require(await #expect(throws: WorkflowError.self) { try await ProcessRun.output(task) })
    }

    @Test(
        arguments: [
            ("stdout", "out"), ("stderr", "err"), ("code", 0), ("none", .null),
            ("all", ["code": 0, "stdout": "out", "stderr": "err"]),
        ] as [(String, Value)])
    func `'return' configures the output of the process`(result: String, expected: Value) async throws {
        let task = "- a: { run: { shell: { command: 'echo out; echo err >&2' }, return: \(result) } }"
        #expect(try await ProcessRun.output(task) == expected)
    }

    @Test func `'return' defaults to 'stdout'`() async throws {
        #expect(
            try await ProcessRun.output("- a: { run: { shell: { command: 'printf \" a\\n b\\n\\n\"' } } }") == " a\n b")
    }

    @Test(arguments: [("code", 3), ("all", ["code": 3, "stdout": "", "stderr": "oh"])] as [(String, Value)])
    func `a task that asks for the exit code judges it by itself`(result: String, expected: Value) async throws {
        let task = "- a: { run: { shell: { command: 'echo oh >&2; exit 3' }, return: \(result) } }"
        #expect(try await ProcessRun.output(task) == expected)
    }

    @Test(arguments: ["stdout", "stderr", "none"])
    func `a program that fails is a runtime error otherwise, with what it said`(result: String) async throws {
        let error = try await failure(
            "- a: { run: { shell: { command: 'echo no such thing >&2; exit 3' }, return: \(result) } }")
        #expect(error.is(.runtime))
        #expect(error.status == 500)
        #expect(error.detail == "the command ended with exit code 3: no such thing")
        #expect(error.members["exitCode"] == 3)
        #expect(error.instance == "/do/0/a")
    }

    @Test func `the error of a program that fails has the last five lines that it wrote`() async throws {
        let error = try await failure(
            "- a: { run: { shell: { command: 'for n in 1 2 3 4 5 6 7; do echo line $n; echo; done >&2; exit 3' } } }")
        #expect(
            error.detail == "the command ended with exit code 3: line 3 | line 4 | line 5 | line 6 | line 7")
    }

    @Test func `a program that is not installed, or that a signal ends, is an error that says so`() async throws {
        let missing = try await failure("- a: { run: { shell: { command: nosuchprogram } } }")
        #expect(missing.detail?.contains("exit code 127") == true)
        #expect(missing.detail?.contains("nosuchprogram") == true)
        let killed = try await failure("- a: { run: { shell: { command: 'kill -9 $$' } } }")
        #expect(killed.detail == "the command was ended by signal 9")
        #expect(killed.members["exitCode"] == 137)
    }

    @Test(.timeLimit(.minutes(60)))
    func `a program that prints a gigabyte is ended with an error`() async throws {
        let error = try await failure("- a: { run: { shell: { command: 'yes | head -c 1000000000' } } }")
        #expect(error.is(.runtime))
        #expect(error.detail?.hasPrefix("the command wrote more than 16 MB to standard output") == true)
    }

    @Test func `gets arguments, environment and standard input, and no secret of ours`() async throws {
        let task = """
            - a:
                run:
                  shell:
                    command: |
                      cat; echo; echo "$0 $1 $2 $#"; echo "$GREETING $HOME $LC_TIME"
                      env | grep -c -E 'GRAPHFLOW|AZURE|AWS' || true
                    arguments: [Foo, '${ .second }']
                    environment: { GREETING: '${ .greeting }' }
                    stdin: ${ . }
            """
        let result = try await ProcessRun.output(task, input: ["second": "B $(x) 'ar", "greeting": "Hello; exit"])
        #expect(
            result == """
                {"second":"B $(x) 'ar","greeting":"Hello; exit"}
                sh Foo B $(x) 'ar 2
                Hello; exit /home/adele C
                0
                """)
    }

    @Test(.timeLimit(.minutes(60)))
    func `with 'await: false' the output is the transformed input, and the process runs on`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let task = """
            - a:
                input: { from: '${ { b: .a } }' }
                run: { shell: { command: 'while [ ! -e go ]; do sleep 0.01; done; touch done' }, await: false }
            """
        #expect(try await ProcessRun.output(task, input: ["a": 1], folder: folder) == ["b": 1])
        try Data().write(to: folder.appending(path: "go"))
        while !FileManager.default.fileExists(atPath: folder.appending(path: "done").path) { await pause() }
    }

    @Test(.timeLimit(.minutes(60)), arguments: [true, false])
    func `cancelling the run ends its processes`(isAwaited: Bool) async throws {
        let workflow = try Workflow(
            tasks: """
                - a: { run: { shell: { command: 'sleep 1000' }, await: \(isAwaited) } }
                - b: { wait: PT1H }
                """)
        let clock = ManualClock()
        let runner = Runner.testing(clock: clock)
        let run = runner.run(workflow)
        while runner.processes.identifiers.isEmpty || (!isAwaited && clock.waitCount == 0) { await pause() }
        let group = try #require(runner.processes.identifiers.first)
        run.cancel()
        if !isAwaited {
            while clock.waitCount < 1 { await pause() }
            clock.advance(by: .seconds(2))
        }
        try await runner.processes.allEnded.value
        #expect(runner.processes.identifiers == [])
        while ProcessGroup.isAtWork(group) { await pause() }
    }

    @Test(.timeLimit(.minutes(60)))
    func `a timeout ends the process, and is an error 408`() async throws {
        let log = EventLog()
        let workflow = try Workflow(
            tasks: "- a: { run: { shell: { command: 'sleep 1000' } }, timeout: { after: PT5S } }")
        let clock = ManualClock()
        let runner = Runner.testing(clock: clock, recorders: [log.recorder])
        let run = runner.run(workflow)
        while runner.processes.identifiers.isEmpty || clock.waitCount == 0 { await pause() }
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: WorkflowError.self) { try await run.value }
        #expect(error?.is(.timeout) == true)
        #expect(error?.status == 408)
        try await runner.processes.allEnded.value
        #expect(runner.processes.identifiers == [])
        #expect(log.summary.contains("call.started /do/0/a"))
    }
}
