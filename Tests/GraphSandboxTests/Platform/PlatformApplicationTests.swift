import TestSupport
import Foundation
import Testing
import GraphSandbox
import MicrosoftGraph

@Suite struct PlatformApplicationTests {
    private static let scope = "https://graph.microsoft.com/.default"

    private func ask(
        _ platform: PlatformFixture, _ form: [String: String], tenant: String = "contoso.com",
        _ headers: HTTPHeaders = [:]
    ) async throws -> HTTPResponse {
        try await platform.token(
            "client_credentials", ["scope": Self.scope].merging(form) { $1 }, tenant: tenant, headers)
    }

    private static func assertion(_ header: Value, _ claims: Value) -> String {
        func part(_ data: Data) -> String {
            data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        return [header.jsonData(), claims.jsonData(), Data("signature".utf8)].map(part).joined(separator: ".")
    }

    @Test func `a secret brings a token for no user`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let tokens = try await ask(platform, ["client_secret": "a+b /&="]).json
            #expect(tokens["refresh_token"] == nil && tokens["id_token"] == nil)
            #expect(tokens["expires_in"]?.integer == 3_600)
            #expect(try await platform.graph("/users", tokens).status == 200)
            #expect(try await platform.graph("/users/megan@contoso.com/photo", tokens).status == 200)
            let me = try await platform.graph("/me", tokens)
            #expect(me.status == 400)
            #expect(try me.json["error"]?["message"]?.string?.contains("delegated") == true)
            platform.sandbox.signInRules.applicationPermissions = ["Mail.Send"]
            let narrow = try await ask(platform, ["client_secret": "x"]).json
            #expect(try await platform.graph("/users", narrow).status == 403)
            let basic = Data("\(Sandbox.applicationID):a%2Bb".utf8).base64EncodedString()
            #expect(try await ask(platform, [:], ["Authorization": "Basic \(basic)"]).status == 200)
        }
    }

    @Test(
        arguments: [
            ([:], "invalid_client 7000218", 401), (["client_secret": "invalid"], "invalid_client 7000215", 401),
            (["client_secret": "revoked"], "invalid_client 7000215", 401),
            (["client_secret": "expired"], "invalid_client 7000222", 401),
            (["client_secret": "x", "scope": "User.Read"], "invalid_scope 1002012", 400),
            (["client_secret": "x", "scope": "https://graph.microsoft.com/User.Read"], "invalid_scope 1002012", 400),
            (["client_secret": "x", "scope": "https://example.com/.default"], "invalid_resource 500011", 400),
            (["client_secret": "x", "client_id": "app"], "unauthorized_client 700016", 400),
            (["client_secret": "x", "client_assertion": "y"], "invalid_request 9002313", 400),
            (["client_assertion": "y"], "invalid_request 900144", 400),
            (["client_assertion": "y", "client_assertion_type": "z"], "invalid_request 9002313", 400),
        ] as [([String: String], String, Int)])
    func `what is wrong with an application is said`(form: [String: String], error: String, status: Int) async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let answer = try await ask(platform, form)
            #expect(answer.platformError == error)
            #expect(answer.status == status)
        }
    }

    @Test func `an application needs its tenant`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            for tenant in ["common", "organizations", "consumers"] {
                let answer = try await ask(platform, ["client_secret": "x"], tenant: tenant)
                #expect(answer.platformError == "invalid_request 50059")
            }
        }
    }

    private static let now = 1_790_000_000

    @Test(
        arguments: [
            ([:], [:], nil), (["alg": "RS256", "x5t": "AAAAAAAAAAAAAAAAAAAAAAAAAAA"], [:], nil),
            (["alg": "none"], [:], 5_002_738), (["alg": "HS256"], [:], 5_002_738),
            (["x5t#S256": nil], [:], 700_027), (["x5t#S256": "AAAA"], [:], 700_027),
            ([:], ["iss": "other"], 700_021), ([:], ["sub": "other"], 700_021), ([:], ["jti": nil], 50_027),
            ([:], ["aud": "https://example.com/"], 700_023), ([:], ["exp": 1_789_999_000], 700_024),
            ([:], ["exp": nil], 700_024), ([:], ["nbf": 1_790_003_600], 700_024),
        ] as [([String: Value?], [String: Value?], Int?)])
    func `a certificate's assertion is checked, all but its signature`(
        header: [String: Value?], claims: [String: Value?], code: Int?
    ) async throws {
        try await PlatformFixture.everyWay { platform async throws in
            var head: Object = [
                "alg": "PS256", "typ": "JWT", "x5t#S256": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            ]
            var body: Object = [
                "iss": .string(Sandbox.applicationID), "sub": .string(Sandbox.applicationID), "jti": "1",
                "aud": .string("\(platform.origin)/contoso.com/oauth2/v2.0/token"), "nbf": .integer(Self.now),
                "exp": .integer(Self.now + 600),
            ]
            if header["x5t"] != nil { head["x5t#S256"] = nil }
            for (name, value) in header { head[name] = value }
            for (name, value) in claims { body[name] = value }
            let answer = try await ask(
                platform,
                [
                    "client_assertion": Self.assertion(.object(head), .object(body)),
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                ])
            #expect(answer.platformError == code.map { "invalid_client \($0)" })
            #expect(answer.status == (code == nil ? 200 : 401))
        }
    }

    @Test(
        arguments: [
            ([:], nil), (["aud": "api://other"], 700_212), (["sub": ""], 700_213), (["exp": 1_789_990_000], 700_024),
        ] as [([String: Value], Int?)])
    func `another platform may vouch for an application`(claims: [String: Value], code: Int?) async throws {
        try await PlatformFixture.everyWay { platform async throws in
            var body: Object = [
                "iss": "https://token.example.com", "sub": "repo:contoso/photos", "aud": "api://AzureADTokenExchange",
                "exp": .integer(Self.now + 600),
            ]
            for (name, value) in claims { body[name] = value }
            let answer = try await ask(
                platform,
                [
                    "client_assertion": Self.assertion(["alg": "RS256"], .object(body)),
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                ])
            #expect(answer.platformError == code.map { "invalid_client \($0)" })
        }
    }

    @Test(arguments: ["x", "..", "a.b.c", "e30.e30.", "e30.e30.AA.AA", "W10.e30.AA"])
    func `what is no assertion is refused`(text: String) async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let answer = try await ask(
                platform,
                [
                    "client_assertion": text,
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                ])
            #expect((400...401).contains(answer.status))
            #expect(try answer.json["access_token"] == nil)
        }
    }

    @Test func `a virtual machine has an identity`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let path = "/metadata/identity/oauth2/token"
            let query = ["api-version": "2018-02-01", "resource": "https://graph.microsoft.com/"]
            let tokens = try await platform.get(path, query, ["Metadata": "true"]).json
            #expect(tokens["expires_in"]?.string == "3600")
            #expect(tokens["expires_on"]?.string == "1790003600")
            #expect(tokens["token_type"]?.string == "Bearer")
            #expect(try await platform.graph("/users", tokens).status == 200)
            let plain = try await platform.get(path, query)
            #expect(plain.status == 400)
            #expect(try plain.json["error"]?.string == "bad_request_102")
            let forwarded: HTTPHeaders = ["Metadata": "true", "X-Forwarded-For": "10.0.0.1"]
            #expect(try await platform.get(path, query, forwarded).status == 400)
            for wrong in [["resource": "https://graph.microsoft.com"], ["api-version": "2018-02-01"]] {
                #expect(try await platform.get(path, wrong, ["Metadata": "true"]).status == 400)
            }
            let other = query.merging(["resource": "https://example.com"]) { $1 }
            #expect(
                try await platform.get(path, other, ["Metadata": "true"]).json["error"]?.string == "invalid_resource")
            let unknown = query.merging(["client_id": "x"]) { $1 }
            let answer = try await platform.get(path, unknown, ["Metadata": "true"]).json
            #expect(answer["error_description"]?.string == "Identity not found")
        }
    }

    @Test func `an App Service has an identity for who knows its header`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let query = ["api-version": "2019-08-01", "resource": "https://graph.microsoft.com"]
            let tokens = try await platform.get("/msi/token", query, ["X-IDENTITY-HEADER": "sandbox"]).json
            #expect(tokens["expires_on"]?.string == "1790003600")
            #expect(try await platform.graph("/users", tokens).status == 200)
            let refused = try await platform.get("/msi/token", query, ["X-IDENTITY-HEADER": "guessed"])
            #expect(refused.status == 401)
            #expect(try refused.json["statusCode"]?.integer == 401)
        }
    }
}
