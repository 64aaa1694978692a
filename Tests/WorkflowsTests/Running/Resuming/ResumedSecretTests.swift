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

    @Test(arguments: [
        ("$secrets.key", "KEY"), (".key", "KEY"), ("\"Key \\(.key)\"", "KEY"), (".key | @uri", "KEY"),
        (".name", "LOGIN"), ("[[.name]]", "LOGIN"), ("{(.name): 1}", "LOGIN"),
    ])
    func `a secret that is missing when it is needed again is an authorization error 403`(
        sent: String, variable: String
    ) async throws {
        let tasks = Self.keep + "- send: { call: send, with: { sent: \(Value.string("${ \(sent) }").json()) } }"
        let error = await #expect(throws: WorkflowError.self) { try await resume(tasks, with: .none) }
        #expect(error?.type == "https://serverlessworkflow.io/spec/1.0.0/errors/authorization")
        #expect(error?.status == 403)
        #expect(error?.instance == "/do/1/send")
        #expect(error?.detail?.contains("GRAPHFLOW_SECRET_\(variable)") == true)
    }

    @Test func `a secret that is another one by then is the new one, also where the run kept it`() async throws {
        let given = try await resume(
            Self.keep + "- send: { call: send, with: { kept: '${ .key }', read: '${ $secrets.key }' } }",
            with: .values(["key": SecretValue("an0ther-k3y")]))
        #expect(given == [["kept": "an0ther-k3y", "read": "an0ther-k3y"]])
    }

    @Test(arguments: ["‹secrets.key·00000000000000000000000000000000›", "‹secrets.key›", "‹secrets.key·"])
    func `what only looks like a secret that is missing is a text like any other`(text: String) async throws {
        let given = try await resume(
            "- keep: { set: { text: \(Value.string(text).json()) } }\n- send: { call: send, with: { text: '${ .text }' } }",
            with: .none)
        #expect(given == [["text": .string(text)]])
    }
}
