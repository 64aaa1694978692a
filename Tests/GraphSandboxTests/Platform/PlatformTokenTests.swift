import TestSupport
import Foundation
import Testing
import GraphSandbox
import MicrosoftGraph

@Suite struct PlatformTokenTests {
    @Test func `a refresh brings another access token and another refresh token`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let first = try await platform.signedIn()
            let second = try await platform.refresh(first).json
            for name in ["access_token", "refresh_token"] {
                #expect(second[name]?.string != nil)
                #expect(second[name] != first[name])
            }
            #expect(try await platform.graph("/me", second).status == 200)
            #expect(try await platform.refresh(second).status == 200)
            // The platform still accepts a used one; the sandbox can refuse it, to find clients that lose the next one.
            #expect(try await platform.refresh(first).status == 200)
            platform.sandbox.signInRules.acceptsUsedRefreshTokens = false
            #expect(try await platform.refresh(first).platformError == "invalid_grant 70000")
        }
    }

    @Test func `tokens end by the sandbox's clock`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let tokens = try await platform.signedIn()
            platform.advance(by: 3_599)
            #expect(try await platform.graph("/me", tokens).status == 200)
            platform.advance(by: 1)
            let ended = try await platform.graph("/me", tokens)
            #expect(ended.status == 401)
            #expect(ended.errorCode == "InvalidAuthenticationToken")
            platform.advance(by: 89 * 86_400)
            let rolled = try await platform.refresh(tokens).json
            platform.advance(by: 2 * 86_400)
            #expect(try await platform.refresh(tokens).platformError == "invalid_grant 700082")
            #expect(try await platform.refresh(rolled).status == 200)
        }
    }

    @Test func `a refresh is refused what nobody consented to, until somebody does`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let tokens = try await platform.signedIn()
            let mail = ["scope": "https://graph.microsoft.com/Mail.Send openid"]
            let refused = try await platform.refresh(tokens, mail)
            #expect(refused.platformError == "invalid_grant 65001")
            #expect(try refused.json["suberror"]?.string == "consent_required")
            _ = try await platform.signedIn(scope: "Mail.Send")
            let granted = try await platform.refresh(tokens, mail).json
            let scopes = try #require(granted["scope"]?.string).split(separator: " ").map(String.init)
            #expect(
                scopes == ["https://graph.microsoft.com/Mail.Send", "https://graph.microsoft.com/User.Read", "openid"])
            #expect(granted["refresh_token"] != nil)
            let all = try await platform.refresh(tokens, ["scope": "https://graph.microsoft.com/.default"]).json
            #expect(all["scope"]?.string?.hasSuffix(" https://graph.microsoft.com/.default") == true)
        }
    }

    @Test func `a refresh token is its client's alone, and ends when its sign-in is revoked`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let tokens = try await platform.signedIn(as: "leeg@contoso.com")
            let other = ["client_id": "11111111-1111-1111-1111-111111111111"]
            #expect(try await platform.refresh(tokens, other).platformError == "invalid_grant 70000")
            #expect(try await platform.token("refresh_token").platformError == "invalid_request 900144")
            let unknown = try await platform.token("refresh_token", ["refresh_token": "x"])
            #expect(unknown.platformError == "invalid_grant 70000")
            try platform.sandbox.revokeSignIns(of: "megan@contoso.com")
            #expect(try await platform.refresh(tokens).status == 200)
            try platform.sandbox.revokeSignIns(of: "leeg@contoso.com")
            #expect(try await platform.refresh(tokens).platformError == "invalid_grant 50173")
            #expect(try await platform.graph("/me", tokens).status == 401)
            #expect(throws: Sandbox.SignInError.self) { try platform.sandbox.revokeSignIns(of: "confroom@contoso.com") }
        }
    }

    @Test func `refresh and id tokens come only to who asks for them`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let plain = try await platform.signedIn(scope: "User.Read")
            #expect(plain["refresh_token"] == nil && plain["id_token"] == nil)
            #expect(plain["refresh_in"] == nil)
            platform.sandbox.signInRules.refreshIn = 1_800
            let full = try await platform.signedIn(scope: "openid email offline_access")
            #expect(full["refresh_in"]?.integer == 1_800)
            let claims = try PlatformAuthorizeTests.claims(full["id_token"]?.string)
            #expect(claims["email"]?.string == "megan@contoso.com")
            #expect(claims["name"] == nil)
        }
    }

    @Test func `a grant, a form or a tenant that is not known is refused`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            #expect(try await platform.token("password").platformError == "unsupported_grant_type 70003")
            #expect(try await platform.token("refresh_token", tenant: "x").platformError == "invalid_request 90002")
            let headers: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
            let path = "/common/oauth2/v2.0/token"
            let twice = try await platform.send("POST", path, headers, body: Data("scope=a&scope=b".utf8))
            #expect(twice.platformError == "invalid_request 9002313")
            for body in ["%", "grant_type=%ff", "grant_type=%00"] {
                #expect(try await platform.send("POST", path, headers, body: Data(body.utf8)).status == 400)
            }
            let huge = Data(repeating: UInt8(ascii: "a"), count: 2 << 20)
            #expect(try await platform.send("POST", path, headers, body: huge).status == 400)
        }
    }

    @Test(
        arguments: [
            ("AADSTS50076", "interaction_required 50076", "basic_action", 400),
            ("AADSTS53003", "interaction_required 53003", "message_only", 400),
            ("AADSTS53000", "interaction_required 53000", "additional_action", 400),
            ("AADSTS50173", "invalid_grant 50173", "bad_token", 400),
            ("aadsts700082", "invalid_grant 700082", "token_expired", 400),
            ("AADSTS65001", "invalid_grant 65001", "consent_required", 400),
            ("AADSTS50057", "invalid_grant 50057", nil, 400), ("AADSTS7000215", "invalid_client 7000215", nil, 401),
            ("AADSTS90006", "temporarily_unavailable 90006", nil, 503), ("slow_down", "slow_down -", nil, 400),
            ("AADSTS123456", "invalid_request 123456", nil, 400), ("server_error", "server_error -", nil, 500),
            ("503", "temporarily_unavailable 90006", nil, 503), ("429", "invalid_request -", nil, 429),
        ] as [(String, String, String?, Int)])
    func `a fault plays any error, for the grant that it names`(
        word: String, error: String, suberror: String?, status: Int
    ) async throws {
        let fault = "POST */oauth2/v2.0/token \(word) grant=refresh_token retry-after=7"
        try await PlatformFixture.everyWay(faults: [fault]) { platform async throws in
            let tokens = try await platform.signedIn()
            let refused = try await platform.refresh(tokens)
            #expect(refused.platformError == error)
            #expect(refused.status == status)
            #expect(try refused.json["suberror"]?.string == suberror)
            #expect(refused.headers["Retry-After"] == "7")
            if word == "AADSTS50076" {
                let claims = try Value(json: try #require(try refused.json["claims"]?.string))
                #expect(claims["access_token"] != nil)
            }
            #expect(try await platform.refresh(tokens).status == 200)
        }
    }

    @Test func `a fault at the page reaches the client, and a lost answer keeps its effect`() async throws {
        let faults = [
            "GET */authorize AADSTS53003", "POST */token drop processed grant=device_code", "POST */token truncate",
        ]
        try await PlatformFixture.everyWay(faults: faults) { platform async throws in
            let blocked = try await platform.authorize()
            #expect(blocked.redirected["error"] == "interaction_required")
            #expect(blocked.redirected["error_description"]?.hasPrefix("AADSTS53003") == true)
            let device = try await platform.post(
                "/common/oauth2/v2.0/devicecode", ["client_id": Sandbox.applicationID, "scope": "User.Read"]
            ).json
            let code = ["device_code": try #require(device["device_code"]?.string)]
            try platform.sandbox.approve(userCode: try #require(device["user_code"]?.string))
            for _ in 0..<2 {
                let lost = await #expect(throws: HTTPFailure.self) {
                    try await platform.token(PlatformFixture.deviceGrant, code)
                }
                #expect(lost?.reason == .connectionLost)
            }
            let late = try await platform.token(PlatformFixture.deviceGrant, code)
            #expect(late.platformError == "invalid_grant 54005")
            let outcomes = platform.sandbox.signInRequests.map(\.outcome)
            #expect(outcomes == [.answered, .answered, .dropped, .truncated, .answered])
        }
    }
}
