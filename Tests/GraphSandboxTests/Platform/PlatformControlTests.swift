import TestSupport
import Foundation
import Testing
import GraphSandbox

@Suite struct PlatformControlTests {
    @Test func `a script approves and declines devices`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let form = ["client_id": Sandbox.applicationID, "scope": "User.Read"]
            for (decision, error) in [("approve", nil), ("decline", "authorization_declined 65004")] {
                let device = try await platform.post("/common/oauth2/v2.0/devicecode", form).json
                let path = "/sandbox/sign-in/devices/\(try #require(device["user_code"]?.string))"
                #expect(try await platform.control("POST", path, ["decision": "maybe"]).status == 400)
                let nobody: Value = ["decision": "approve", "account": "nobody"]
                #expect(try await platform.control("POST", path, nobody).status == 400)
                #expect(try await platform.control("POST", path, ["decision": .string(decision)]).status == 204)
                #expect(try await platform.control("POST", path, ["decision": .string(decision)]).status == 409)
                let code = ["device_code": try #require(device["device_code"]?.string)]
                #expect(try await platform.token(PlatformFixture.deviceGrant, code).platformError == error)
            }
            let unknown = try await platform.control(
                "POST", "/sandbox/sign-in/devices/NOTRIGHT1", ["decision": "approve"])
            #expect(unknown.status == 404)
            let told = try await platform.get("/sandbox/sign-in").json
            #expect(told["devices"]?.array?.compactMap { $0["status"]?.string }.sorted() == ["declined", "redeemed"])
            #expect(told["accounts"]?[0]?.string == "megan@contoso.com")
        }
    }

    @Test func `rules are changed by what names them, and only as a whole`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let changed = try await platform.control(
                "PATCH", "/sandbox/sign-in",
                ["tokenLifetime": 60, "person": "AdeleV@contoso.com", "refreshIn": nil, "demandsIssuedTokens": true])
            #expect(changed.status == 200)
            #expect(try changed.json["rules"]?["tokenLifetime"]?.integer == 60)
            #expect(platform.sandbox.signInRules.person == .approving("adelev@contoso.com"))
            let wrong: [Value] = [
                ["tokenLifetime": 5, "nothing": 1], ["tokenLifetime": -1], ["tokenLifetime": "5"], ["person": "nobody"],
                ["person": 1], ["demandsIssuedTokens": 1], [], "x",
            ]
            for body in wrong {
                let answer = try await platform.control("PATCH", "/sandbox/sign-in", body)
                #expect(answer.status == 400)
                #expect(try answer.json["error"]?.string?.isEmpty == false)
            }
            #expect(platform.sandbox.signInRules.tokenLifetime == 60)
            #expect(try await platform.control("DELETE", "/sandbox").status == 204)
            #expect(platform.sandbox.signInRules == Sandbox.SignInRules())
        }
    }

    @Test func `challenges, revocations and faults are set by scripts`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let tokens = try await platform.signedIn()
            let claims: Value = ["access_token": ["nbf": ["essential": true, "value": "1"]]]
            #expect(try await platform.control("PUT", "/sandbox/sign-in/challenge", claims).status == 204)
            #expect(try await platform.graph("/me", tokens).status == 401)
            #expect(try await platform.control("PUT", "/sandbox/sign-in/challenge", []).status == 400)
            #expect(try await platform.control("DELETE", "/sandbox/sign-in/challenge").status == 204)
            #expect(try await platform.graph("/me", tokens).status == 200)
            #expect(try await platform.control("POST", "/sandbox/faults", "GET /me 503 x2").status == 204)
            let waiting = try await platform.get("/sandbox/faults").json
            #expect(waiting["faults"]?.array == ["GET /me 503 x2"])
            #expect(try await platform.graph("/me", tokens).status == 503)
            #expect(try await platform.control("DELETE", "/sandbox/faults").status == 204)
            #expect(try await platform.graph("/me", tokens).status == 200)
            #expect(try await platform.control("POST", "/sandbox/faults", "GET me").status == 400)
            #expect(try await platform.control("POST", "/sandbox/faults", 5).status == 400)
            let account: Value = ["account": "megan@contoso.com"]
            #expect(try await platform.control("POST", "/sandbox/sign-in/revocations", account).status == 204)
            #expect(try await platform.graph("/me", tokens).status == 401)
            #expect(try await platform.control("POST", "/sandbox/sign-in/nothing", account).status == 404)
        }
    }

    @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", nil])
    func `a page of the web cannot make a browser change anything`(type: String?) async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let device = try await platform.post(
                "/common/oauth2/v2.0/devicecode", ["client_id": Sandbox.applicationID, "scope": "User.Read"]
            ).json
            let paths = [
                "/sandbox/faults", "/sandbox/sign-in/revocations",
                "/sandbox/sign-in/devices/\(try #require(device["user_code"]?.string))",
            ]
            let headers: HTTPHeaders = type.map { ["Content-Type": $0] } ?? [:]
            for path in paths {
                let body = Data(#"{"decision":"approve","fault":"* * 500","account":"megan@contoso.com"}"#.utf8)
                #expect(try await platform.send("POST", path, headers, body: body).status == 415)
            }
            #expect(platform.sandbox.deviceSignIns.map(\.status) == [.pending])
        }
    }
}
