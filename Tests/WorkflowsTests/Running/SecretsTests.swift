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
        "login": SecretValue(["username": "megan.b", "password": "pa$$ \"word\"", "tries": 3]),
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

    @Test func `a secret is a placeholder in the data and itself where it leaves the run`() async throws {
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
                        "login": ["username": "megan.b", "password": "pa$$ \"word\"", "tries": 3],
                    ]
                ]
            ])
        #expect(output["all"]?["header"]?.string?.hasPrefix("Bearer ‹secrets.key·") == true)
        #expect(output["all"]?["login"]?["tries"] == 3)
        #expect(output["all"]?["login"]?["password"]?.string?.hasPrefix("‹secrets.login.password·") == true)
        let told = events.map { $0.cloudEvent.json() }.joined()
        for text in ["s3cr3t-k3y", "megan.b", "pa$$"] { #expect(!told.contains(text)) }
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
    func `a placeholder from outside is replaced by nothing`(name: String) async throws {
        let (output, given, _) = try await run(
            "- send: { call: echo, with: { text: '${ .text }', key: '${ $secrets.key }' } }",
            input: ["text": .string("‹\(name)›")])
        #expect(given[0]["text"] == .string("‹\(name)›"))
        #expect(output["text"] == .string("‹\(name)›"))
    }

    @Test func `a placeholder of another run is replaced by nothing`() async throws {
        let first = try await run("- a: { set: { key: '${ $secrets.key }' } }")
        let (_, given, _) = try await run(
            "- send: { call: echo, with: { text: '${ .key }', key: '${ $secrets.key }' } }", input: first.output)
        #expect(given[0]["text"] == first.output["key"])
        #expect(given[0]["key"] == "s3cr3t-k3y")
    }

    @Test(arguments: ["@base64", "ascii_upcase", "@base64 | \"x\" + .", ".[3:]", "explode | implode | .[13:]"])
    func `a secret that an expression has changed is refused, and not sent as something else`(change: String)
        async throws
    {
        let error = await #expect(throws: WorkflowError.self) {
            try await run("- send: { call: echo, with: { text: '${ $secrets.key | \(change) }' } }")
        }
        #expect(error?.is(.expression) == true)
        #expect(error?.instance == "/do/0/send")
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
        #expect(output.string?.contains("›") == true)
    }

    @Test func `a number that is a secret is hidden too`() async throws {
        let (output, _, _) = try await run(
            "- send: { call: echo }", store: .values(["key": SecretValue("123456")])
        ) { _ in ["pin": 123_456, "other": 12] }
        #expect(output["pin"]?.string?.hasPrefix("‹secrets.key·") == true)
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
        #expect(error?.detail?.contains("‹secrets.key·") == true)
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
        #expect(output["mailed"]?.string?.hasPrefix("The code is ‹secrets.door-code·") == true)
        #expect(!(output.json() + log.events.map { $0.cloudEvent.json() }.joined()).contains("4711"))
    }

    @Test func `a dry run needs no secrets and shows where they would go`() async throws {
        var runner = Runner.testing { $0.register("echo") { input, _ in .value(input) } }
        let workflow = try Workflow(
            tasks:
                "- send: { call: echo, with: { key: 'Key ${ $secrets.key }', password: '${ $secrets.login.password }' } }",
            rest: Self.use)
        for store in [SecretStore.none, Self.store] {
            runner.secrets = store
            #expect(
                try await runner.plan(workflow).value.output
                    == ["key": "Key ‹secrets.key›", "password": "‹secrets.login.password›"])
        }
    }

    @Test(arguments: 0..<150)
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
            "$secrets.key + $secrets.key", "{($secrets.key): [$secrets.login.password[0]]}",
            "[$secrets.key, 1, $secrets.login.username] | join(\",\")", "$secrets.login.username | @uri",
            "$secrets.login | tojson", "{a: $secrets.login.password} | tostring",
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

/// The same numbers for the same seed: SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
