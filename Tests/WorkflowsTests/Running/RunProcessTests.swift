import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "Run", "Shell Process" and "Script Process".
@Suite struct RunProcessTests {
    private func output(
        _ task: String, input: Value = [:], folder: URL? = nil, clock: any PromiseClock = .continuous
    ) async throws -> Value {
        var runner = Runner.testing(clock: clock)
        runner.environment = Self.environment
        return try await runner.run(try workflow(task, folder: folder), input: input).value
    }

    private static let environment = [
        "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/home/adele", "LC_TIME": "C",
        "GRAPHFLOW_ACCESS_TOKEN": "secret", "AZURE_CLIENT_SECRET": "secret", "AWS_SECRET_ACCESS_KEY": "secret",
    ]

    private func workflow(_ task: String, folder: URL? = nil) throws -> Workflow {
        let indented = task.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
        return try Workflow(
            text: """
                document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
                do:
                \(indented.joined(separator: "\n"))
                """, folder: folder)
    }

    private func failure(_ task: String, clock: any PromiseClock = .continuous) async throws -> WorkflowError {
        try #require(await #expect(throws: WorkflowError.self) { try await output(task, clock: clock) })
    }

    @Test(
        arguments: [
            ("stdout", "out"), ("stderr", "err"), ("code", 0), ("none", .null),
            ("all", ["code": 0, "stdout": "out", "stderr": "err"]),
        ] as [(String, Value)])
    func `'return' configures the output of the process`(result: String, expected: Value) async throws {
        let task = "- a: { run: { shell: { command: 'echo out; echo err >&2' }, return: \(result) } }"
        #expect(try await output(task) == expected)
    }

    @Test func `'return' defaults to 'stdout'`() async throws {
        #expect(try await output("- a: { run: { shell: { command: 'printf \" a\\n b\\n\\n\"' } } }") == " a\n b")
    }

    @Test(arguments: [("code", 3), ("all", ["code": 3, "stdout": "", "stderr": "oh"])] as [(String, Value)])
    func `a task that asks for the exit code judges it by itself`(result: String, expected: Value) async throws {
        let task = "- a: { run: { shell: { command: 'echo oh >&2; exit 3' }, return: \(result) } }"
        #expect(try await output(task) == expected)
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

    @Test func `a program that is not installed, or that a signal ends, is an error that says so`() async throws {
        let missing = try await failure("- a: { run: { shell: { command: nosuchprogram } } }")
        #expect(missing.detail?.contains("exit code 127") == true)
        #expect(missing.detail?.contains("nosuchprogram") == true)
        let killed = try await failure("- a: { run: { shell: { command: 'kill -9 $$' } } }")
        #expect(killed.detail == "the command was ended by signal 9")
        #expect(killed.members["exitCode"] == 137)
    }

    @Test(.timeLimit(.minutes(15)))
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
        let result = try await output(task, input: ["second": "B $(x) 'ar", "greeting": "Hello; exit"])
        #expect(
            result == """
                {"second":"B $(x) 'ar","greeting":"Hello; exit"}
                sh Foo B $(x) 'ar 2
                Hello; exit /home/adele C
                0
                """)
    }

    @Test func `works in the workflow's folder, and finds a script beside the workflow`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).resolvingSymlinksInPath()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("import sys\nfrom help import word\nprint(word, sys.argv[1:])\n".utf8)
            .write(to: folder.appending(path: "say.py"))
        try Data("word = 'helped'\n".utf8).write(to: folder.appending(path: "help.py"))
        let place = try await output("- a: { run: { shell: { command: pwd } } }", folder: folder)
        #expect(place == .string(folder.path))
        let task = """
            - a: { run: { script: { language: python, source: { endpoint: 'file://say.py' }, arguments: [x] } } }
            """
        #expect(try await output(task, folder: folder) == "helped ['x']")
        let inline = """
            - a: { run: { script: { language: python, code: 'import help; print(help.word)' } } }
            """
        #expect(try await output(inline, folder: folder) == "helped")
        let outside = "- a: { run: { script: { language: python, source: { endpoint: 'file://../x.py' } } } }"
        let error = await #expect(throws: WorkflowError.self) { try await output(outside, folder: folder) }
        #expect(error?.is(.configuration) == true)
    }

    @Test func `runs scripts in Python with arguments, environment and standard input`() async throws {
        let task = """
            - a:
                run:
                  script:
                    language: python
                    arguments: ['${ .name }', --flag]
                    environment: { MOOD: good }
                    stdin: '${ . }'
                    code: |
                      import json, os, sys
                      print(json.dumps([sys.argv[1:], os.environ["MOOD"], json.load(sys.stdin)["name"]]))
                output: { as: '${ fromjson }' }
            """
        #expect(try await output(task, input: ["name": "Adele"]) == [["Adele", "--flag"], "good", "Adele"])
    }

    @Test func `runs scripts in JavaScript, with 'await', 'import', 'require' and templates of its own`() async throws {
        let task = """
            - a:
                run:
                  script:
                    language: js
                    arguments: ['${ .name }', --flag]
                    environment: { MOOD: good }
                    stdin: '${ . }'
                    code: |
                      import { readFileSync } from 'node:fs'
                      const input = await Promise.resolve(JSON.parse(readFileSync(0, 'utf8')))
                      const [node, script, ...rest] = process.argv
                      const os = require('node:os')
                      console.log(JSON.stringify([rest, process.env.MOOD, `Hello ${input.name}`, os.EOL]))
                output: { as: '${ fromjson }' }
            """
        #expect(
            try await output(task, input: ["name": "Adele"]) == [["Adele", "--flag"], "good", "Hello Adele", "\n"])
    }

    @Test(arguments: [
        ("js", "console.log(greetings, who.name)"), ("javascript", "console.log(greetings, who.name)"),
        ("python", "print(greetings, who['name'])"),
    ])
    func `arguments with names are variables of a script, as in the reference's example`(
        language: String, code: String
    ) async throws {
        let task = """
            - a:
                run:
                  script:
                    language: \(language)
                    arguments: { greetings: 'Hello, world!', who: '${ . }' }
                    code: |
                      \(code)
            """
        #expect(try await output(task, input: ["name": "Adele"]) == "Hello, world! Adele")
        #expect(try workflow(task).validate().map(\.id) == ["named-arguments"])
    }

    @Test func `an interpreter that is not installed is a configuration error that names what to install`() async throws
    {
        var runner = Runner.testing()
        runner.environment = ["PATH": "/nowhere"]
        let workflow = try workflow("- a: { run: { script: { language: js, code: '1' } } }")
        let error = await #expect(throws: WorkflowError.self) { try await runner.run(workflow).value }
        #expect(error?.is(.configuration) == true)
        #expect(error?.detail?.contains("Node.js") == true)
    }

    @Test(.timeLimit(.minutes(15)))
    func `with 'await: false' the output is the transformed input, and the process runs on`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let task = """
            - a:
                input: { from: '${ { b: .a } }' }
                run: { shell: { command: 'while [ ! -e go ]; do sleep 0.01; done; touch done' }, await: false }
            """
        #expect(try await output(task, input: ["a": 1], folder: folder) == ["b": 1])
        try Data().write(to: folder.appending(path: "go"))
        while !FileManager.default.fileExists(atPath: folder.appending(path: "done").path) { await Task.yield() }
    }

    @Test(.timeLimit(.minutes(15)), arguments: [true, false])
    func `cancelling the run ends its processes`(isAwaited: Bool) async throws {
        let workflow = try workflow(
            """
            - a: { run: { shell: { command: 'sleep 1000' }, await: \(isAwaited) } }
            - b: { wait: PT1H }
            """)
        let clock = ManualClock()
        let runner = Runner.testing(clock: clock)
        let run = runner.run(workflow)
        while runner.processes.identifiers.isEmpty || (!isAwaited && clock.waitCount == 0) { await Task.yield() }
        let group = try #require(runner.processes.identifiers.first)
        run.cancel()
        if !isAwaited {
            while clock.waitCount < 1 { await Task.yield() }
            clock.advance(by: .seconds(2))
        }
        try await runner.processes.allEnded.value
        #expect(runner.processes.identifiers == [])
        while ProcessGroup.isAtWork(group) { await Task.yield() }
    }

    @Test(.timeLimit(.minutes(15)))
    func `a timeout ends the process, and is an error 408`() async throws {
        let log = EventLog()
        let workflow = try workflow("- a: { run: { shell: { command: 'sleep 1000' } }, timeout: { after: PT5S } }")
        let clock = ManualClock()
        let runner = Runner.testing(clock: clock, recorders: [log.recorder])
        let run = runner.run(workflow)
        while runner.processes.identifiers.isEmpty || clock.waitCount == 0 { await Task.yield() }
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: WorkflowError.self) { try await run.value }
        #expect(error?.is(.timeout) == true)
        #expect(error?.status == 408)
        try await runner.processes.allEnded.value
        #expect(runner.processes.identifiers == [])
        #expect(log.summary.contains("call.started /do/0/a"))
    }

    @Test func `a plan starts nothing, and shows what would be started in the order of everything`() async throws {
        let workflow = try workflow(
            """
            - photo: { call: photo, export: { as: . } }
            - list:
                run:
                  shell:
                    command: 'touch /nowhere; echo "$1"'
                    arguments: ['it''s']
                    environment: { MOOD: good }
                    stdin: hello
            - count: { run: { script: { language: python, code: 'print(1)' }, return: all }, input: { from: . } }
            """)
        let plan = try await Runner.testing().plan(workflow).value
        #expect(plan.requests.count == 1)
        let programs = plan.steps.compactMap { step -> PlannedProcess? in
            guard case .process(let program) = step else { return nil }
            return program
        }
        #expect(
            programs.map(\.call) == [
                ["sh", "-c", "touch /nowhere; echo \"$1\"", "sh", "it's"], ["python3", "-c", "print(1)"],
            ])
        #expect(programs.first?.standardInput == "hello")
        #expect(programs.first?.variables == ["MOOD"])
        #expect(plan.output == ["code": "‹count.code›", "stdout": "‹count.stdout›", "stderr": "‹count.stderr›"])
    }

    @Test func `what a plan cannot compute from what a process would print is symbolic as well`() async throws {
        let workflow = try workflow(
            """
            - ask: { run: { shell: { command: ask } }, output: { as: '${ fromjson }' }, export: { as: '${ { a: . } }' } }
            - next: { set: { b: '${ $context.a.b }' } }
            - last: { set: { c: '${ . }' } }
            """)
        #expect(try await Runner.testing().plan(workflow).value.output == ["c": ["b": "‹next.b›"]])
        let wrong = try self.workflow("- a: { set: { b: '${ 1 | fromjson }' } }")
        await #expect(throws: WorkflowError.self) { try await Runner.testing().plan(wrong).value }
    }

    @Test func `warns of a command that data is written into`() throws {
        let findings = try workflow("- a: { run: { shell: { command: 'echo \"Hello, ${ .name }\"' } } }").validate()
        #expect(findings.map(\.id) == ["shell-injection"])
        #expect(findings.map(\.severity) == [.warning])
        #expect(findings.first?.range?.start.column != nil)
        #expect(try workflow("- a: { run: { shell: { command: 'echo $HOME' } } }").validate() == [])
    }

    @Test(arguments: [
        ("shell: { command: a, arguments: { a: b } }", "type"), ("shell: { command: a, arguments: [1] }", "type"),
        ("shell: { command: a, environment: [a] }", "type"), ("shell: { command: a, stdin: 1 }", "type"),
        ("script: { language: js, code: a, arguments: { 'a-b': c } }", "name"),
        ("script: { language: ruby, code: a }", "unsupported"), ("container: { image: alpine }", "unsupported"),
    ])
    func `refuses what the schema refuses`(process: String, id: String) throws {
        let error = #expect(throws: InvalidWorkflow.self) { try workflow("- a: { run: { \(process) } }") }
        #expect(error?.diagnostics.map(\.id) == [id])
    }
}
