import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP

/// Token requests to an authority: dsl-reference.md, "OAUTH2 Authentication".
struct OAuth2TokenRequestTests {
    @Test
    func
        `the token endpoint defaults to /oauth2/token behind the authority, the client to its secret in the body, the encoding to a form`()
        async throws
    {
        let transport = ScriptedTransport(OAuth2Fixture.granted)
        let token = try await OAuth2Fixture.source(["scopes": ["a", "b"], "audiences": ["x", "y"]], transport).token()
            .value
        #expect(token.revealed == "tok-1")
        let request = try #require(transport.requests.first)
        #expect(request.method == "POST")
        #expect(request.url.absoluteString == "https://login.example.com/tenant/oauth2/token")
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["Authorization"] == nil)
        #expect(
            OAuth2Fixture.fields(of: request) == [
                "grant_type=client_credentials", "scope=a%20b", "audience=x", "audience=y", "client_id=cli%3Aent",
                "client_secret=s%25cret%20%C3%A4",
            ])
    }

    @Test(arguments: [
        ("/oauth/v2", "/tenant/oauth/v2"), ("token", "/tenant/token"),
        ("https://other.example.com/t", "https://other.example.com/t"),
    ])
    func `the token endpoint is what the file says`(path: String, address: String) async throws {
        let transport = ScriptedTransport(OAuth2Fixture.granted)
        _ = try await OAuth2Fixture.source(["endpoints": ["token": .string(path)]], transport).token().value
        #expect(transport.requests.first?.url.absoluteString.hasSuffix(address) == true)
    }

    @Test func `client_secret_basic encodes both as a form does`() async throws {
        let transport = ScriptedTransport(OAuth2Fixture.granted)
        _ = try await OAuth2Fixture.source(
            ["client": ["id": "cli:ent", "secret": "s%cret ä", "authentication": "client_secret_basic"]], transport
        ).token().value
        let expected = Data("cli%3Aent:s%25cret%20%C3%A4".utf8).base64EncodedString()
        #expect(transport.requests.first?.headers["Authorization"] == "Basic \(expected)")
        #expect(OAuth2Fixture.fields(of: transport.requests.first) == ["grant_type=client_credentials"])
    }

    @Test func `client_secret_jwt signs who asks whom`() async throws {
        let transport = ScriptedTransport(OAuth2Fixture.granted)
        _ = try await OAuth2Fixture.source(
            ["client": ["id": "me", "secret": "key", "authentication": "client_secret_jwt"]], transport
        ).token().value
        let fields = OAuth2Fixture.fields(of: transport.requests.first)
        #expect(
            fields.contains("client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"))
        let assertion = try #require(fields.first { $0.hasPrefix("client_assertion=") }?.dropFirst(17))
        let claims = JSONWebToken.claims(of: Secret(String(assertion)))
        #expect(claims?["iss"] == "me" && claims?["sub"] == "me")
        #expect(claims?["aud"] == "https://login.example.com/tenant/oauth2/token")
        #expect(claims?["exp"] == 1_700_000_300)
        #expect(!fields.contains { $0.hasPrefix("client_secret") })
    }

    @Test func `private_key_jwt sends the assertion that it is given, and none sends the id alone`() async throws {
        let transport = ScriptedTransport(OAuth2Fixture.granted, OAuth2Fixture.granted)
        _ = try await OAuth2Fixture.source(
            ["client": ["id": "me", "assertion": "a.b.c", "authentication": "private_key_jwt"]], transport
        ).token().value
        #expect(OAuth2Fixture.fields(of: transport.requests.first).contains("client_assertion=a.b.c"))
        _ = try await OAuth2Fixture.source(["client": ["id": "me", "authentication": "none"]], transport).token().value
        #expect(OAuth2Fixture.fields(of: transport.requests.last) == ["grant_type=client_credentials", "client_id=me"])
    }

    @Test func `the other grants send what they need`() async throws {
        let transport = ScriptedTransport(OAuth2Fixture.granted, OAuth2Fixture.granted, OAuth2Fixture.granted)
        _ = try await OAuth2Fixture.source(["grant": "password", "username": "u", "password": "p"], transport).token()
            .value
        #expect(
            OAuth2Fixture.fields(of: transport.requests[0]).prefix(3) == [
                "grant_type=password", "username=u", "password=p",
            ])
        _ = try await OAuth2Fixture.source(
            ["grant": "refresh_token", "subject": ["token": "r", "type": "t"]], transport
        ).token()
            .value
        #expect(
            OAuth2Fixture.fields(of: transport.requests[1]).prefix(2) == [
                "grant_type=refresh_token", "refresh_token=r",
            ])
        let exchange: Object = [
            "grant": "urn:ietf:params:oauth:grant-type:token-exchange", "subject": ["token": "s", "type": "t1"],
            "actor": ["token": "a", "type": "t2"],
        ]
        _ = try await OAuth2Fixture.source(exchange, transport).token().value
        #expect(
            OAuth2Fixture.fields(of: transport.requests[2]).prefix(5) == [
                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange", "subject_token=s",
                "subject_token_type=t1", "actor_token=a", "actor_token_type=t2",
            ])
    }

    @Test func `the encoding can be JSON`() async throws {
        let transport = ScriptedTransport(OAuth2Fixture.granted)
        _ = try await OAuth2Fixture.source(
            [
                "request": ["encoding": "application/json"], "audiences": ["x", "y"],
                "client": ["id": "c", "secret": "s"],
            ], transport
        ).token().value
        #expect(transport.requests.first?.headers["Content-Type"] == "application/json")
        #expect(
            try Value(json: transport.requests.first?.body ?? Data())
                == [
                    "grant_type": "client_credentials", "audience": ["x", "y"], "client_id": "c", "client_secret": "s",
                ])
    }

    @Test(
        arguments: [
            ["authority": "http://login.example.com"], ["authority": "nonsense"], ["authority": nil],
            ["grant": "implicit"],
            ["client": ["id": "a", "authentication": "client_secret_basic"]],
            ["client": ["id": "a", "authentication": "private_key_jwt"]], ["client": ["secret": "s"]],
            ["grant": "password"], ["grant": "refresh_token"], ["scopes": "a"], ["scopes": [1]],
            ["subject": ["token": "a"]],
        ] as [Object])
    func `settings that cannot work are refused`(changes: Object) {
        #expect(throws: AuthenticationFailure.self) { try OAuth2Fixture.source(changes, ScriptedTransport()) }
    }
}
