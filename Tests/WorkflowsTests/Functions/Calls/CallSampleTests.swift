import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// The samples of calls over HTTP.
@Suite struct CallSampleTests {
    private func sample(_ name: String) throws -> Workflow {
        let repository = URL(fileURLWithPath: #filePath).appending(path: "../../../../..").standardizedFileURL
        let (workflow, diagnostics) = Workflow.check(contentsOf: repository.appending(path: "workflows/\(name)"))
        #expect(diagnostics.isEmpty, "\(diagnostics.map { $0.text() })")
        return try #require(workflow)
    }

    @Test func `call-http sees what a link shows`() async throws {
        let output = try await Runner.testing().run(sample("call-http.yaml")).value
        #expect(output == ["status": 200, "content": "Hello from a workflow!"])
    }

    @Test func `call-openapi orders again what was delivered`() async throws {
        let transport = ScriptedTransport(
            .json(#"[{"id":"1","article":"chair","count":2,"status":"delivered"}]"#), .json(#"{"id":"2"}"#, status: 201)
        )
        let workflow = try sample("call-openapi.yaml")
        var runner = CallFixture(transport).runner
        // The sample has a time limit, which a clock that skips would reach at once.
        runner.clock = .patient
        let output = try await runner.run(workflow, input: ["customer": "C 17"]).value
        #expect(output == ["id": "2", "statusCode": 201])
        #expect(
            transport.requests.map(\.url.absoluteString) == [
                "https://api.contoso.com/shop/customers/C%2017/orders?status=delivered&top=1",
                "https://api.contoso.com/shop/customers/C%2017/orders",
            ])
        #expect(transport.requests.last?.body == Data(#"{"article":"chair","count":1}"#.utf8))
    }

    @Test func `call-openapi can be looked at without the service`() async throws {
        let plan = try await CallFixture(ScriptedTransport()).runner
            .plan(sample("call-openapi.yaml"), input: ["customer": "C-17"]).value
        #expect(plan.requests.filter(\.isUsual).map(\.request.method) == ["GET", "POST"])
        #expect(plan.output == ["id": "‹orderAgain.content.id›", "statusCode": "‹orderAgain.statusCode›"])
    }

    @Test func `authentication signs each call in its way`() async throws {
        let transport = ScriptedTransport(
            .json("7"), .json(#"{ "access_token": "token-1", "token_type": "Bearer", "expires_in": 3600 }"#), .json("3")
        )
        var runner = CallFixture(transport).runner
        runner.secrets = SecretStore { name in
            name == "shop-login"
                ? SecretValue(["username": "admin", "password": "password123"]) : SecretValue("client-secret-1")
        }
        let output = try await runner.run(sample("authentication.yaml")).value
        #expect(output == ["orders": 7, "customers": 3])
        #expect(
            [0, 2].map { transport.requests[$0].headers["Authorization"] } == [
                "Basic YWRtaW46cGFzc3dvcmQxMjM=", "Bearer token-1",
            ])
    }

    @Test func `authentication can be looked at without its secrets`() async throws {
        let plan = try await CallFixture(ScriptedTransport()).runner.plan(sample("authentication.yaml")).value
        #expect(
            plan.requests.map(\.request.url.absoluteString) == [
                "https://shop.contoso.com/orders/count", "https://login.contoso.com/oauth2/token",
                "https://crm.contoso.com/customers/count",
            ])
    }
}
