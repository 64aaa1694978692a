import Foundation
import Promises
import TestSupport
import Testing

@testable import MicrosoftGraph

/// Returns one token after the other.
private final class RenewingCredential: Credential {
    private let state = Locked<[[String]]>([])
    private let renewals: Int

    init(renewals: Int = 10) { self.renewals = renewals }

    var challenges: [[String]] { state.withLock { $0 } }

    func token(for scopes: [String]) -> Promise<AccessToken> { .value(AccessToken("token-\(challenges.count)")) }

    func token(for scopes: [String], after refusal: TokenRefusal) -> Promise<AccessToken> {
        let count = state.withLock { state in
            state.append(refusal.challenges)
            return state.count
        }
        guard count <= renewals else { return Promise(error: CredentialError(.signInRequired, "Sign in again.")) }
        return .value(AccessToken("token-\(count)"))
    }
}

struct GraphClientSecurityTests {
    @Test func `a request says honestly who asks`() async throws {
        let fixture = GraphFixture(.json(Sample.user))
        _ = try await fixture.client().me().value
        let request = try #require(fixture.transport.requests.first)
        #expect(request.url.absoluteString == "https://graph.microsoft.com/v1.0/me")
        #expect(request.headers["Authorization"] == "Bearer secret-token")
        #expect(request.headers["User-Agent"] == "graphflow/\(Graphflow.version)")
        #expect(request.headers["Content-Type"] == nil)
        #expect(request.body == nil)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect to another host never sees the token`(status: Int) async throws {
        let fixture = GraphFixture(.redirect(status, to: "https://evil.example/x"), .json(Sample.user))
        _ = try await fixture.client().me().value
        let request = try #require(fixture.transport.requests.last)
        #expect(request.url.absoluteString == "https://evil.example/x")
        #expect(request.headers["Authorization"] == nil)
    }

    @Test func `the token does not come back after a detour`() async throws {
        let fixture = GraphFixture(
            .redirect(302, to: "https://evil.example/x"), .redirect(302, to: "https://graph.microsoft.com/v1.0/me"),
            .json(Sample.user))
        _ = try await fixture.client().me().value
        #expect(fixture.transport.requests.map { $0.headers["Authorization"] != nil } == [true, false, false])
    }

    @Test func `a host that was sent on to cannot ask for a fresh token`() async {
        let credential = RenewingCredential()
        let fixture = GraphFixture(.redirect(302, to: "https://evil.example/x"), .status(401))
        let error = await graphError(of: fixture.client(credential: credential).me())
        #expect(error?.code == .unauthorized)
        #expect(credential.challenges.isEmpty)
        #expect(fixture.transport.requests.count == 2)
    }

    @Test func `redirects in a circle end`() async {
        let fixture = GraphFixture(
            .redirect(302, to: "/v1.0/a"), .redirect(302, to: "/v1.0/b"), .redirect(302, to: "/v1.0/a"),
            .redirect(302, to: "/v1.0/b"), .redirect(302, to: "/v1.0/a"), .redirect(302, to: "/v1.0/b"))
        #expect(await graphError(of: fixture.client().me())?.code == .badAnswer)
        #expect(fixture.transport.requests.count == 6)
    }

    @Test func `mail and files are not sent on to another host`() async {
        for status in [301, 302, 303, 307, 308] {
            let upload = GraphFixture(.redirect(status, to: "https://evil.example/x"), .json(Sample.item))
            #expect(await graphError(of: upload.client().upload(Sample.photo, to: "me.png"))?.code == .badAnswer)
            #expect(upload.transport.requests.count == 1)
            let mail = GraphFixture(.redirect(status, to: "https://evil.example/x"), .status(200))
            let code = await graphError(of: mail.client().sendMail(Sample.mail))?.code
            #expect(code == (status < 304 ? .unknownOutcome : .badAnswer))
            #expect(mail.transport.requests.count == 1)
        }
    }

    @Test(arguments: ["/me", "/photo", "mail"])
    func `a refused token is refreshed once and the request is replayed`(kind: String) async throws {
        let credential = RenewingCredential()
        let fixture = GraphFixture(
            .status(401, ["WWW-Authenticate": "Bearer claims=\"x\""]),
            kind == "mail"
                ? .status(202)
                : kind == "/me" ? .json(Sample.user) : .answer(HTTPResponse(status: 200, body: try Sample.photo.bytes)))
        let client = fixture.client(credential: credential)
        switch kind {
        case "/me": _ = try await client.me().value
        case "/photo": _ = try await client.photo().value
        default: _ = try await client.sendMail(Sample.mail).value
        }
        let tokens = fixture.transport.requests.map { $0.headers["Authorization"] }
        #expect(tokens == ["Bearer token-0", "Bearer token-1"])
        #expect(credential.challenges == [["Bearer claims=\"x\""]])
        #expect(fixture.events.withoutEffects.allSatisfy { $0.kind == .committing() })
    }

    @Test func `a token that is refused again is the end, also between retries`() async {
        let credential = RenewingCredential()
        let fixture = GraphFixture(.status(401), .status(503), .status(401), .status(401))
        let error = await graphError(of: fixture.client(credential: credential).me())
        #expect(error?.code == .unauthorized)
        #expect(fixture.transport.requests.count == 3)
        #expect(credential.challenges.count == 1)
    }

    @Test func `a refresh that fails says what to do`() async {
        let fixture = GraphFixture(.status(401, ["request-id": "r"]))
        let error = await graphError(of: fixture.client(credential: RenewingCredential(renewals: 0)).me())
        #expect(error?.code == .unauthorized)
        #expect(error?.hint == "Sign in again.")
        #expect(error?.requestID == "r")
    }

    @Test func `without a token nothing is sent`() async {
        let fixture = GraphFixture(.json(Sample.user))
        let error = await graphError(of: fixture.client(credential: .environment([:])).me())
        #expect(error?.code == .signInRequired)
        #expect(error?.operation == "me")
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `a token that no header can carry is not sent`() async {
        let fixture = GraphFixture(.json(Sample.user))
        let error = await graphError(of: fixture.client(credential: .fixed(AccessToken("a\r\nX: y"))).me())
        #expect(error?.code == .signInRequired)
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `a missing permission is named`() async {
        let body = #"{"error":{"code":"accessDenied","message":"Access denied"}}"#
        let fixture = GraphFixture(.json(body, status: 403))
        let error = await graphError(of: fixture.client().upload(Sample.photo, to: "me.png"))
        #expect(error?.code == .forbidden)
        #expect(error?.serviceCode == "accessDenied")
        #expect(error?.hint?.contains("Files.ReadWrite") == true)
        #expect(error?.hint?.contains("Files.ReadWrite.All") == true)
        #expect(fixture.transport.requests.count == 1)
    }

    /// Tokens that say whose they are: a user's with the permission `a`, and a program's.
    private static let (person, program) = ("e30.eyJzY3AiOiJhIn0.c2ln", "e30.eyJyb2xlcyI6WyJhIl19.c2ln")

    @Test(arguments: [
        (person, "/users", "graphflow login --scopes 'User.ReadBasic.All'"),
        (person, "/nowhere", "a permission that is not known here"),
        ("opaque", "/me/mailFolders", "Mail.ReadBasic (Mail.ReadBasic.All for a program without a user)"),
        (program, "/users", "grant the application the permission User.ReadBasic.All"),
        (program, "/nowhere", "a permission that is not known here"),
    ])
    func `what is forbidden is told with what to do`(token: String, path: String, advice: String) async throws {
        let fixture = GraphFixture(.json(#"{"error":{"code":"accessDenied","message":"No"}}"#, status: 403))
        let client = fixture.client(credential: .fixed(AccessToken(token)))
        let address = try client.address(of: path)
        let request = try client.request(
            "get", .read, "GET", at: address, example: HTTPResponse(status: 200))
        let error = await graphError(of: client.send { request })
        #expect(error?.code == .forbidden)
        #expect(error?.hint?.contains(advice) == true, "\(error?.hint ?? "")")
        #expect(error?.hint?.contains("permission .") == false)
    }

    @Test func `a program without a user is told before it asks for its own user`() async throws {
        let fixture = GraphFixture(.json(Sample.user))
        let client = fixture.client(credential: .fixed(AccessToken(Self.program)))
        let error = await graphError(of: client.me())
        #expect(error?.code == .invalidInput)
        #expect(error?.hint?.contains("with: { user: NAME }") == true)
        #expect(fixture.transport.requests.isEmpty)
        _ = try await client.me(user: "megan@contoso.com").value
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `no error shows the token`() async {
        for status in [400, 401, 403, 404, 500] {
            let fixture = GraphFixture(
                .status(status, [:], "secret"), .status(status), .status(status), .status(status))
            let error = await graphError(of: fixture.client().sendMail(Sample.mail))
            var dumped = ""
            dump(error, to: &dumped)
            #expect(!dumped.contains("secret-token"))
        }
        var dumped = ""
        dump(GraphFixture().client(), to: &dumped)
        #expect(!dumped.contains("secret-token"))
    }
}
