import TestSupport
import Foundation
import Testing
import GraphSandbox

@Suite struct PlatformDeviceTests {
    private func begin(_ platform: PlatformFixture, scope: String = "User.Read offline_access") async throws -> Value {
        try await platform.post(
            "/common/oauth2/v2.0/devicecode", ["client_id": Sandbox.applicationID, "scope": scope]
        ).json
    }

    private func ask(_ platform: PlatformFixture, _ device: Value) async throws -> HTTPResponse {
        try await platform.token(
            PlatformFixture.deviceGrant, ["device_code": try #require(device["device_code"]?.string)])
    }

    @Test func `a device waits until somebody approves at the page`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let device = try await begin(platform)
            let userCode = try #require(device["user_code"]?.string)
            #expect(userCode.count == 9)
            #expect(device["expires_in"]?.integer == 900)
            #expect(device["interval"]?.integer == 5)
            #expect(device["message"]?.string?.contains(userCode) == true)
            #expect(try await ask(platform, device).platformError == "authorization_pending 70016")
            let address = try #require(device["verification_uri"]?.string)
            #expect(try await platform.get(address).text.contains("Enter code"))
            let wrong = try await platform.post("/common/oauth2/deviceauth", ["user_code": "NOTRIGHT1"])
            #expect(wrong.text.contains("That code is not right"))
            let typed = userCode.prefix(4).lowercased() + " - " + userCode.dropFirst(4).lowercased()
            let page = try await platform.post(address, ["user_code": typed])
            #expect(page.text.contains("Continue only if you started that program yourself"))
            let done = try await platform.decide(page, as: "diegos@contoso.com")
            #expect(done.status == 200)
            #expect(done.text.contains("Diego Siciliani is signed in"))
            platform.advance(by: 5)
            let tokens = try await ask(platform, device).json
            #expect(try await platform.graph("/me", tokens).json["givenName"]?.string == "Diego")
            #expect(tokens["refresh_token"] != nil)
            #expect(tokens["id_token"] == nil)
            #expect(try await ask(platform, device).platformError == "invalid_grant 54005")
            #expect(platform.sandbox.deviceSignIns.map(\.status) == [.redeemed])
        }
    }

    @Test func `who asks too soon is told to slow down, five seconds each time`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let device = try await begin(platform)
            #expect(try await ask(platform, device).platformError == "authorization_pending 70016")
            platform.advance(by: 4)
            #expect(try await ask(platform, device).platformError == "slow_down -")
            platform.advance(by: 5)
            #expect(try await ask(platform, device).platformError == "slow_down -")
            platform.advance(by: 15)
            #expect(try await ask(platform, device).platformError == "authorization_pending 70016")
        }
    }

    @Test func `a device is told that it was declined, at the page or by a script`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let first = try await begin(platform)
            let page = try await platform.post(
                "/devicelogin", ["user_code": try #require(first["user_code"]?.string)])
            #expect(try await platform.decide(page, "decline").text.contains("Declined"))
            #expect(try await ask(platform, first).platformError == "authorization_declined 65004")
            let second = try await begin(platform)
            try platform.sandbox.decline(userCode: try #require(second["user_code"]?.string))
            #expect(try await ask(platform, second).platformError == "authorization_declined 65004")
        }
    }

    @Test func `a code ends when its time is over`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let device = try await begin(platform)
            let userCode = try #require(device["user_code"]?.string)
            let page = try await platform.post("/devicelogin", ["user_code": userCode])
            platform.advance(by: 900)
            #expect(try await ask(platform, device).platformError == "expired_token 70019")
            let late = try await platform.post("/devicelogin", ["user_code": userCode])
            #expect(late.text.contains("it has expired"))
            #expect(try await platform.decide(page).status == 400)
            let error = #expect(throws: Sandbox.SignInError.self) { try platform.sandbox.approve(userCode: userCode) }
            #expect(error?.description.contains("has expired or was used already") == true)
        }
    }

    @Test func `a code that nobody was given is bad, and each decision counts once`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            #expect(try await ask(platform, ["device_code": "x"]).platformError == "bad_verification_code 70018")
            let device = try await begin(platform)
            let userCode = try #require(device["user_code"]?.string)
            let other = try await platform.token(
                PlatformFixture.deviceGrant,
                [
                    "device_code": try #require(device["device_code"]?.string),
                    "client_id": "11111111-1111-1111-1111-111111111111",
                ])
            #expect(other.platformError == "bad_verification_code 70018")
            #expect(throws: Sandbox.SignInError.self) { try platform.sandbox.approve(userCode: "NOTRIGHT1") }
            let nobody = #expect(throws: Sandbox.SignInError.self) {
                try platform.sandbox.approve(userCode: userCode, as: "nobody@contoso.com")
            }
            #expect(nobody?.description.contains("megan@contoso.com") == true)
            try platform.sandbox.approve(userCode: userCode)
            #expect(throws: Sandbox.SignInError.self) { try platform.sandbox.decline(userCode: userCode) }
        }
    }

    @Test(arguments: [
        "Organization.Read.All", "Organization.ReadWrite.All", "User.ReadBasic.All", "Calendars.Read.Shared",
        "BOOKINGS.READ.ALL",
    ])
    func `permissions of Graph can be asked for`(scope: String) async throws {
        try await PlatformFixture.everyWay { platform async throws in
            #expect(try await begin(platform, scope: scope)["user_code"]?.string != nil)
        }
    }

    @Test func `what is wrong with a request for a code is said`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let path = "/common/oauth2/v2.0/devicecode"
            let id = Sandbox.applicationID
            #expect(try await platform.post(path, ["scope": "User.Read"]).platformError == "invalid_request 900144")
            #expect(try await platform.post(path, ["client_id": id]).platformError == "invalid_request 900144")
            let app = ["client_id": "app", "scope": "User.Read"]
            #expect(try await platform.post(path, app).platformError == "unauthorized_client 700016")
            let scope = ["client_id": id, "scope": "Coffee.Make"]
            #expect(try await platform.post(path, scope).platformError == "invalid_client 650053")
            let tenant = try await platform.post("/nobody/oauth2/v2.0/devicecode", app)
            #expect(tenant.platformError == "invalid_request 90002")
            let json = try await platform.control("POST", path, ["client_id": .string(id)])
            #expect(json.platformError == "invalid_request 900144")
        }
    }
}
