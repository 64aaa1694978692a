import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "Run" and "Container Process".
@Suite struct RunContainerTests {
    private let engine: ContainerStandIn

    init() throws { engine = try ContainerStandIn() }

    private func runner(clock: any PromiseClock = .patient) -> Runner {
        var runner = Runner.testing(clock: clock)
        runner.makeID = { "ID" }
        runner.environment = ["PATH": engine.searchPath, "HOME": "/home/adele", "AZURE_CLIENT_SECRET": "secret"]
        return runner
    }

    private func output(_ tasks: String, input: Value = [:], folder: URL? = nil) async throws -> Value {
        try await runner().run(try Workflow(tasks: tasks, folder: folder), input: input).value
    }

    private func failure(_ tasks: String, input: Value = [:]) async throws -> WorkflowError {
        try #require(await #expect(throws: WorkflowError.self) { try await output(tasks, input: input) })
    }

    /// The arguments of the only run, without the labels.
    private var arguments: String? {
        let runs = engine.calls.filter { $0.hasPrefix("[run]") }
        return runs.count == 1 ? runs[0].replacing(/\[--label\]\[[^\]]*\]/, with: "") : nil
    }

    @Test func `runs a container of an image, which has labels of its run`() async throws {
        #expect(try await output("- a: { run: { container: { image: 'alpine:3' } } }") == "hello from alpine:3")
        let labels = "container=id run=ID task=/do/0/a cleanup=never".split(separator: " ")
            .map { "[--label][io.graphflow.\($0)]" }.joined()
        #expect(
            engine.calls == [
                "[ps][--all][--quiet][--no-trunc][--filter][label=io.graphflow.cleanup]",
                "[run][--name][graphflow-id]\(labels)[--quiet][--pull][missing][alpine:3]",
            ])
        #expect(engine.containers == ["graphflow-id"])
    }

    @Test func `all that data say are arguments, and no shell reads them`() async throws {
        let task = """
            - a:
                run:
                  container:
                    image: ${ .image }
                    name: job-${ .number }
                    command: printf '%s|'
                    arguments: ['${ .text }', --rm, '']
                    ports: { 8080: 80, 5353: '${ .port }/udp' }
                    volumes: { /tmp: '/data:ro', cache: /cache }
                    pullPolicy: never
                    lifetime: { cleanup: always }
            """
        let input: Value = ["image": "alpine", "number": 7, "text": "$(id); `id` 'x\"", "port": 53]
        #expect(try await output(task, input: input) == "$(id); `id` 'x\"|--rm||")
        #expect(
            arguments
                == "[run][--name][job-7][--quiet][--pull][never][--rm][--publish][8080:80][--publish][5353:53/udp]"
                + "[--volume][/tmp:/data:ro][--volume][cache:/cache][alpine][printf][%s|][$(id); `id` 'x\"][--rm][]")
        #expect(engine.containers == [])
    }

    @Test func `a folder that is named as seen from the workflow's is passed with its whole path`() async throws {
        let task = """
            - a:
                run:
                  container:
                    image: a
                    volumes: { ./data: /data, ../more: '/more:ro', .: '${ .place }' }
            """
        _ = try await output(task, input: ["place": "/here"], folder: engine.folder)
        let (folder, above) = (engine.folder.path, engine.folder.deletingLastPathComponent().path)
        let volumes = ["\(folder)/data:/data", "\(above)/more:/more:ro", "\(folder)/:/here"].map { "[--volume][\($0)]" }
        #expect(arguments?.contains(volumes.joined()) == true, "\(arguments ?? "")")
        let error = try await failure(task, input: ["place": "/here"])
        #expect(error.detail == "the folder './data' is relative to the workflow, which has no folder")
    }

    @Test func `a command that is an expression is one word, or an array of them`() async throws {
        let task = "- a: { run: { container: { image: a, command: '${ .c }', arguments: [b] } } }"
        _ = try await failure(task, input: ["c": "echo x"])
        #expect(arguments?.hasSuffix("[a][echo x][b]") == true)
        #expect(try await ContainerRun.other(task, input: ["c": ["echo", "x y"]]) == "x y b")
    }

    @Test func `variables are passed by the environment of the program, and never among its arguments`() async throws {
        let task = """
            - a:
                run:
                  container:
                    image: alpine
                    command: sh -c 'echo "$GREETING $NUMBER $AZURE_CLIENT_SECRET."'
                    environment: { GREETING: 'Hello $(id)', NUMBER: '${ 7 }', LANG: C.UTF-8 }
            """
        #expect(try await output(task) == "Hello $(id) 7 .")
        #expect(arguments?.contains("[--env][GREETING][--env][NUMBER][--env][LANG=C.UTF-8][alpine]") == true)
    }

    @Test func `a variable that the run passes on is among no arguments, and refused where the program uses it`()
        async throws
    {
        var runner = runner()
        runner.access.variables = ["AZURE_CLIENT_SECRET"]
        let workflow = try Workflow(
            tasks: """
                - a: { run: { container: { image: alpine, command: sh -c 'echo "$AZURE_CLIENT_SECRET"' } } }
                """)
        #expect(try await runner.run(workflow).value == "secret")
        #expect(arguments?.contains("[--env][AZURE_CLIENT_SECRET][alpine]") == true)
        runner.environment["DOCKER_HOST"] = "tcp://contoso.com"
        runner.access.variables = ["DOCKER_HOST"]
        let error = await #expect(throws: WorkflowError.self) {
            try await runner.run(workflow).value
        }
        #expect(error?.detail?.hasPrefix("the variable 'DOCKER_HOST' cannot be passed on in a container") == true)
    }

    @Test func `a secret is among no arguments, and refused where the program itself uses the variable`() async throws {
        func workflow(_ name: String) throws -> Workflow {
            try Workflow(
                tasks: """
                    - a:
                        run:
                          container:
                            image: alpine
                            command: sh -c 'echo "$TOKEN" | wc -c'
                            environment: { \(name): 'Bearer ${ $secrets.key }' }
                    """, rest: "use: { secrets: [key] }")
        }
        var runner = runner()
        runner.secrets = .values(["key": SecretValue(.string("topsecret"))])
        #expect(try await runner.run(try workflow("TOKEN")).value == "17")
        #expect(arguments?.contains("[--env][TOKEN][alpine]") == true)
        let error = await #expect(throws: WorkflowError.self) {
            try await runner.run(try workflow("DOCKER_HOST")).value
        }
        #expect(error?.detail?.hasPrefix("the variable 'DOCKER_HOST' cannot hold a secret in a container") == true)
        #expect(!engine.calls.joined().contains("topsecret"))
    }

    @Test func `'stdin' is read only if it is given`() async throws {
        let container = "image: alpine, command: sh -c 'cat; echo .'"
        #expect(
            try await output("- a: { run: { container: { \(container), stdin: '${ . }' } } }", input: ["b": 1])
                == "{\"b\":1}.")
        #expect(arguments?.contains("[--interactive][alpine]") == true)
        #expect(try await ContainerRun.other("- a: { run: { container: { \(container) } } }") == ".")
    }

    @Test(
        arguments: [
            ("stdout", "out"), ("stderr", "err"), ("code", 0), ("none", .null),
            ("all", ["code": 0, "stdout": "out", "stderr": "err"]),
        ] as [(String, Value)])
    func `'return' configures the output of the container`(result: String, expected: Value) async throws {
        let command = "sh -c 'echo out; echo err >&2'"
        let task = "- a: { run: { container: { image: a, command: \"\(command)\" }, return: \(result) } }"
        #expect(try await output(task) == expected)
    }

    @Test func `a container that fails is a runtime error with what it said`() async throws {
        let error = try await failure(
            "- a: { run: { container: { image: a, command: \"sh -c 'echo no >&2; exit 3'\" } } }")
        #expect(error.is(.runtime))
        #expect(error.detail == "the container ended with exit code 3: no")
        #expect(error.members["exitCode"] == 3)
    }

    @Test func `a container that cannot be run is an error with what the program said`() async throws {
        try Data("alpine\n".utf8).write(to: engine.folder.appending(path: "state/images"))
        let error = try await failure("- a: { run: { container: { image: nosuch, lifetime: { cleanup: always } } } }")
        #expect(error.detail == "the container ended with exit code 125: Error: nosuch: image not known")
    }

    @Test func `a container of another with the same name is left alone`() async throws {
        try engine.leave("job", labels: ["cleanup": "never", "container": "other"], finishedAt: "2020-01-01T00:00:00Z")
        let error = try await failure(
            "- a: { run: { container: { image: a, name: job, lifetime: { cleanup: always } } } }")
        #expect(error.detail?.contains("already in use") == true)
        #expect(engine.containers == ["job"])
    }

    @Test(arguments: [("image", "-v"), ("image", "a b"), ("name", "--privileged"), ("name", "a/b")])
    func `malformed names from data are refused before anything starts`(part: String, text: String) async throws {
        let image = part == "image" ? "" : "image: alpine, "
        let error = try await failure(
            "- a: { run: { container: { \(image)\(part): '${ .text }' } } }", input: ["text": .string(text)])
        #expect(error.is(.validation))
        #expect(arguments == nil)
    }

    @Test(
        arguments: [("always", []), ("never", ["graphflow-id"]), ("eventually, after: PT1H", ["graphflow-id"])]
            as [(String, [String])])
    func `a container is ended by a timeout, and then removed if it must be`(
        cleanup: String, left: [String]
    ) async throws {
        let clock = ManualClock()
        let runner = runner(clock: clock)
        let workflow = try Workflow(
            tasks: """
                - a:
                    run:
                      container: { image: a, command: sleep 1000, lifetime: { cleanup: \(cleanup) } }
                    timeout: { after: PT1S }
                """)
        let run = runner.run(workflow)
        // A busy machine takes its time to begin it.
        while !engine.isRunning("graphflow-id") { await pause() }
        clock.advance(by: .seconds(1))
        let error = await #expect(throws: WorkflowError.self) { try await run.value }
        #expect(error?.is(.timeout) == true)
        try await runner.processes.allEnded.value
        #expect(engine.containers == left)
        #expect(!engine.isRunning("graphflow-id"))
    }

    @Test func `a container that ignores its end is killed, also when the run is cancelled`() async throws {
        let runner = runner()
        let marker = engine.folder.appending(path: "begun").path
        let workflow = try Workflow(
            tasks: """
                - a:
                    run:
                      container:
                        image: a
                        command: sh -c 'trap "" TERM; touch "$1"; while true; do sleep 1; done' sh
                        arguments: ['\(marker)']
                        lifetime: { cleanup: always }
                """)
        let run = runner.run(workflow)
        while !FileManager.default.fileExists(atPath: marker) { await pause() }
        run.cancel()
        _ = try? await run.value
        try await runner.processes.allEnded.value
        #expect(engine.containers == [])
        #expect(engine.calls.contains("[kill][graphflow-id]"))
    }

    @Test func `the name of a container that is being ended is used again when it has ended`() async throws {
        let marker = engine.folder.appending(path: "begun").path
        let tasks = """
            - try:
                try:
                  - a:
                      run:
                        container:
                          image: a
                          name: job
                          command: sh -c 'trap "" TERM; touch "$1"; while true; do sleep 1; done' sh
                          arguments: ['\(marker)']
                          lifetime: { cleanup: always }
                      timeout: { after: PT1S }
                catch:
                  do:
                    - b: { run: { container: { image: a, name: job, lifetime: { cleanup: always } } } }
            """
        let clock = ManualClock()
        let run = runner(clock: clock).run(try Workflow(tasks: tasks))
        while !FileManager.default.fileExists(atPath: marker) { await pause() }
        // The timeout, and then the time in which it may end by itself; what ends it takes real time.
        while run.isPending {
            if engine.calls.count == 2, clock.waitCount > 0 { clock.advance(by: .seconds(1)) }
            await pause()
        }
        #expect(try await run.value == "hello from a")
        #expect(engine.containers == [])
    }

    @Test func `with 'await: false' the run continues, and its container is told apart`() async throws {
        let runner = runner()
        let workflow = try Workflow(
            tasks: """
                - a: { run: { container: { image: a, command: cat, lifetime: { cleanup: always } }, await: false } }
                """)
        #expect(try await runner.run(workflow, input: ["b": 1]).value == ["b": 1])
        try await runner.processes.noneLeft.value
        #expect(engine.calls.last?.contains("[--label][io.graphflow.unawaited=true]") == true)
        #expect(engine.containers == [])
    }

    @Test func `the first container of a process removes those whose time has come`() async throws {
        let labels = ["cleanup": "eventually", "after": "3600", "run": "OTHER"]
        try engine.leave("old", labels: labels, finishedAt: "2020-01-01T00:00:00.5Z")
        try engine.leave("young", labels: labels, finishedAt: "2999-01-01T00:00:00.5Z")
        try engine.leave("kept", labels: ["cleanup": "always", "run": "OTHER"], finishedAt: "2020-01-01T00:00:00Z")
        _ = try await output(
            """
            - a: { run: { container: { image: a, name: a, lifetime: { cleanup: eventually, after: PT1H } } } }
            - b: { run: { container: { image: a, name: b, lifetime: { cleanup: eventually, after: { days: 1 } } } } }
            """)
        #expect(engine.containers == ["a", "b", "kept", "young"])
        #expect(engine.calls.count { $0.hasPrefix("[ps]") } == 1)
        #expect(
            engine.calls.last?.contains("[io.graphflow.cleanup=eventually][--label][io.graphflow.after=86400]")
                == true)
    }

    @Test func `a container is removed eventually by the process that ran it, if that is still there`() async throws {
        let clock = ManualClock()
        let runner = runner(clock: clock)
        let workflow = try Workflow(
            tasks: "- a: { run: { container: { image: a, lifetime: { cleanup: eventually, after: PT1H } } } }")
        _ = try await runner.run(workflow).value
        #expect(engine.containers == ["graphflow-id"])
        clock.advance(by: .seconds(3_600))
        while !engine.containers.isEmpty { await pause() }
    }

    @Test func `a resumed run removes the containers that it left, before it asks what happened`() async throws {
        let process = CrashingRun(endingWith: { event in
            if case .callStarted = event.kind { true } else { false }
        })
        let workflow = try Workflow(
            tasks: "- a: { run: { container: { image: a, lifetime: { cleanup: always } } } }")
        let runner = runner()
        _ = try await process.run(workflow, input: [:], by: runner, blobs: BlobStore())
        try engine.leave("left", labels: ["cleanup": "always", "run": "RUN"], finishedAt: "2020-01-01T00:00:00Z")
        try engine.leave("other", labels: ["cleanup": "always", "run": "R"], finishedAt: "2020-01-01T00:00:00Z")
        let next = CrashingRun(events: process.events)
        await #expect(throws: UnsettledEffects.self) {
            try await next.resume(workflow, input: [:], by: runner, blobs: BlobStore())
        }
        #expect(engine.containers.contains("other"))
        #expect(!engine.containers.contains("left"))
    }
}

/// A container of an engine of its own.
private enum ContainerRun {
    static func other(_ tasks: String, input: Value = [:]) async throws -> Value {
        try await Runner.testing(clock: .patient).run(try Workflow(tasks: tasks), input: input).value
    }
}

/// What is known of containers before they run.
@Suite struct PlannedContainerTests {
    @Test func `a plan shows every argument, and starts nothing`() async throws {
        let engine = try ContainerStandIn()
        var runner = Runner.testing()
        runner.environment = ["PATH": engine.searchPath]
        let workflow = try Workflow(
            tasks: """
                - ask: { run: { shell: { command: ask } }, output: { as: '${ { answer: . } }' } }
                - a:
                    run:
                      container:
                        image: alpine
                        command: echo 'a b'
                        arguments: ['${ .answer }']
                        environment: { GREETING: Hello }
                        lifetime: { cleanup: eventually, after: PT1M }
                """)
        let plan = try await runner.plan(workflow).value
        let programs = plan.steps.compactMap { step -> PlannedProcess? in
            guard case .process(let program) = step else { return nil }
            return program
        }
        let expected = """
            podman run --name graphflow-‹a.container› --label io.graphflow.container=‹a.container› \
            --label io.graphflow.run=‹workflow.id› --label io.graphflow.task=/do/1/a \
            --label io.graphflow.cleanup=eventually --label io.graphflow.after=60 --quiet --pull missing \
            --env GREETING alpine echo a b ‹ask.stdout›
            """
        #expect(programs.last?.call.joined(separator: " ") == expected)
        #expect(engine.calls == [])
    }

    @Test func `the program is podman, else docker, else what a variable says`() throws {
        let (podman, docker) = (try ContainerStandIn(), try ContainerStandIn(named: "docker"))
        func name(_ environment: [String: String]) -> String? { ContainerEngine(environment)?.name }
        #expect(name(["PATH": "\(docker.folder.path):\(podman.folder.path)"]) == "podman")
        #expect(name(["PATH": docker.folder.path]) == "docker")
        #expect(name(["PATH": docker.folder.path, "GRAPHFLOW_CONTAINER": "podman"]) == nil)
        #expect(name(["PATH": "/", "GRAPHFLOW_CONTAINER": "\(docker.folder.path)/docker"]) == "docker")
        #expect(name(["PATH": "/nowhere"]) == nil)
    }

    @Test func `where there is no program, it is said before anything runs, and not by 'validate'`() async throws {
        let workflow = try Workflow(
            tasks: """
                - first: { call: me }
                - a: { run: { container: { image: alpine } } }
                """)
        #expect(workflow.validate() == [])
        let sandbox = Sandbox()
        var runner = Runner.testing(sandbox: sandbox)
        runner.environment = ["PATH": "/nowhere"]
        let error = await #expect(throws: InvalidWorkflow.self) { try await runner.run(workflow).value }
        #expect(error?.diagnostics.map(\.message) == ["containers need 'podman' or 'docker', and neither is in PATH"])
        #expect(error?.diagnostics.first?.range?.start.column != nil)
        runner.environment["GRAPHFLOW_CONTAINER"] = "nosuch"
        let other = await #expect(throws: InvalidWorkflow.self) { try await runner.run(workflow).value }
        #expect(other?.diagnostics.first?.message.contains("GRAPHFLOW_CONTAINER names") == true)
        #expect(sandbox.requests.isEmpty)
    }

    @Test(arguments: [
        ("image: -v", "container"), ("image: 'a b'", "container"), ("image: 1", "type"),
        ("name: a", "missing-property"),
        ("image: a, name: -n", "container"), ("image: a, command: 'echo ${ .a }'", "container"),
        ("image: a, command: \"echo 'a\"", "container"), ("image: a, ports: [80]", "type"),
        ("image: a, volumes: a", "type"),
        ("image: a, ports: { a: 80 }", "container"), ("image: a, ports: { 80: true }", "container"),
        ("image: a, volumes: { a/b: /c }", "container"), ("image: a, volumes: { ./a: b }", "container"),
        ("image: a, environment: [a]", "type"), ("image: a, stdin: 1", "type"),
        ("image: a, arguments: { b: c }", "type"), ("image: a, pullPolicy: sometimes", "choice"),
        ("image: a, lifetime: { cleanup: later }", "choice"),
        ("image: a, lifetime: { after: PT1S }", "missing-property"),
        ("image: a, lifetime: { cleanup: eventually }", "missing-property"),
        ("image: a, lifetime: { cleanup: eventually, after: soon }", "duration"),
        ("image: a, user: b", "unknown-property"),
    ])
    func `refuses what cannot be run`(container: String, id: String) throws {
        let error = #expect(throws: InvalidWorkflow.self) {
            try Workflow(tasks: "- a: { run: { container: { \(container) } } }")
        }
        #expect(error?.diagnostics.map(\.id) == [id])
    }
}
