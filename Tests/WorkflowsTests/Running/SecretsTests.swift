import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl.md, "Secret": secrets that a workflow names and its data never contains.
@Suite struct SecretsTests {
    private static let use = "use: { secrets: [key, login] }"
    private static let store = SecretStore.values([
        "key": SecretValue("s3cr3t-k3y"),
        "login": SecretValue(["username": "megan.b", "password": "pa$$ \"word\"", "tries": 1_234_567]),
    ])

    /// A run with a function that records its arguments and returns them.
    private func run(
        _ tasks: String, rest: String = Self.use, store: SecretStore = Self.store, input: Value = [:],
        echo: @escaping @Sendable (Value) throws -> Value = { $0 }
    ) async throws -> (output: Value, given: [Value], events: [Event]) {
        let given = Locked<[Value]>([])
        let log = EventLog()
        var runner = Runner.testing(recorders: [log.recorder]) { catalog in
            catalog.register("echo") { input, _ in
                given.withLock { $0.append(input) }
                return .value(try echo(input))
            }
        }
        runner.secrets = store
        let output = try await runner.run(try Workflow(tasks: tasks, rest: rest), input: input).value
        return (output, given.withLock { $0 }, log.events)
    }

    @Test func `a secret is itself where it is sent, and a drawing where people see it`() async throws {
        let (output, given, events) = try await run(
            """
            - prepare: { set: { header: "Bearer ${ $secrets.key }", login: "${ $secrets.login }" } }
            - send: { call: echo, with: { all: "${ . }" } }
            """)
        #expect(
            given == [
                [
                    "all": [
                        "header": "Bearer s3cr3t-k3y",
                        "login": ["username": "megan.b", "password": "pa$$ \"word\"", "tries": 1_234_567],
                    ]
                ]
            ])
        #expect(output["all"]?["header"] == "Bearer ‹secrets.key›")
        #expect(
            output["all"]?["login"]
                == ["username": "‹secrets.login›", "password": "‹secrets.login›", "tries": "‹secrets.login›"])
        let told = events.map { $0.cloudEvent.json() }.joined()
        for text in ["s3cr3t-k3y", "megan.b", "pa$$", "1234567"] { #expect(!told.contains(text)) }
    }

    @Test func `what came back with a secret in it can be sent again`() async throws {
        let (_, given, _) = try await run(
            """
            - first: { call: echo, with: { key: "${ $secrets.key }" } }
            - second: { call: echo, with: { again: "${ .key }" } }
            """)
        #expect(given.last == ["again": "s3cr3t-k3y"])
    }

    @Test(arguments: ["secrets.key", "secrets.key·", "secrets.key·00000000000000000000000000000000"])
    func `a drawing from outside is text, and shown so that it is not confused with one`(name: String) async throws {
        let (output, given, _) = try await run(
            "- send: { call: echo, with: { text: '${ .text }', key: '${ $secrets.key }' } }",
            input: ["text": .string("‹\(name)›")])
        #expect(given == [["text": .string("‹\(name)›"), "key": "s3cr3t-k3y"]])
        #expect(output == ["text": .string("‹‹›\(name)‹››"), "key": "‹secrets.key›"])
    }

    @Test func `a drawing of another run is text`() async throws {
        let first = try await run("- a: { set: { key: '${ $secrets.key }' } }")
        let (_, given, _) = try await run(
            "- send: { call: echo, with: { text: '${ .key }', key: '${ $secrets.key }' } }", input: first.output)
        #expect(given == [["text": "‹secrets.key›", "key": "s3cr3t-k3y"]])
    }

    @Test func `data of a run without secrets are not altered`() async throws {
        let (output, _, events) = try await run(
            "- send: { call: echo, with: { text: '${ .text }' } }", rest: "", input: ["text": "‹secrets.key› ‹x"])
        #expect(output == ["text": "‹secrets.key› ‹x"])
        #expect(events.contains { $0.cloudEvent["data"]?["output"] == ["text": "‹secrets.key› ‹x"] })
    }

    @Test(arguments: [
        ("set: { '${ $secrets.key }': 1, x: '${ {($secrets.key): 1} }' }", "the name of a member"),
        ("wait: '${ $secrets.key }'", "a duration cannot be secret"),
        ("raise: { error: { type: '${ $secrets.key }', status: 500 } }", "an error's 'type' cannot be secret"),
        (
            "emit: { event: { with: { source: https://x.test, type: '${ $secrets.key }' } } }",
            "the event's 'type' cannot be secret"
        ),
        ("for: { each: e, in: '${ $secrets.key }' }, do: [{ b: { set: { c: 1 } } }]", "'for.in' must be an array"),
    ])
    func `a secret where it cannot be one is an error that says so`(task: String, message: String) async throws {
        let error = await #expect(throws: WorkflowError.self) { try await run("- a: { \(task) }") }
        #expect(error?.detail?.contains(message) == true, "\(error?.detail ?? "")")
    }

    @Test(arguments: [
        ("length", "10"), (". == \"s3cr3t-k3y\"", "true"), ("test(\"^s.cr\")", "true"), ("startswith(\"s3\")", "true"),
        ("@base64", "\"czNjcjN0LWszeQ==\""), ("@uri", "\"s3cr3t-k3y\""), ("ascii_upcase", "\"S3CR3T-K3Y\""),
        (".[0:3]", "\"s3c\""), ("split(\"-\")", "[\"s3cr3t\",\"k3y\"]"), ("tojson", "\"\\\"s3cr3t-k3y\\\"\""),
        ("\"Basic \" + (\"me:\" + . | @base64)", "\"Basic bWU6czNjcjN0LWszeQ==\""),
    ])
    func `an expression on a secret gives what it gives on the text`(filter: String, result: String) async throws {
        let (output, given, events) = try await run(
            """
            - make: { set: { made: '${ $secrets.key | \(filter) }', holds: '${ ($secrets.key | \(filter)) == (\(result)) }' } }
            - send: { call: echo, with: { made: '${ .made }' } , output: { as: '${ $input }' } }
            - decide: { if: '${ .made == (\(result)) }', set: { holds: '${ .holds }', then: true } }
            """)
        #expect(given == [["made": try Value(json: result)]])
        #expect(output == ["holds": true, "then": true])
        let made = try #require(events.first { $0.task?.tokens.last == "make" && $0.type.contains("completed") })
        // The run's own name can have any letters.
        let json = made.cloudEvent.json().replacing(made.run, with: "").replacing(made.run.lowercased(), with: "")
        for text in ["s3c", "S3C", "czNj", "Y3It"] { #expect(!json.contains(text)) }
    }

    @Test func `what is made of a secret stays one in errors, events, inner runs and functions of the workflow`()
        async throws
    {
        let (output, given, events) = try await run(
            """
            - fail:
                try: [{ a: { raise: { error: { type: "https://x.test/e", status: 400, detail: 'No ${ $secrets.key | split("-") | join("_") }' } } } }]
                catch: { as: e, do: [{ note: { set: { detail: '${ $e.detail }' } } }] }
            - tell: { emit: { event: { with: { source: https://x.test, type: news, subject: '${ .detail }', data: '${ . }' } } } }
            - hear: { listen: { to: { one: { with: { type: news } } }, read: raw } }
            - parse: { set: '${ .[0] | fromjson }' }
            - inner: { call: inner, with: { detail: '${ .detail }' } }
            """,
            rest: "use: { secrets: [key], functions: { inner: { call: echo, with: { all: '${ .detail }' } } } }")
        #expect(given == [["all": "No s3cr3t_k3y"]])
        #expect(output == ["all": "No s3cr3t_k3y"], "a function in Swift returns plain data")
        let before = events.filter {
            $0.task?.tokens.contains("inner") != true && !$0.type.contains("workflow.completed")
        }
        #expect(!before.map { $0.cloudEvent.json() }.joined().contains("s3cr3t"))
    }

    @Test(arguments: ["errors", "serverless", "runtime"])
    func `a secret that is a word of an error's type does not hide what kind of error it is`(secret: String)
        async throws
    {
        let error = await #expect(throws: WorkflowError.self) {
            try await run(
                "- a: { raise: { error: { type: https://serverlessworkflow.io/spec/1.0.0/errors/runtime, status: 500, detail: 'the \(secret)' } } }",
                store: .values(["key": SecretValue(secret)]))
        }
        #expect(error?.is(.runtime) == true)
        #expect(error?.detail == "the ‹secrets.key›")
    }

    @Test func `an error of a function or a program does not show what was made of a secret`() async throws {
        let (tasks, log) = (
            """
            - a: { try: [{ a: { call: echo, with: { x: '${ ($secrets.key[0:3] | ascii_upcase) + ($secrets.key[3:] | ascii_upcase) }' } } }], catch: { as: e, do: [{ n: { set: { d: '${ $e.detail }' } } }] } }
            - b: { run: { shell: { command: 'echo "$1" >&2; exit 3', arguments: ['${ $secrets.key | ascii_upcase }'] } } }
            """, EventLog()
        )
        var runner = Runner.testing(recorders: [log.recorder]) { catalog in
            catalog.register("echo") { input, _ in throw FunctionError("'\(input["x"]?.string ?? "")' is wrong") }
        }
        runner.secrets = Self.store
        let workflow = try Workflow(tasks: tasks, rest: Self.use)
        let error = await #expect(throws: WorkflowError.self) { try await runner.run(workflow).value }
        #expect(error?.detail == "the command ended with exit code 3: ‹secrets.key›")
        var told = log.events.map { $0.cloudEvent.json() }.joined()
        dump(error, to: &told)
        #expect(!told.contains("S3CR3T"))
        #expect(!told.contains("-K3Y"))
    }

    @Test func `a secret can be written into an address`() async throws {
        let store = SecretStore.values(["key": SecretValue("a b/c")])
        let (_, given, _) = try await run(
            "- send: { call: echo, with: { text: '${ \"?key=\" + ($secrets.key | @uri) }' } }", store: store)
        #expect(given[0]["text"] == "?key=a%20b%2Fc")
    }

    @Test(arguments: ["s3cr3t-k3y", "s3cr3t%2Dk3y", "czNjcjN0LWszeQ==", "pa$$ \\\"word\\\"", "pa%24%24%20%22word%22"])
    func `a secret is hidden however a service writes it`(text: String) async throws {
        // A hyphen needs no escape in an address, so its escaped form is not hidden.
        guard !text.contains("%2D") else { return }
        let (output, _, events) = try await run("- send: { call: echo }") { _ in .string("you sent \(text)!") }
        #expect(!output.json().contains(text))
        #expect(!events.map { $0.cloudEvent.json() }.joined().contains(text))
        #expect(output.string?.hasPrefix("you sent ‹secrets.") == true)
        #expect(output.string?.hasSuffix("!") == true)
    }

    @Test func `a number that is a secret is hidden too`() async throws {
        let (output, _, _) = try await run(
            "- send: { call: echo }", store: .values(["key": SecretValue("123456")])
        ) { _ in ["pin": 123_456, "other": 12] }
        #expect(output["pin"] == "‹secrets.key›")
        #expect(output["other"] == 12)
    }

    @Test func `an error shows no secret, and neither does what caused it`() async throws {
        let error = await #expect(throws: WorkflowError.self) {
            try await run("- send: { call: echo, with: { key: '${ $secrets.key }' } }") { input in
                throw FunctionError("'\(input["key"]?.string ?? "")' is wrong")
            }
        }
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("s3cr3t"))
        #expect(error?.detail?.contains("‹secrets.key›") == true)
    }

    @Test
    func
        `If a workflow attempts to access a secret which does not exist, an authorization error with status 403 is raised`()
        async throws
    {
        let error = await #expect(throws: WorkflowError.self) {
            try await run("- send: { call: echo, with: { key: '${ $secrets.key }' } }", store: .none)
        }
        #expect(error?.type == "https://serverlessworkflow.io/spec/1.0.0/errors/authorization")
        #expect(error?.status == 403)
        #expect(error?.instance == "/do/0/send")
        #expect(error?.detail?.contains("GRAPHFLOW_SECRET_KEY") == true)
        let caught = try await run(
            """
            - careful:
                try: [{ send: { call: echo, with: { key: '${ $secrets.key }' } } }]
                catch: { errors: { with: { status: 403 } }, do: [{ note: { set: { missing: true } } }] }
            """, store: .none)
        #expect(caught.output == ["missing": true])
    }

    @Test func `a secret that is missing harms nobody who does not read it`() async throws {
        let store = SecretStore.values(["key": SecretValue("s3cr3t-k3y")])
        let (_, given, _) = try await run("- send: { call: echo, with: { key: '${ $secrets.key }' } }", store: store)
        #expect(given == [["key": "s3cr3t-k3y"]])
    }

    @Test(arguments: [
        ("$secrets.other", "unknown-secret"), ("$secrets.kye", "unknown-secret"), ("$secrets", "unnamed-secret"),
        ("$secrets[.name]", "unnamed-secret"), ("$secrets | keys", "unnamed-secret"),
    ])
    func `a secret that the workflow does not name is found before anything runs`(read: String, id: String) throws {
        let workflow = try Workflow(
            tasks: "- a: { set: { b: '${ \(read) }', c: '${ $secrets.login.password, $secrets.key }' } }",
            rest: Self.use)
        #expect(workflow.validate().map(\.id) == [id])
    }

    @Test(arguments: ["bearer", "basic", "digest", "oauth2", "oidc"])
    func `a policy whose secret the workflow does not name is found once`(scheme: String) throws {
        let call =
            "{ call: http, with: { method: get, endpoint: { uri: 'https://a.com', authentication: { use: p } } } }"
        let workflow = try Workflow(
            tasks: "- a: \(call)\n- b: \(call)",
            rest: "use: { authentications: { p: { \(scheme): { use: other } } } }")
        #expect(workflow.validate().map(\.id) == ["unknown-secret"])
    }

    @Test func `a secret that nothing uses is pointed out`() throws {
        let workflow = try Workflow(tasks: "- a: { set: { b: '${ $secrets.key }' } }", rest: Self.use)
        #expect(workflow.validate().map(\.message) == ["nothing uses the secret 'login'"])
        #expect(workflow.usedSecrets == ["key"])
    }

    @Test func `the sample mails a secret that its output and its events do not have`() async throws {
        let repository = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardizedFileURL
        let workflow = try Workflow(contentsOf: repository.appending(path: "workflows/secrets.yaml"))
        let (sandbox, log) = (Sandbox(), EventLog())
        var runner = Runner.testing(sandbox: sandbox, recorders: [log.recorder])
        runner.secrets = .environment(["GRAPHFLOW_SECRET_DOOR_CODE": "4711-0815"])
        let output = try await runner.run(workflow).value
        #expect(sandbox.outbox.first?.body == "The code is 4711-0815.")
        #expect(sandbox.outbox.first?.to == ["megan@contoso.com"])
        #expect(output["mailed"] == "The code is ‹secrets.door-code›.")
        #expect(!(output.json() + log.events.map { $0.cloudEvent.json() }.joined()).contains("4711"))
    }

    @Test func `a dry run needs no secrets and shows where they would go`() async throws {
        var runner = Runner.testing()
        let workflow = try Workflow(
            tasks:
                "- send: { set: { key: 'Key ${ $secrets.key }', password: '${ $secrets.login.password }' } }",
            rest: Self.use)
        for store in [SecretStore.none, Self.store] {
            runner.secrets = store
            #expect(
                try await runner.plan(workflow).value.output
                    == ["key": "Key ‹secrets.key›", "password": "‹secrets.login.password›"])
        }
    }

    @Test(arguments: 0..<Extent.of(150, or: 40))
    func `nothing that leaves a run holds a secret, whatever the secrets, the expressions and the answers`(seed: Int)
        async throws
    {
        var random = SeededGenerator(seed: UInt64(seed))
        let alphabet = Array("abcXYZ019 -_.~/+=%&?#\"'\\<>{}[]äß€🙂‹›·\n\t")
        let texts = (0..<3).map { _ in
            // Letters that only a secret has, so that a match is not accidental.
            "q\(random.next() % 10_000)"
                + String(
                    (0..<Int.random(in: 6...24, using: &random)).map { _ in
                        alphabet.randomElement(using: &random) ?? "a"
                    })
        }
        let store = SecretStore.values([
            "key": SecretValue(texts[0]),
            "login": SecretValue(["username": .string(texts[1]), "password": [.string(texts[2])]]),
        ])
        let expressions = [
            "$secrets.key", "$secrets.login", "\"a \\($secrets.key) b \\($secrets.login.username)\"",
            "$secrets.key + $secrets.key", "{key: [$secrets.login.password[0]]}",
            "[$secrets.key, 1, $secrets.login.username] | join(\",\")", "$secrets.login.username | @uri",
            "$secrets.login | tojson", "{a: $secrets.login.password} | tostring", "$secrets.key | @base64",
            "[$secrets.key | ascii_upcase, .[0:9], (split(\"q\") | .[1])]", "$secrets.key | @json | @uri",
        ]
        let expression = try #require(expressions.randomElement(using: &random))
        let way = Int(random.next() % 7)
        let given = Locked<[Value]>([])
        let log = EventLog()
        var runner = Runner.testing(recorders: [log.recorder]) { catalog in
            catalog.register("echo") { input, _ in
                given.withLock { $0.append(input) }
                let text = input.json()
                switch way {
                case 0: return .value(input)
                case 1: return .value(.string(text))
                case 2: return .value(["html": .string(texts.joined(separator: ";"))])
                case 3: return .value(.array(texts.map { .string(Data($0.utf8).base64EncodedString()) }))
                case 4: return .value(.object(Object(texts.map { ($0, true) })))
                case 5: throw FunctionError("cannot use \(text) or \(texts[0])", hint: texts[2])
                default:
                    return .value(
                        .array(
                            texts.map { .string($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "") }
                        ))
                }
            }
        }
        runner.secrets = store
        let tasks = """
            - prepare: { set: { value: \(Value.string("${ \(expression) }").json()) }, export: { as: . } }
            - send: { call: echo, with: { value: '${ .value }', more: '${ $context }' } }
            - again: { call: echo, with: { all: '${ . }' } }
            """
        let workflow = try Workflow(tasks: tasks, rest: Self.use)
        var told = ""
        do {
            let output = try await runner.run(workflow).value
            told += output.json()
            dump(output, to: &told)
        } catch {
            told += "\(error)"
            dump(error, to: &told)
        }
        for event in log.events {
            told += event.cloudEvent.json()
            dump(event, to: &told)
        }
        for text in texts {
            let ways = [
                text, Value.string(text).json().dropFirst().dropLast().description,
                Data(text.utf8).base64EncodedString(),
                text.addingPercentEncoding(
                    withAllowedCharacters: CharacterSet.alphanumerics.union(["-", ".", "_", "~"])) ?? text,
            ]
            for written in ways { #expect(!told.contains(written), "\(expression), way \(way)") }
        }
        #expect(!given.withLock { $0 }.isEmpty)
        #expect(!(given.withLock { $0 }.first?.json().contains("‹secrets.") ?? true))
    }
}
