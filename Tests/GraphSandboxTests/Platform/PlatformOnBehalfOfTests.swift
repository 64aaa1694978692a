import TestSupport
import Foundation
import Testing
import GraphSandbox
import MicrosoftGraph

@Suite struct PlatformOnBehalfOfTests {
    private static let service = "22222222-2222-2222-2222-222222222222"
    private static let other = "33333333-3333-3333-3333-333333333333"
    private static let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    private static var rules: Sandbox.SignInRules {
        var rules = Sandbox.SignInRules()
        rules.applications = [
            service: ["https://service.contoso.com/signed-in"], other: ["https://other.contoso.com/signed-in"],
        ]
        return rules
    }

    private func exchange(
        _ platform: PlatformFixture, _ tokens: Value, _ changes: [String: String] = [:]
    ) async throws -> HTTPResponse {
        var form = [
            "client_id": Self.service, "client_secret": "secret", "requested_token_use": "on_behalf_of",
            "assertion": tokens["access_token"]?.string ?? "", "scope": "User.Read Mail.Send offline_access",
        ]
        form.merge(changes) { $1 }
        return try await platform.token(Self.grant, form)
    }

    /// Consents to what the service asks of Graph, at the service's own sign-in.
    private func consent(_ platform: PlatformFixture, _ scope: String) async throws {
        let form = ["client_id": Self.service, "scope": scope]
        let device = try await platform.post("/common/oauth2/v2.0/devicecode", form).json
        try platform.sandbox.approve(
            userCode: try #require(device["user_code"]?.string), as: "megan@contoso.com")
    }

    @Test func `a service acts for the person whose token it was sent`() async throws {
        try await PlatformFixture.everyWay(Self.rules) { platform async throws in
            let sent = try await platform.signedIn(scope: "api://\(Self.service)/Shares.Create offline_access")
            #expect(sent["scope"]?.string == "api://\(Self.service)/Shares.Create")
            let claims = try PlatformAuthorizeTests.claims(sent["access_token"]?.string)
            #expect(claims["aud"]?.string == Self.service)
            #expect(claims["scp"]?.string == "Shares.Create")
            #expect(try await platform.graph("/me", sent).status == 401)

            #expect(try await exchange(platform, sent).platformError == "invalid_grant 65001")
            try await consent(platform, "User.Read Mail.Send")
            let tokens = try await exchange(platform, sent).json
            #expect(tokens["scope"]?.string == "Mail.Send User.Read")
            #expect(try await platform.graph("/me", tokens).json["displayName"]?.string == "Megan Bowen")
            #expect(try PlatformAuthorizeTests.claims(tokens["access_token"]?.string)["appid"]?.string == Self.service)
            let form = ["client_id": Self.service, "client_secret": "secret"]
            #expect(try await platform.refresh(tokens, form).status == 200)

            // A Graph token cannot be passed on, and neither can that of another service.
            #expect(try await exchange(platform, tokens).platformError == "invalid_grant 500131")
            let another = ["client_id": Self.other]
            #expect(try await exchange(platform, sent, another).platformError == "invalid_grant 500131")
        }
    }

    @Test func `what is no token of a person for the service is refused`() async throws {
        try await PlatformFixture.everyWay(Self.rules) { platform async throws in
            let sent = try await platform.signedIn(scope: "\(Self.service)/.default")
            try await consent(platform, "User.Read Mail.Send")
            for (changes, error) in [
                (["assertion": "x.y.z"], "invalid_grant 50013"),
                (["client_secret": "invalid"], "invalid_client 7000215"),
                (["requested_token_use": "other"], "invalid_request 9002313"),
                (["scope": "User.Read api://\(Self.other)/x"], "invalid_request 28000"),
                (["scope": "api://44444444-4444-4444-4444-444444444444/x"], "invalid_resource 500011"),
                (["scope": "Files.Read"], "invalid_grant 65001"),
            ] {
                #expect(try await exchange(platform, sent, changes).platformError == error, "\(changes)")
            }
            let form = ["client_id": Self.other, "client_secret": "s", "scope": "api://\(Self.service)/.default"]
            let machine = try await platform.token("client_credentials", form, tenant: "contoso.com").json
            #expect(try PlatformAuthorizeTests.claims(machine["access_token"]?.string)["aud"]?.string == Self.service)
            #expect(try await exchange(platform, machine).platformError == "invalid_grant 7000114")

            try platform.sandbox.revokeSignIns(of: "megan@contoso.com")
            #expect(try await exchange(platform, sent).platformError == "invalid_grant 50173")
        }
    }

    @Test func `where everything is approved at once, a service needs no consent`() async throws {
        var rules = Self.rules
        rules.person = .approving("megan@contoso.com")
        try await PlatformFixture.everyWay(rules) { platform async throws in
            let device = try await platform.post(
                "/common/oauth2/v2.0/devicecode",
                ["client_id": Sandbox.applicationID, "scope": "api://\(Self.service)/x"]
            ).json
            let sent = try await platform.token(
                PlatformFixture.deviceGrant, ["device_code": device["device_code"]?.string ?? ""]
            ).json
            #expect(try await platform.graph("/me", try await exchange(platform, sent).json).status == 200)
        }
    }
}
