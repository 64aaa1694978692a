import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP
@testable import GraphSandbox

struct DeviceCodeTests {
    private let told = Told<SignInPrompt>()

    private func credential(_ fixture: IdentityFixture, cache: TokenCache = .inMemory()) throws -> DeviceCodeCredential
    {
        DeviceCodeCredential(
            clientID: IdentityFixture.application, cache: cache, on: try fixture.platform(),
            prompt: { [told] in told.tell($0) })
    }

    @Test func `waits while nobody entered the code, slower where it is told to, and through a network that goes away`()
        async throws
    {
        let fixture = IdentityFixture(
            TokenAnswers.deviceCode, TokenAnswers.refusal("authorization_pending", 70016),
            TokenAnswers.refusal("slow_down", 70016), .lost(.notSent), .lost(), .status(503),
            TokenAnswers.refusal("authorization_pending", 70016), TokenAnswers.tokens())
        let grant = try await credential(fixture).signIn(for: ["User.Read"]).value
        #expect(grant.token.secret.revealed == "access-1")
        #expect(grant.username == "megan@contoso.com")
        #expect(grant.scopes == ["User.Read"])
        #expect(fixture.clock.waits.map(\.components.seconds) == [5, 5, 10, 20, 40, 60, 10])
        let forms = fixture.forms
        #expect(forms[0]["scope"] == "https://graph.microsoft.com/User.Read openid profile offline_access")
        #expect(forms[1]["grant_type"] == "urn:ietf:params:oauth:grant-type:device_code")
        #expect(forms[1]["device_code"] == "device-secret")
        #expect(told.all.first?.text.contains("https://microsoft.com/devicelogin") == true)
        #expect(told.all.first?.text.contains("ABCDEFGH") == true)
    }

    @Test func `is silent the next time`() async throws {
        let fixture = IdentityFixture(
            TokenAnswers.deviceCode, TokenAnswers.tokens(),
            TokenAnswers.tokens(access: "access-2", refresh: "refresh-2"))
        let credential = try credential(fixture)
        _ = try await credential.grant(for: TokenNeed(["User.Read"])).value
        #expect(try await credential.grant(for: TokenNeed(["User.Read"])).value.token.secret.revealed == "access-1")
        #expect(fixture.transport.requests.count == 2)
        fixture.clock.advance(by: .seconds(3_600 - 300))
        #expect(try await credential.grant(for: TokenNeed(["User.Read"])).value.token.secret.revealed == "access-2")
        #expect(fixture.forms[2]["grant_type"] == "refresh_token")
        #expect(told.all.count == 1)
    }

    @Test(arguments: [
        ("authorization_declined", 70_000, CredentialError.Code.declined),
        ("access_denied", 70_000, CredentialError.Code.declined),
        ("expired_token", 70_019, CredentialError.Code.expired),
        ("bad_verification_code", 70_018, CredentialError.Code.signInRequired),
        ("invalid_grant", 54_005, CredentialError.Code.signInRequired),
    ])
    func `says what ended the sign-in`(error: String, code: Int, expected: CredentialError.Code) async throws {
        let fixture = IdentityFixture(TokenAnswers.deviceCode, TokenAnswers.refusal(error, code))
        let cache = TokenCache.inMemory()
        let found = await credentialError(of: try credential(fixture, cache: cache).signIn(for: ["User.Read"]))
        #expect(found?.code == expected)
        #expect(found?.message.contains("graphflow login") == true)
        #expect(found?.serviceMessage?.hasPrefix("AADSTS\(code)") == true)
        #expect(found?.correlationID == "correlation-1")
        #expect(try cache.accounts.isEmpty)
    }

    @Test func `ends when the code ends, though the service goes on saying that it waits`() async throws {
        let transport = ScriptedTransport(
            [TokenAnswers.deviceCode]
                + Array(repeating: TokenAnswers.refusal("authorization_pending", 70016), count: 500))
        let clock = SkippingClock()
        let platform = IdentityPlatform(transport: transport, clock: clock)
        let credential = DeviceCodeCredential(clientID: IdentityFixture.application, on: platform) { _ in }
        #expect(await credentialError(of: credential.signIn(for: []))?.code == .expired)
        #expect(clock.now <= .seconds(900))
    }

    @Test func `a clock that is wrong by an hour is told, and the token's time is by this machine's clock`()
        async throws
    {
        let fixture = IdentityFixture(
            TokenAnswers.deviceCode,
            TokenAnswers.tokens(headers: [
                "Date": SandboxClock.httpDate(IdentityFixture.start.addingTimeInterval(3_605))
            ]))
        let grant = try await credential(fixture).signIn(for: ["User.Read"]).value
        #expect(grant.expiresAt == IdentityFixture.start.addingTimeInterval(3_605))
        #expect(told.all.last?.text.contains("60 minutes behind") == true)
    }

    @Test func `a code at an address that is not encrypted is not shown`() async throws {
        let fixture = IdentityFixture(
            .json(#"{"device_code":"d","user_code":"u","verification_uri":"http://evil.example/","expires_in":9}"#))
        #expect(await credentialError(of: try credential(fixture).signIn(for: []))?.code == .badAnswer)
        #expect(told.all.isEmpty)
    }
}
