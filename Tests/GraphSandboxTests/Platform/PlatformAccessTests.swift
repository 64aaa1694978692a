import TestSupport
import Foundation
import Testing
import GraphSandbox
import MicrosoftGraph

@Suite struct PlatformAccessTests {
    private static let claims: Value = ["access_token": ["acrs": ["essential": true, "value": "c1"]]]

    @Test(
        arguments: [
            ("User.Read", "GET", "/me", true), ("User.Read", "GET", "/users", false),
            ("User.ReadBasic.All", "GET", "/users", true), ("User.Read", "GET", "/me/photo/$value", true),
            ("User.Read", "PUT", "/me/photo/$value", false), ("Files.Read", "GET", "/me/drive", true),
            ("Files.Read", "PUT", "/me/drive/root:/x:/content", false),
            ("Files.ReadWrite", "PUT", "/me/drive/root:/x:/content", true),
            ("Mail.ReadWrite", "POST", "/me/sendMail", false), ("Mail.Read", "GET", "/me/messages", true),
            ("Mail.Send", "GET", "/me/messages", false), ("Files.ReadWrite", "GET", "/me", false),
            ("User.Read", "GET", "/applications", false), ("Application.Read.All", "GET", "/applications", true),
            ("Application.Read.All", "POST", "/applications", false), ("Tasks.Read", "GET", "/me/todo/lists", true),
            ("Tasks.ReadWrite", "GET", "/me/todo/lists", true), ("Mail.Read", "GET", "/me/todo/lists", false),
        ])
    func `a token lets through what its permissions let through`(
        scope: String, method: String, path: String, isAllowed: Bool
    ) async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let tokens = try await platform.signedIn(scope: scope)
            let answer = try await platform.graph(method, path, tokens)
            #expect((answer.status == 403) == !isAllowed)
            if !isAllowed { #expect(answer.errorCode?.contains("enied") == true) }
        }
    }

    @Test func `a token from elsewhere is good unless the sandbox wants its own`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            #expect(try await platform.graph("/me", ["access_token": "elsewhere"]).status == 200)
            platform.sandbox.signInRules.demandsIssuedTokens = true
            #expect(try await platform.graph("/me", ["access_token": "elsewhere"]).status == 401)
            #expect(try await platform.graph("/me", try await platform.signedIn()).status == 200)
        }
    }

    @Test func `a challenge holds until a token comes that was asked for with its claims`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let tokens = try await platform.signedIn()
            platform.sandbox.claimsChallenge = Self.claims
            let challenged = try await platform.graph("/me", tokens)
            #expect(challenged.status == 401)
            let field = try #require(challenged.headers["WWW-Authenticate"])
            #expect(field.contains(#"error="insufficient_claims""#))
            let encoded = try #require(field.firstMatch(of: /claims="([^"]+)"/)?.output.1)
            let claims = try Value(json: try #require(Data(base64Encoded: String(encoded))))
            #expect(claims == Self.claims)
            let other = ["claims": #"{"access_token":{"xms_cc":{"values":["cp1"]}}}"#]
            #expect(try await platform.graph("/me", try await platform.refresh(tokens, other).json).status == 401)
            let merged =
                #"{"access_token":{"xms_cc":{"values":["cp1"]},"acrs":{"essential":true,"value":"c1"}},"id_token":{}}"#
            let renewed = try await platform.refresh(tokens, ["claims": merged]).json
            #expect(try await platform.graph("/me", renewed).status == 200)
            #expect(try await platform.refresh(tokens, ["claims": "["]).platformError == "invalid_request 9002313")
            platform.sandbox.claimsChallenge = nil
            #expect(try await platform.graph("/me", tokens).status == 200)
        }
    }

    @Test func `a fault challenges once`() async throws {
        try await PlatformFixture.everyWay(faults: ["GET /me insufficient_claims"]) { platform async throws in
            let tokens = try await platform.signedIn()
            let answer = try await platform.graph("/me", tokens)
            #expect(answer.status == 401)
            #expect(answer.headers["WWW-Authenticate"]?.contains("insufficient_claims") == true)
            #expect(try await platform.graph("/me", tokens).status == 200)
        }
    }

    @Test func `what is told of requests holds no secret`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let tokens = try await platform.signedIn(["claims": "{}"])
            _ = try await platform.refresh(tokens)
            let code = try await platform.decide(try await platform.authorize()).redirected["code"]
            _ = try await platform.token(
                "authorization_code",
                [
                    "code": try #require(code), "redirect_uri": PlatformFixture.redirectURI,
                    "code_verifier": PlatformFixture.verifier,
                ])
            let told = try await platform.get("/sandbox/sign-in").text + "\(platform.sandbox.signInRequests)"
            #expect(told.contains("grant_type=refresh_token"))
            let secrets = [tokens["access_token"]?.string, tokens["refresh_token"]?.string, code]
            for secret in secrets { #expect(!told.contains(try #require(secret))) }
            #expect(!told.contains(PlatformFixture.verifier))
        }
    }
}
