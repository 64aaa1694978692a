import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// What a dry run accesses, and what it shows.
@Suite struct PlanTests {
    /// A network and a sign-in that fail when they are used, and count the attempts.
    private struct Forbidden: HTTPTransport, Credential {
        let uses = Locked(0)

        func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> { refuse() }

        func token(for scopes: [String]) -> Promise<AccessToken> { refuse() }

        func token(for scopes: [String], after refusal: TokenRefusal) -> Promise<AccessToken> { refuse() }

        private func refuse<Value>() -> Promise<Value> {
            uses.withLock { $0 += 1 }
            return Promise(error: HTTPFailure(phase: .notSent, reason: .cannotConnect, detail: "forbidden"))
        }
    }

    private var sample: Workflow {
        get throws {
            let repository = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardizedFileURL
            return try Workflow(contentsOf: repository.appending(path: "workflows/share-profile-photo.yaml"))
        }
    }

    private let forbidden = Forbidden()

    private var runner: Runner {
        let address = URL(string: "https://graph.microsoft.com/v1.0")
        return Runner(graph: GraphClient(credential: forbidden, baseURL: address, transport: forbidden))
    }

    @Test func `a dry run touches no network and asks for no token`() async throws {
        let plan = try await runner.plan(sample, input: ["to": "adelev@contoso.com"]).value
        let requests = plan.requests.filter(\.isUsual)
        #expect(requests.map(\.request.method) == ["GET", "PUT", "POST", "POST", "POST"])
        #expect(
            requests.map { $0.operation.task?.tokens.last } == [
                "fetchPhoto", "upload", "createLink", "sendMail", "sendMail",
            ])
        #expect(plan.output["webUrl"] == "‹createLink.webUrl›")
        #expect(forbidden.uses.withLock { $0 } == 0)
    }

    @Test func `a run would use them`() async throws {
        await #expect(throws: WorkflowError.self) {
            try await runner.run(sample, input: ["to": "adelev@contoso.com"]).value
        }
        #expect(forbidden.uses.withLock { $0 } > 0)
    }

    @Test func `the same input gives the same plan`() async throws {
        let input: Value = ["to": "adelev@contoso.com", "subject": "Hi"]
        let plans = try await (runner.plan(sample, input: input).value, runner.plan(sample, input: input).value)
        #expect(plans.0.requests.map(\.request) == plans.1.requests.map(\.request))
    }

    @Test func `waits and timeouts take no time in a plan`() async throws {
        let workflow = try Workflow(
            tasks: "- wait: { wait: P1D }\n- call: { call: me, timeout: { after: { milliseconds: 1 } } }")
        #expect(try await runner.plan(workflow).value.requests.count == 1)
    }

    @Test(arguments: [("end", true), ("continue", false), ("exit", false)])
    func `a catch that ends the workflow is shown to end it, and no other is`(then: String, endsWorkflow: Bool)
        async throws
    {
        let workflow = try Workflow(
            tasks: """
                - attempt:
                    try: [ { get: { call: me } } ]
                    catch: { do: [ { instead: { set: { a: 1 }, then: \(then) } } ] }
                - last: { set: { b: 1 } }
                """)
        let plan = try await runner.plan(workflow).value
        let branches = try #require(plan.tasks.first?.branches)
        #expect(branches.map(\.kind) == [.tasks, .handler])
        #expect(branches.first?.end == nil)
        if case .workflow? = branches.last?.end { #expect(endsWorkflow) } else { #expect(!endsWorkflow) }
    }
}
