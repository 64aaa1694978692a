import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Runs that are resumed without one of their secrets: dsl.md, "Secret".
@Suite struct ResumedSecretTests {
    private static let rest = "use: { secrets: [key, login] }"

    /// Runs the first task and continues with other secrets; returns the function's arguments.
    private func resume(_ tasks: String, with store: SecretStore) async throws -> [Value] {
        let given = Locked<[Value]>([])
        let workflow = try Workflow(tasks: tasks, rest: Self.rest)
        func runner(_ store: SecretStore, in process: CrashingRun) -> Runner {
            var runner = Runner.testing { catalog in
                catalog.register("send") { input, _ in
                    guard !process.isDead else { return .never }
                    given.withLock { $0.append(input) }
                    return .value(.null)
                }
            }
            runner.secrets = store
            return runner
        }
        let first = CrashingRun { $0.task?.tokens.last == "keep" && $0.type.contains("completed") }
        let known = SecretStore.values(["key": SecretValue("s3cr3t-k3y"), "login": SecretValue(["name": "megan-b"])])
        let early = try await first.run(workflow, input: [:], by: runner(known, in: first), blobs: BlobStore())
        #expect(early == nil)
        let second = CrashingRun(events: first.events)
        _ = try await second.resume(
            workflow, input: [:], by: runner(store, in: second), blobs: BlobStore())
        return given.withLock { $0 }
    }

    private static let keep = "- keep: { set: { key: '${ $secrets.key }', name: '${ $secrets.login.name }' } }\n"

    @Test(arguments: ["key", "login"])
    func `a run is not resumed without a secret that is in its data`(missing: String) async throws {
        let rest = ["key": SecretValue("s3cr3t-k3y"), "login": SecretValue(["name": "megan-b"])]
            .filter { $0.key != missing }
        let tasks = Self.keep + "- send: { call: send, with: { sent: '${ .key }' } }"
        let error = await #expect(throws: WorkflowError.self) { try await resume(tasks, with: .values(rest)) }
        #expect(error?.type == "https://serverlessworkflow.io/spec/1.0.0/errors/authorization")
        #expect(error?.status == 403)
        #expect(error?.detail?.contains("GRAPHFLOW_SECRET_\(missing.uppercased())") == true)
    }

    @Test func `a secret that is missing and that only the rest of a run reads is an error where it is read`()
        async throws
    {
        let error = await #expect(throws: WorkflowError.self) {
            try await resume(
                "- keep: { set: { a: 1 } }\n- send: { call: send, with: { sent: '${ $secrets.key }' } }", with: .none)
        }
        #expect(error?.status == 403)
        #expect(error?.instance == "/do/1/send")
    }

    @Test(arguments: ["key", "login"])
    func `a run is not resumed with a secret that was changed, which is named`(changed: String) async throws {
        var secrets = ["key": SecretValue("s3cr3t-k3y"), "login": SecretValue(["name": "megan-b"])]
        secrets[changed] = SecretValue(changed == "key" ? "an0ther-k3y" : ["name": "someone-else"])
        let error = await #expect(throws: ChangedSecrets.self) {
            try await resume(
                Self.keep + "- send: { call: send, with: { kept: '${ .key }' } }", with: .values(secrets))
        }
        #expect(error?.names == [changed])
        #expect(error?.description.hasPrefix("the secret '\(changed)' is not the one with which the run began") == true)
    }

    @Test(
        arguments: [
            ("$secrets.key", "s3cr3t-k3y"), ("\"Key \\($secrets.key)!\"", "Key s3cr3t-k3y!"),
            ("[$secrets.key, [$secrets.login]]", ["s3cr3t-k3y", [["name": "megan-b"]]]),
            ("{a: {(\"b/~\"): $secrets.login.name}}", ["a": ["b/~": "megan-b"]]),
        ] as [(String, Value)])
    func `the same is sent after a resumption as before it`(expression: String, sent: Value) async throws {
        let known = SecretStore.values(["key": SecretValue("s3cr3t-k3y"), "login": SecretValue(["name": "megan-b"])])
        let given = try await resume(
            "- keep: { set: { kept: \(Value.string("${ \(expression) }").json()) } }\n"
                + "- send: { call: send, with: { kept: '${ .kept }' } }", with: known)
        #expect(given == [["kept": sent]])
    }

    @Test(arguments: ["‹secrets.key·00000000000000000000000000000000›", "‹secrets.key›", "‹secrets.key·"])
    func `what only looks like a secret that is missing is a text like any other`(text: String) async throws {
        let given = try await resume(
            "- keep: { set: { text: \(Value.string(text).json()) } }\n- send: { call: send, with: { text: '${ .text }' } }",
            with: .none)
        #expect(given == [["text": .string(text)]])
    }
}
