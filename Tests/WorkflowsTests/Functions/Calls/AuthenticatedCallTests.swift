import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP
@testable import Workflows

/// dsl-reference.md, "Authentication": the authentication of the standard's calls.
@Suite struct AuthenticatedCallTests {
    private func run(
        _ authentication: String, _ transport: ScriptedTransport, use: String = "", secrets: [String: Value] = [:],
        input: Value = [:], log: EventLog? = nil, with more: String = "", output: String = ""
    ) async throws -> Value {
        var runner = CallFixture(transport, recorders: log.map { [$0.recorder] } ?? []).runner
        runner.secrets = SecretStore { name in secrets[name].map { SecretValue($0) } }
        let workflow = try Workflow(
            tasks: """
                - ask:
                    call: http
                    with:
                      method: get
                      endpoint: { uri: "https://api.contoso.com/pets", authentication: \(authentication) }
                      \(more)
                    \(output)
                """, rest: use.isEmpty ? "" : "use: \(use)")
        #expect(workflow.validate().filter { $0.severity == .error }.map { $0.text() } == [])
        return try await runner.run(workflow, input: input).value
    }

    private func authorization(_ request: HTTPRequest?) -> String? { request?.headers["Authorization"] }

    @Test func `[basic] the username and the password to use`() async throws {
        let transport = ScriptedTransport(.json("{}"))
        _ = try await run(
            "{ basic: { username: '${ .user }', password: password123 } }", transport, input: ["user": "admin"])
        #expect(authorization(transport.requests.first) == "Basic YWRtaW46cGFzc3dvcmQxMjM=")
    }

    @Test func `[bearer] the bearer token to use`() async throws {
        let transport = ScriptedTransport(.json("{}"))
        _ = try await run("{ bearer: { token: '${ .user.token }' } }", transport, input: ["user": ["token": "abc.def"]])
        #expect(authorization(transport.requests.first) == "Bearer abc.def")
    }

    @Test func `[digest] a challenge is answered, and the next request is signed at once`() async throws {
        let challenge = HTTPHeaders([
            "WWW-Authenticate": "Digest realm=\"api@contoso.com\", qop=\"auth\", algorithm=SHA-256, nonce=\"n1\""
        ])
        let transport = ScriptedTransport(.status(401, challenge), .json("[1]"))
        let output = try await run("{ digest: { username: admin, password: password123 } }", transport)
        #expect(output == [1])
        #expect(authorization(transport.requests.first) == nil)
        let answer = try #require(authorization(transport.requests.last))
        #expect(answer.hasPrefix("Digest "))
        for part in ["username=\"admin\"", "realm=\"api@contoso.com\"", "nonce=\"n1\"", "uri=\"/pets\"", "nc=00000001"]
        {
            #expect(answer.contains(part), "\(answer)")
        }
        #expect(!answer.contains("password123"))
    }

    @Test func `[use] the name of the top-level authentication definition to use`() async throws {
        let transport = ScriptedTransport(.json("{}"))
        _ = try await run(
            "{ use: sample }", transport,
            use: "{ authentications: { sample: { basic: { username: admin, password: password123 } } } }")
        #expect(authorization(transport.requests.first) == "Basic YWRtaW46cGFzc3dvcmQxMjM=")
    }

    @Test func `[basic from a secret] the properties are those of the secret`() async throws {
        let transport = ScriptedTransport(.json("{}"))
        let log = EventLog()
        _ = try await run(
            "{ use: fromSecret }", transport,
            use: "{ secrets: [login], authentications: { fromSecret: { basic: { use: login } } } }",
            secrets: ["login": ["username": "admin", "password": "password123"]], log: log)
        #expect(authorization(transport.requests.first) == "Basic YWRtaW46cGFzc3dvcmQxMjM=")
        let events = log.events.map { $0.cloudEvent.json() }.joined()
        for secret in ["password123", "YWRtaW46cGFzc3dvcmQxMjM="] { #expect(!events.contains(secret)) }
    }

    @Test func `[secret] an expression in a policy can read a secret, which an echo does not show`() async throws {
        let transport = ScriptedTransport(.json(#"{ "echo": "Bearer t0p-secret-token" }"#))
        let output = try await run(
            "{ bearer: { token: '${ $secrets.token }' } }", transport, use: "{ secrets: [token] }",
            secrets: ["token": "t0p-secret-token"])
        #expect(authorization(transport.requests.first) == "Bearer t0p-secret-token")
        #expect(!output.json().contains("t0p-secret"))
    }

    @Test func `[oauth2] a token is asked for with the grant, once for all requests of the run`() async throws {
        let transport = ScriptedTransport(
            .json(#"{ "access_token": "token-1", "token_type": "Bearer", "expires_in": 3600 }"#), .json("1"), .json("2")
        )
        var runner = CallFixture(transport).runner
        runner.secrets = .none
        let call = """
            call: http
            with: { method: get, endpoint: { uri: "https://api.contoso.com/pets", authentication: { use: server } } }
            """
        let workflow = try Workflow(
            tasks: ["a", "b"].map { "- \($0):\n    " + call.replacing("\n", with: "\n    ") }.joined(separator: "\n"),
            rest: """
                use:
                  authentications:
                    server:
                      oauth2:
                        authority: https://login.contoso.com
                        grant: client_credentials
                        client: { id: workflow-runtime, secret: runtime-secret }
                        scopes: [api]
                        audiences: [runtime]
                """)
        #expect(try await runner.run(workflow).value == 2)
        let urls = transport.requests.map(\.url.absoluteString)
        #expect(
            urls == ["https://login.contoso.com/oauth2/token"]
                + Array(repeating: "https://api.contoso.com/pets", count: 2))
        let form = Form.parse(String(decoding: transport.requests[0].body ?? Data(), as: UTF8.self))
        #expect(form["grant_type"] == "client_credentials")
        #expect(form["client_id"] == "workflow-runtime")
        #expect(form["client_secret"] == "runtime-secret")
        #expect(form["scope"] == "api")
        #expect(transport.requests.dropFirst().map { authorization($0) } == ["Bearer token-1", "Bearer token-1"])
    }

    @Test func `[oidc] the token endpoint is found at the authority`() async throws {
        let transport = ScriptedTransport(
            .json(
                #"{ "issuer": "https://login.contoso.com", "token_endpoint": "https://login.contoso.com/connect/token" }"#
            ),
            .json(#"{ "access_token": "token-1", "token_type": "Bearer", "expires_in": 3600 }"#), .json("{}"))
        _ = try await run(
            """
            { oidc: { authority: "https://login.contoso.com", grant: client_credentials, client: { id: a, secret: runtime-secret } } }
            """, transport)
        #expect(transport.requests.count == 3)
        #expect(transport.requests[1].url.absoluteString == "https://login.contoso.com/connect/token")
        #expect(authorization(transport.requests.last) == "Bearer token-1")
    }

    @Test func `[oauth2] a token that is refused is replaced once`() async throws {
        let transport = ScriptedTransport(
            .json(#"{ "access_token": "token-1", "token_type": "Bearer", "expires_in": 3600 }"#), .status(401),
            .json(#"{ "access_token": "token-2", "token_type": "Bearer", "expires_in": 3600 }"#), .json("{}"))
        _ = try await run(
            """
            { oauth2: { authority: "https://login.contoso.com", grant: client_credentials, client: { id: a, secret: runtime-secret } } }
            """, transport)
        #expect(authorization(transport.requests.last) == "Bearer token-2")
    }

    @Test(arguments: [
        ("http://login.contoso.com", 1), ("login", 1), ("https://login.contoso.com", 0), ("https://{host}", 0),
    ])
    func `an authority that no secret may go to is found before anything runs`(authority: String, findings: Int) {
        var ids: [String] = []
        do {
            _ = try Workflow(
                tasks: """
                    - ask:
                        call: http
                        with:
                          method: get
                          endpoint:
                            uri: https://api.contoso.com
                            authentication:
                              oauth2: { authority: "\(authority)", grant: client_credentials, client: { id: a, secret: b } }
                    """)
        } catch let error as InvalidWorkflow {
            ids = error.diagnostics.map(\.id)
        } catch {
            Issue.record(error)
        }
        #expect(ids.count { $0 == "address" } == findings)
    }

    @Test func `a refusal is an error of communication with the answer's status`() async throws {
        let transport = ScriptedTransport(.status(401))
        let error = await #expect(throws: WorkflowError.self) {
            try await run("{ bearer: { token: wrong-token } }", transport)
        }
        #expect(error?.is(.communication) == true)
        #expect(error?.status == 401)
    }

    @Test func `an expression reads the scheme in $authorization, and what stands for the parameter`() async throws {
        let transport = ScriptedTransport(.json("{}"))
        let output = try await run(
            "{ bearer: { token: '${ .token }' } }", transport, input: ["token": "abc.def"],
            with: #"headers: { x-scheme: "${ $authorization.scheme }" }"#,
            output: #"output: { as: "$authorization" }"#)
        #expect(transport.requests.first?.headers["x-scheme"] == "Bearer")
        #expect(output["scheme"] == "Bearer")
        #expect(output["parameter"]?.string?.contains("abc.def") == false)
    }

    @Test func `a policy goes to no other origin`() async throws {
        let transport = ScriptedTransport(.redirect(302, to: "https://elsewhere.example.com/"), .json("{}"))
        _ = try await run("{ bearer: { token: abc.def } }", transport, with: "redirect: true")
        #expect(transport.requests.count == 2)
        #expect(authorization(transport.requests.last) == nil)
    }

    @Test func `an operation of an OpenAPI document is signed, and the document is not`() async throws {
        let document = """
            { "openapi": "3.0.3", "info": { "title": "t", "version": "1" }, "servers": [{ "url": "https://api.contoso.com" }],
              "paths": { "/pets": { "get": { "operationId": "list", "responses": { "200": { "description": "ok" } } } } } }
            """
        let transport = ScriptedTransport(.json(document), .json("[]"))
        let output = try await CallFixture(transport).output(
            """
            { call: openapi, with: { document: { endpoint: "https://api.contoso.com/openapi.json" }, operationId: list, \
            authentication: { bearer: { token: abc.def } } } }
            """)
        #expect(output == [])
        #expect(transport.requests.map { authorization($0) } == [nil, "Bearer abc.def"])
    }
}
