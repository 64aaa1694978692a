import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP

/// Requests, use and renewal of tokens: dsl-reference.md, "OAUTH2 Authentication", "OpenIdConnect Authentication".
struct OAuth2TokenSourceTests {
    @Test(arguments: [
        "https://login.example.com/realm", "https://login.example.com/realm/",
        "https://login.example.com/realm/.well-known/openid-configuration",
    ])
    func `OpenID Connect asks the authority where its token endpoint is, once`(authority: String) async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(
            .json(#"{"issuer":"i","token_endpoint":"https://login.example.com/t"}"#), OAuth2Fixture.granted,
            OAuth2Fixture.granted)
        let source = try OAuth2Fixture.source(
            ["authority": .string(authority)], isDiscovered: true, transport, clock: clock)
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
            OAuth2Fixture.granted, .json(#"{"access_token":"tok-2","expires_in":"100"}"#),
            .json(#"{"access_token":"tok-3"}"#))
        let source = try OAuth2Fixture.source([:], transport, clock: clock)
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
        let transport = ScriptedTransport(OAuth2Fixture.granted, .json(#"{"access_token":"tok-2"}"#))
        let source = try OAuth2Fixture.source([:], transport)
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
            .json(#"{"error":"invalid_grant"}"#, status: 400), OAuth2Fixture.granted)
        let source = try OAuth2Fixture.source(
            ["grant": "password", "username": "u", "password": "p"], transport, clock: clock)
        for _ in 0..<3 {
            _ = try await source.token().value
            clock.advance(by: .seconds(60))
        }
        let sent = transport.requests.map { OAuth2Fixture.fields(of: $0).prefix(2).joined(separator: "&") }
        #expect(
            sent == [
                "grant_type=password&username=u", "grant_type=refresh_token&refresh_token=r1",
                "grant_type=refresh_token&refresh_token=r2", "grant_type=password&username=u",
            ])
    }

    @Test func `whoever asks at the same time waits for one request, which ends with the last of them`() async throws {
        let transport = HeldTransport()
        let source = OAuth2TokenSource(
            try OAuth2Settings(.object(OAuth2Fixture.base), isDiscovered: false), transport: transport,
            clock: ManualClock(),
            now: { .distantPast }, task: nil)
        let (first, second) = (source.token(), source.token())
        while transport.count < 1 { await pause() }
        first.cancel()
        #expect(transport.count == 1 && transport.cancelled == 0)
        transport.answer(#"{"access_token":"tok"}"#)
        #expect(try await second.value.revealed == "tok")
        let third = source.token(besides: Secret("tok"))
        while transport.count < 2 { await pause() }
        third.cancel()
        while transport.cancelled < 1 { await pause() }
        let fourth = source.token(besides: Secret("tok"))
        while transport.count < 3 { await pause() }
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
        let source = try OAuth2Fixture.source(["issuers": ["iss-0", "iss-1"]], transport)
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
        (.status(503), .communication, "status 503"), (.status(500), .communication, "status 500"),
        (.json(#"{"error":"server_error"}"#, status: 500), .authentication, "(500): server_error"),
        (.status(499), .authentication, "(499)"),
        (.redirect(302, to: "https://evil.example.com"), .authentication, "redirects"),
        (.lost(), .communication, "cannot be reached"),
    ])
    func `what goes wrong is told in words that show no secret`(
        reply: ScriptedTransport.Reply, kind: AuthenticationFailure.Kind, words: String
    ) async throws {
        let source = try OAuth2Fixture.source([:], ScriptedTransport(reply))
        let error = await #expect(throws: AuthenticationFailure.self) { try await source.token().value }
        #expect(error?.kind == kind)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("s%cret") == false)
    }

    @Test func `secrets go over plain http to this machine alone`() async throws {
        let transport = ScriptedTransport(
            .json(#"{"token_endpoint":"http://evil.example.com/t"}"#), OAuth2Fixture.granted)
        let discovered = try OAuth2Fixture.source(isDiscovered: true, transport)
        await #expect(throws: AuthenticationFailure.self) { try await discovered.token().value }
        #expect(transport.requests.count == 1)
        let local = ScriptedTransport(OAuth2Fixture.granted)
        #expect(
            try await OAuth2Fixture.source(["authority": "http://127.0.0.1:8080"], local).token().value.revealed
                == "tok-1")
        let elsewhere = try OAuth2Fixture.source(["endpoints": ["token": "http://evil.example.com/t"]], local)
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
