import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// How tokens are asked for: dsl-reference.md, "OAUTH2 Authentication" and "OpenIdConnect Authentication".
struct OAuth2TokenSourceTests {
    private static let base: Object = [
        "authority": "https://login.example.com/tenant", "grant": "client_credentials",
        "client": ["id": "cli:ent", "secret": "s%cret ä"],
    ]

    private func source(
        _ changes: Object = [:], isDiscovered: Bool = false, _ transport: ScriptedTransport,
        clock: ManualClock = ManualClock()
    ) throws -> OAuth2TokenSource {
        var data = Self.base
        for (name, value) in changes { data[name] = value }
        return OAuth2TokenSource(
            try OAuth2Settings(.object(data), isDiscovered: isDiscovered), transport: transport, clock: clock,
            now: { Date(timeIntervalSince1970: 1_700_000_000) }, task: nil)
    }

    private func fields(of request: HTTPRequest?) -> [String] {
        String(decoding: request?.body ?? Data(), as: UTF8.self).split(separator: "&").map { String($0) }
    }

    private static let granted = ScriptedTransport.Reply.json(
        #"{"access_token":"tok-1","token_type":"Bearer","expires_in":3600}"#)

    @Test
    func
        `the token endpoint defaults to /oauth2/token behind the authority, the client to its secret in the body, the encoding to a form`()
        async throws
    {
        let transport = ScriptedTransport(Self.granted)
        let token = try await source(["scopes": ["a", "b"], "audiences": ["x", "y"]], transport).token().value
        #expect(token.revealed == "tok-1")
        let request = try #require(transport.requests.first)
        #expect(request.method == "POST")
        #expect(request.url.absoluteString == "https://login.example.com/tenant/oauth2/token")
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["Authorization"] == nil)
        #expect(
            fields(of: request) == [
                "grant_type=client_credentials", "scope=a%20b", "audience=x", "audience=y", "client_id=cli%3Aent",
                "client_secret=s%25cret%20%C3%A4",
            ])
    }

    @Test(arguments: [
        ("/oauth/v2", "/tenant/oauth/v2"), ("token", "/tenant/token"),
        ("https://other.example.com/t", "https://other.example.com/t"),
    ])
    func `the token endpoint is what the file says`(path: String, address: String) async throws {
        let transport = ScriptedTransport(Self.granted)
        _ = try await source(["endpoints": ["token": .string(path)]], transport).token().value
        #expect(transport.requests.first?.url.absoluteString.hasSuffix(address) == true)
    }

    @Test func `client_secret_basic encodes both as a form does`() async throws {
        let transport = ScriptedTransport(Self.granted)
        _ = try await source(
            ["client": ["id": "cli:ent", "secret": "s%cret ä", "authentication": "client_secret_basic"]], transport
        ).token().value
        let expected = Data("cli%3Aent:s%25cret%20%C3%A4".utf8).base64EncodedString()
        #expect(transport.requests.first?.headers["Authorization"] == "Basic \(expected)")
        #expect(fields(of: transport.requests.first) == ["grant_type=client_credentials"])
    }

    @Test func `client_secret_jwt signs who asks whom`() async throws {
        let transport = ScriptedTransport(Self.granted)
        _ = try await source(
            ["client": ["id": "me", "secret": "key", "authentication": "client_secret_jwt"]], transport
        ).token().value
        let fields = fields(of: transport.requests.first)
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
        let transport = ScriptedTransport(Self.granted, Self.granted)
        _ = try await source(
            ["client": ["id": "me", "assertion": "a.b.c", "authentication": "private_key_jwt"]], transport
        ).token().value
        #expect(fields(of: transport.requests.first).contains("client_assertion=a.b.c"))
        _ = try await source(["client": ["id": "me", "authentication": "none"]], transport).token().value
        #expect(fields(of: transport.requests.last) == ["grant_type=client_credentials", "client_id=me"])
    }

    @Test func `the other grants send what they need`() async throws {
        let transport = ScriptedTransport(Self.granted, Self.granted, Self.granted)
        _ = try await source(["grant": "password", "username": "u", "password": "p"], transport).token().value
        #expect(fields(of: transport.requests[0]).prefix(3) == ["grant_type=password", "username=u", "password=p"])
        _ = try await source(["grant": "refresh_token", "subject": ["token": "r", "type": "t"]], transport).token()
            .value
        #expect(fields(of: transport.requests[1]).prefix(2) == ["grant_type=refresh_token", "refresh_token=r"])
        let exchange: Object = [
            "grant": "urn:ietf:params:oauth:grant-type:token-exchange", "subject": ["token": "s", "type": "t1"],
            "actor": ["token": "a", "type": "t2"],
        ]
        _ = try await source(exchange, transport).token().value
        #expect(
            fields(of: transport.requests[2]).prefix(5) == [
                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange", "subject_token=s",
                "subject_token_type=t1", "actor_token=a", "actor_token_type=t2",
            ])
    }

    @Test func `the encoding can be JSON`() async throws {
        let transport = ScriptedTransport(Self.granted)
        _ = try await source(
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

    @Test(arguments: [
        "https://login.example.com/realm", "https://login.example.com/realm/",
        "https://login.example.com/realm/.well-known/openid-configuration",
    ])
    func `OpenID Connect asks the authority where its token endpoint is, once`(authority: String) async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(
            .json(#"{"issuer":"i","token_endpoint":"https://login.example.com/t"}"#), Self.granted, Self.granted)
        let source = try source(["authority": .string(authority)], isDiscovered: true, transport, clock: clock)
        _ = try await source.token().value
        clock.advance(by: .seconds(3600))
        _ = try await source.token().value
        #expect(
            transport.requests.map { "\($0.method) \($0.url.absoluteString)" } == [
                "GET https://login.example.com/realm/.well-known/openid-configuration",
                "POST https://login.example.com/t",
                "POST https://login.example.com/t",
            ])
    }

    @Test func `a token is used until shortly before its end`() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(
            Self.granted, .json(#"{"access_token":"tok-2","expires_in":"100"}"#), .json(#"{"access_token":"tok-3"}"#))
        let source = try source([:], transport, clock: clock)
        #expect(try await source.token().value.revealed == "tok-1")
        clock.advance(by: .seconds(3539))
        #expect(try await source.token().value.revealed == "tok-1")
        clock.advance(by: .seconds(1))
        #expect(try await source.token().value.revealed == "tok-2")
        clock.advance(by: .seconds(90))
        #expect(try await source.token().value.revealed == "tok-3")
        clock.advance(by: .seconds(1_000_000))
        #expect(try await source.token().value.revealed == "tok-3")
        #expect(transport.requests.count == 3)
    }

    @Test func `a token that was refused is not used again, and one that is newer is`() async throws {
        let transport = ScriptedTransport(Self.granted, .json(#"{"access_token":"tok-2"}"#))
        let source = try source([:], transport)
        let first = try await source.token().value
        #expect(try await source.token(besides: first).value.revealed == "tok-2")
        #expect(try await source.token(besides: first).value.revealed == "tok-2")
        #expect(transport.requests.count == 2)
    }

    @Test func `a token is renewed with what it came with, and where that is refused, asked for anew`() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(
            .json(#"{"access_token":"tok-1","expires_in":60,"refresh_token":"r1"}"#),
            .json(#"{"access_token":"tok-2","expires_in":60,"refresh_token":"r2"}"#),
            .json(#"{"error":"invalid_grant"}"#, status: 400), Self.granted)
        let source = try source(["grant": "password", "username": "u", "password": "p"], transport, clock: clock)
        for _ in 0..<3 {
            _ = try await source.token().value
            clock.advance(by: .seconds(60))
        }
        let sent = transport.requests.map { fields(of: $0).prefix(2).joined(separator: "&") }
        #expect(
            sent == [
                "grant_type=password&username=u", "grant_type=refresh_token&refresh_token=r1",
                "grant_type=refresh_token&refresh_token=r2", "grant_type=password&username=u",
            ])
    }

    @Test func `whoever asks at the same time waits for one request, which ends with the last of them`() async throws {
        let transport = HeldTransport()
        let source = OAuth2TokenSource(
            try OAuth2Settings(.object(Self.base), isDiscovered: false), transport: transport, clock: ManualClock(),
            now: { Date() }, task: nil)
        let (first, second) = (source.token(), source.token())
        while transport.count < 1 { await Task.yield() }
        first.cancel()
        #expect(transport.count == 1 && transport.cancelled == 0)
        transport.answer(#"{"access_token":"tok"}"#)
        #expect(try await second.value.revealed == "tok")
        let third = source.token(besides: Secret("tok"))
        while transport.count < 2 { await Task.yield() }
        third.cancel()
        while transport.cancelled < 1 { await Task.yield() }
        let fourth = source.token(besides: Secret("tok"))
        while transport.count < 3 { await Task.yield() }
        transport.answer(#"{"access_token":"tok-4"}"#)
        #expect(try await fourth.value.revealed == "tok-4")
    }

    @Test(arguments: [
        ("iss-1", true), ("iss-2", false),
    ])
    func `the issuers are used to check against the issuer of generated tokens`(issuer: String, isRight: Bool)
        async throws
    {
        let token = JSONWebToken.signed(["iss": .string(issuer)], key: Secret("k")).revealed
        let transport = ScriptedTransport(.json(#"{"access_token":"\#(token)"}"#))
        let source = try source(["issuers": ["iss-0", "iss-1"]], transport)
        if isRight {
            #expect(try await source.token().value.revealed == token)
        } else {
            let error = await #expect(throws: AuthenticationFailure.self) { try await source.token().value }
            #expect(error?.message.contains("'iss-2'") == true)
        }
    }

    @Test(arguments: [
        (
            ScriptedTransport.Reply.json(
                #"{"error":"invalid_client","error_description":"no\nsuch client"}"#, status: 401),
            AuthenticationFailure.Kind.authentication, "(401): invalid_client: no such client"
        ),
        (.json("{}"), .authentication, "without an access token"),
        (.json(#"{"access_token":"a b"}"#), .authentication, "without an access token"),
        (.json(#"{"access_token":"a","token_type":"mac"}"#), .authentication, "type 'mac'"),
        (.json("not json"), .authentication, "without an access token"),
        (.status(503), .communication, "status 503"),
        (.redirect(302, to: "https://evil.example.com"), .authentication, "redirects"),
        (.lost(), .communication, "cannot be reached"),
    ])
    func `what goes wrong is told in words that show no secret`(
        reply: ScriptedTransport.Reply, kind: AuthenticationFailure.Kind, words: String
    ) async throws {
        let source = try source([:], ScriptedTransport(reply))
        let error = await #expect(throws: AuthenticationFailure.self) { try await source.token().value }
        #expect(error?.kind == kind)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("s%cret") == false)
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
        #expect(throws: AuthenticationFailure.self) { try source(changes, ScriptedTransport()) }
    }

    @Test func `secrets go over plain http to this machine alone`() async throws {
        let transport = ScriptedTransport(
            .json(#"{"token_endpoint":"http://evil.example.com/t"}"#), Self.granted)
        let discovered = try source(isDiscovered: true, transport)
        await #expect(throws: AuthenticationFailure.self) { try await discovered.token().value }
        #expect(transport.requests.count == 1)
        let local = ScriptedTransport(Self.granted)
        #expect(try await source(["authority": "http://127.0.0.1:8080"], local).token().value.revealed == "tok-1")
        let elsewhere = try source(["endpoints": ["token": "http://evil.example.com/t"]], local)
        await #expect(throws: AuthenticationFailure.self) { try await elsewhere.token().value }
        #expect(local.requests.count == 1)
    }
}

/// A transport that answers when a test says so.
private final class HeldTransport: HTTPTransport {
    private let state = Locked((open: [Resolver<HTTPResponse>](), count: 0, cancelled: 0))

    var count: Int { state.withLock { $0.count } }
    var cancelled: Int { state.withLock { $0.cancelled } }

    func answer(_ body: String) {
        let open = state.withLock { state in
            defer { state.open = [] }
            return state.open
        }
        for resolver in open { resolver.fulfill(HTTPResponse(status: 200, body: Data(body.utf8))) }
    }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        Promise { resolver in
            state.withLock { state in
                state.count += 1
                state.open.append(resolver)
            }
            resolver.onCancel { self.state.withLock { $0.cancelled += 1 } }
        }
    }
}
