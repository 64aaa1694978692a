import Foundation
import Promises
import TestSupport
import Testing

@testable import MicrosoftGraph
@testable import WorkflowHTTP

struct SilentSignInTests {
    /// A cache with one account, whose access token expires in an hour.
    private func cache(
        _ fixture: IdentityFixture, scope: String = "User.Read", expiresIn: Int = 3_600, more: Object = [:]
    ) async throws -> TokenCache {
        let cache = TokenCache.inMemory()
        let signIn = IdentityFixture(
            TokenAnswers.deviceCode, TokenAnswers.tokens(scope: scope, expiresIn: expiresIn, more: more))
        _ = try await DeviceCodeCredential(
            clientID: IdentityFixture.application, cache: cache, on: try signIn.platform()
        ) { _ in }.signIn(for: ["User.Read"]).value
        return cache
    }

    private func credential(_ fixture: IdentityFixture, _ cache: TokenCache) throws -> SignedInCredential {
        SignedInCredential(cache: cache, on: try fixture.platform())
    }

    @Test func `nobody signed in is said with what to type`() async throws {
        let error = await credentialError(of: try credential(IdentityFixture(), .inMemory()).grant(for: TokenNeed([])))
        #expect(error?.code == .signInRequired)
        #expect(error?.message.contains("graphflow login") == true)
    }

    @Test func `a token that covers more serves, and one with less than five minutes left does not`() async throws {
        let fixture = IdentityFixture(TokenAnswers.tokens(access: "access-2", scope: "Files.ReadWrite.All"))
        let cache = try await cache(fixture, scope: "https://graph.microsoft.com/Files.ReadWrite.All openid profile")
        let credential = try credential(fixture, cache)
        #expect(try await credential.grant(for: TokenNeed(["files.read"])).value.token.secret.revealed == "access-1")
        fixture.clock.advance(by: .seconds(3_305))
        #expect(try await credential.grant(for: TokenNeed(["Files.Read"])).value.token.secret.revealed == "access-2")
        #expect(fixture.forms.first?["refresh_token"] == "refresh-1")
        #expect(fixture.transport.requests.first?.url.path() == "/tenant-1/oauth2/v2.0/token")
    }

    @Test func `of many who ask at once, one asks the service`() async throws {
        let fixture = IdentityFixture(TokenAnswers.tokens(access: "access-2"))
        let folder = try SignInFolder()
        defer { folder.remove() }
        let document = try await cache(fixture, expiresIn: 200).read()
        let cache = TokenCache.file(folder.cacheFile)
        try await cache.update { $0 = document }.value
        // Two caches of one file behave like two processes.
        let credentials = [try credential(fixture, cache), try credential(fixture, .file(folder.cacheFile))]
        let promises = (0..<50).map { credentials[$0 % 2].grant(for: TokenNeed(["User.Read"])) }
        for grant in try await when(fulfilled: promises).value { #expect(grant.token.secret.revealed == "access-2") }
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `a refresh token survives a refusal, which is remembered for a minute`() async throws {
        let refusal = TokenAnswers.refusal("invalid_grant", 50076, "Multi-factor authentication is required.")
        let fixture = IdentityFixture(refusal, TokenAnswers.tokens(access: "access-2"))
        let cache = try await cache(fixture, expiresIn: 200)
        let credential = try credential(fixture, cache)
        for _ in 0..<3 {
            let error = await credentialError(of: credential.grant(for: TokenNeed(["User.Read"])))
            #expect(error?.code == .signInRequired)
            #expect(error?.serviceMessage == "AADSTS50076: Multi-factor authentication is required.")
        }
        #expect(fixture.transport.requests.count == 1)
        let document = try cache.read()
        #expect(document.entries(.refreshToken).first?.secret?.revealed == "refresh-1")
        fixture.clock.advance(by: .seconds(61))
        #expect(try await credential.grant(for: TokenNeed(["User.Read"])).value.token.secret.revealed == "access-2")
    }

    @Test func `a refusal of one permission is none of another`() async throws {
        let fixture = IdentityFixture(
            TokenAnswers.refusal("invalid_grant", 65001),
            TokenAnswers.tokens(access: "access-2", scope: "Files.ReadWrite"))
        let credential = try credential(fixture, try await cache(fixture))
        #expect(await credentialError(of: credential.grant(for: TokenNeed(["Mail.Send"]))) != nil)
        let grant = try await credential.grant(for: TokenNeed(["Files.ReadWrite"])).value
        #expect(grant.token.secret.revealed == "access-2")
    }

    @Test func `a token without a stated lifetime lives an hour`() throws {
        let answer = IdentityAnswer(members: ["access_token": "a"], date: nil)
        #expect(try TokenAnswer(answer, now: IdentityFixture.start).expiresIn == 3_600)
    }

    @Test func `trouble that passes is not remembered`() async throws {
        let busy = TokenAnswers.refusal("temporarily_unavailable", 90033)
        let fixture = IdentityFixture(busy, busy, busy, busy, TokenAnswers.tokens(access: "access-2"))
        let credential = try credential(fixture, try await cache(fixture, expiresIn: 200))
        let error = await credentialError(of: credential.grant(for: TokenNeed(["User.Read"])))
        #expect(error?.code == .serviceUnavailable)
        #expect(try await credential.grant(for: TokenNeed(["User.Read"])).value.token.secret.revealed == "access-2")
    }

    @Test func `a missing consent says which permissions to sign in for`() async throws {
        let fixture = IdentityFixture(
            TokenAnswers.refusal("invalid_grant", 65001, more: ["suberror": "consent_required"]))
        let credential = try credential(fixture, try await cache(fixture))
        let error = await credentialError(of: credential.grant(for: TokenNeed(["Mail.Send"])))
        #expect(error?.message.contains("graphflow login --scopes 'Mail.Send'") == true)
    }

    @Test func `a token that is due for another one serves where there is none`() async throws {
        let fixture = IdentityFixture(.status(503), .status(503), .status(503), .status(503))
        let cache = try await cache(fixture, more: ["refresh_in": 60])
        let credential = try credential(fixture, cache)
        #expect(try await credential.grant(for: TokenNeed([])).value.token.secret.revealed == "access-1")
        #expect(fixture.transport.requests.isEmpty)
        fixture.clock.advance(by: .seconds(100))
        #expect(try await credential.grant(for: TokenNeed([])).value.token.secret.revealed == "access-1")
        #expect(!fixture.transport.requests.isEmpty)
    }

    @Test func `a token of a time to come is not trusted, for the clock was set back`() async throws {
        let fixture = IdentityFixture(TokenAnswers.tokens(access: "access-2"))
        let cache = try await cache(fixture)
        let earlier = IdentityPlatform(
            transport: fixture.transport, clock: fixture.clock,
            now: { IdentityFixture.start.addingTimeInterval(-3_600) })
        let credential = SignedInCredential(cache: cache, on: earlier)
        #expect(try await credential.grant(for: TokenNeed([])).value.token.secret.revealed == "access-2")
    }

    @Test func `a claims challenge is answered silently with the claims and the capability`() async throws {
        let fixture = IdentityFixture(TokenAnswers.tokens(access: "access-2"))
        let credential = try credential(fixture, try await cache(fixture))
        let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1604106651"}}}"#
        let challenge =
            #"Bearer realm="", authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize", "#
            + #"error="insufficient_claims", claims="\#(Data(claims.utf8).base64EncodedString())""#
        let refusal = TokenRefusal(of: AccessToken("access-1"), challenges: [challenge])
        let token = try await credential.token(for: ["User.Read"], after: refusal).value
        #expect(token.secret.revealed == "access-2")
        let sent = try Value(json: fixture.forms.first?["claims"] ?? "")
        #expect(sent["access_token"]?["nbf"]?["value"] == "1604106651")
        #expect(sent["access_token"]?["xms_cc"]?["values"] == ["cp1"])
    }

    @Test func `a challenge that takes a person becomes one sign-in with the claims`() async throws {
        let fixture = IdentityFixture(
            TokenAnswers.refusal("interaction_required", 50076), TokenAnswers.deviceCode,
            TokenAnswers.tokens(access: "access-3"))
        let cache = try await cache(fixture)
        let told = Told<SignInPrompt>()
        let credential = DeviceCodeCredential(
            clientID: IdentityFixture.application, cache: cache, on: try fixture.platform(), prompt: { told.tell($0) })
        let challenge =
            #"Bearer error="insufficient_claims", claims="eyJhY2Nlc3NfdG9rZW4iOnsiYWNycyI6eyJ2YWx1ZSI6ImMxIn19fQ==""#
        let refusal = TokenRefusal(of: AccessToken("access-1"), challenges: [challenge])
        let token = try await credential.token(for: ["User.Read"], after: refusal).value
        #expect(token.secret.revealed == "access-3")
        #expect(told.all.count == 1)
        #expect(fixture.forms[1]["claims"]?.contains("acrs") == true)
        #expect(fixture.forms[2]["claims"]?.contains("acrs") == true)
    }

    @Test func `a device that must be managed is said in plain words, with the service's text and its id`() async throws
    {
        let fixture = IdentityFixture(
            TokenAnswers.refusal("interaction_required", 53000, "Device is not in required device state."))
        let credential = try credential(fixture, try await cache(fixture, expiresIn: 10))
        let error = await credentialError(of: credential.grant(for: TokenNeed([])))
        #expect(error?.code == .blocked)
        #expect(error?.message.contains("conditional access") == true)
        #expect(error?.description.contains("AADSTS53000: Device is not in required device state.") == true)
        #expect(error?.description.contains("correlation-1") == true)
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `a token that was refused is not given again`() async throws {
        let fixture = IdentityFixture(TokenAnswers.tokens(access: "access-2"))
        let credential = try credential(fixture, try await cache(fixture))
        let token = try await credential.token(
            for: [], after: TokenRefusal(of: AccessToken("access-1"), challenges: [])
        )
        .value
        #expect(token.secret.revealed == "access-2")
    }

    @Test func `of several accounts the last one signed in counts, or the one that is named`() async throws {
        let cache = TokenCache.inMemory()
        for (index, name) in ["adele", "megan"].enumerated() {
            let fixture = IdentityFixture(
                TokenAnswers.deviceCode,
                TokenAnswers.tokens(access: "token-of-\(name)", user: name, username: "\(name)@contoso.com"))
            fixture.clock.advance(by: .seconds(index))
            _ = try await DeviceCodeCredential(
                clientID: IdentityFixture.application, cache: cache, on: try fixture.platform()
            ) { _ in }.signIn(for: []).value
        }
        let platform = try IdentityFixture().platform()
        let last = SignedInCredential(cache: cache, on: platform)
        #expect(try await last.grant(for: TokenNeed([])).value.username == "megan@contoso.com")
        let named = SignedInCredential(username: "ADELE@contoso.com", cache: cache, on: platform)
        #expect(try await named.grant(for: TokenNeed([])).value.token.secret.revealed == "token-of-adele")
        try await cache.forget([try #require(try cache.accounts.first)]).value
        #expect(try cache.accounts.map(\.username) == ["adele@contoso.com"])
        #expect(!String(decoding: try cache.read().data, as: UTF8.self).contains("token-of-megan"))
    }
}
