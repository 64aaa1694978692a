import TestSupport
import Foundation
import Testing
@testable import GraphSandbox
import MicrosoftGraph

@Suite struct PlatformAuthorizeTests {
    private func redeem(
        _ platform: PlatformFixture, _ code: String?, _ changes: [String: String?] = [:]
    ) async throws -> HTTPResponse {
        var form = [
            "code": code ?? "", "redirect_uri": PlatformFixture.redirectURI,
            "code_verifier": PlatformFixture.verifier, "client_info": "1",
        ]
        for (name, value) in changes { form[name] = value }
        return try await platform.token("authorization_code", form)
    }

    private func code(_ platform: PlatformFixture) async throws -> String? {
        try await platform.decide(try await platform.authorize()).redirected["code"]
    }

    @Test func `a person chooses an account, and the client gets tokens of it`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let page = try await platform.authorize()
            #expect(page.status == 200)
            for words in ["graphflow", "Adele Vance", "adelev@contoso.com", "User.Read", "offline_access"] {
                #expect(page.text.contains(words))
            }
            #expect(!page.text.contains("Conf Room"))
            let answer = try await platform.decide(page, as: "adelev@contoso.com")
            #expect(answer.status == 302)
            #expect(answer.headers["Location"]?.hasPrefix("http://localhost:8400/?code=") == true)
            #expect(answer.redirected["state"] == "st&te=<1>")
            let tokens = try await redeem(platform, answer.redirected["code"]).json
            #expect(tokens["token_type"]?.string == "Bearer")
            #expect(tokens["expires_in"]?.integer == 3_600)
            #expect(tokens["scope"]?.string == "User.Read openid profile")
            let me = try await platform.graph("/me", tokens).json
            #expect(me["displayName"]?.string == "Adele Vance")
            let claims = try Self.claims(tokens["id_token"]?.string)
            #expect(claims["nonce"]?.string == "n0nce")
            #expect(claims["preferred_username"]?.string == "adelev@contoso.com")
            #expect(claims["aud"]?.string == Sandbox.applicationID)
            #expect(claims["iss"]?.string == "\(platform.origin)/\(Sandbox.tenantID)/v2.0")
            #expect(claims["exp"]?.integer == 1_790_003_600)
            let info = try Value(json: Self.decoded(tokens["client_info"]?.string))
            #expect(info["uid"] == claims["oid"])
            #expect(info["utid"]?.string == Sandbox.tenantID)
        }
    }

    @Test func `a code is good once, in time, and for the client that asked`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let used = try await code(platform)
            let tokens = try await redeem(platform, used).json
            let rolled = try await platform.refresh(tokens).json
            #expect(try await platform.graph("/me", tokens).status == 200)
            #expect(try await redeem(platform, used).platformError == "invalid_grant 54005")
            // Somebody else may have the code: what came of it is worth nothing any more.
            for tokens in [tokens, rolled] {
                #expect(try await platform.graph("/me", tokens).status == 401)
                #expect(try await platform.refresh(tokens).platformError == "invalid_grant 50173")
            }
            let other = ["client_id": "11111111-1111-1111-1111-111111111111"]
            let foreign = try await code(platform)
            #expect(try await redeem(platform, foreign, other).platformError == "invalid_grant 70000")
            #expect(try await redeem(platform, "unknown").platformError == "invalid_grant 70000")
            let wrong = ["code_verifier": String(repeating: "x", count: 43)]
            #expect(try await redeem(platform, try await code(platform), wrong).platformError == "invalid_grant 501481")
            let short = ["code_verifier": "short"]
            #expect(try await redeem(platform, try await code(platform), short).platformError == "invalid_grant 501481")
            let redirect = ["redirect_uri": "http://localhost:8401"]
            #expect(
                try await redeem(platform, try await code(platform), redirect).platformError == "invalid_client 500112")
            let answer = try await redeem(platform, try await code(platform), ["client_secret": "x"])
            #expect(answer.status == 401)
            #expect(answer.platformError == "invalid_client 700025")
            let late = try await code(platform)
            platform.advance(by: 600)
            #expect(try await redeem(platform, late).platformError == "invalid_grant 70008")
        }
    }

    @Test(
        arguments: [
            ("code", "900144"), ("redirect_uri", "900144"), ("code_verifier", "900144"), ("client_id", "900144"),
            ("grant_type", "900144"),
        ])
    func `what is missing in a request for a token is named`(name: String, code: String) async throws {
        var form = [
            "grant_type": "authorization_code", "client_id": Sandbox.applicationID, "code": "x",
            "redirect_uri": PlatformFixture.redirectURI, "code_verifier": PlatformFixture.verifier,
        ]
        form[name] = nil
        try await PlatformFixture.everyWay { platform async throws in
            let answer = try await platform.post("/common/oauth2/v2.0/token", form)
            #expect(answer.platformError == "invalid_request \(code)")
            #expect(try answer.json["error_description"]?.string?.contains("'\(name)'") == true)
        }
    }

    @Test func `a web application has its own addresses, and proves itself`() async throws {
        var rules = Sandbox.SignInRules()
        let web = "22222222-2222-2222-2222-222222222222"
        rules.applications[web] = ["https://app.contoso.com/signed-in"]
        try await PlatformFixture.everyWay(rules) { platform async throws in
            let elsewhere = try await platform.authorize(["client_id": web])
            #expect(elsewhere.status == 400 && elsewhere.text.contains("AADSTS50011"))
            let asked = ["client_id": web, "redirect_uri": "https://app.contoso.com/signed-in"]
            #expect(try await platform.authorize(["redirect_uri": asked["redirect_uri"]]).status == 400)
            let answer = try await platform.decide(try await platform.authorize(asked))
            #expect(answer.headers["Location"]?.hasPrefix("https://app.contoso.com/signed-in?code=") == true)
            let code = answer.redirected["code"]
            #expect(try await redeem(platform, code, asked).platformError == "invalid_client 7000218")
            var proved = asked
            proved["client_secret"] = "secret"
            let tokens = try await redeem(platform, code, proved).json
            #expect(try Self.claims(tokens["id_token"]?.string)["aud"]?.string == web)
            #expect(try Self.claims(tokens["access_token"]?.string)["scp"]?.string == "User.Read")
            let unproved = ["client_id": web]
            #expect(try await platform.refresh(tokens, unproved).platformError == "invalid_client 7000218")

            var unhashed: [String: String?] = asked
            for name in ["code_challenge", "code_challenge_method"] { unhashed.updateValue(nil, forKey: name) }
            for (verifier, error) in [(PlatformFixture.verifier, "invalid_grant 501481"), (nil, nil)] {
                let answer = try await platform.decide(try await platform.authorize(unhashed))
                var form: [String: String?] = proved
                form.updateValue(verifier, forKey: "code_verifier")
                #expect(try await redeem(platform, answer.redirected["code"], form).platformError == error)
            }
        }
    }

    @Test(arguments: [
        ("x=https://app.contoso.com", "GUID"), ("22222222-2222-2222-2222-222222222222", "not a redirect URI"),
        ("22222222-2222-2222-2222-222222222222=http://app.contoso.com", "not a redirect URI"),
        ("22222222-2222-2222-2222-222222222222=https://*.contoso.com", "not a redirect URI"),
        ("22222222-2222-2222-2222-222222222222=https://app.contoso.com/#x", "not a redirect URI"),
        ("22222222-2222-2222-2222-222222222222=javascript:alert(1)", "not a redirect URI"),
    ])
    func `an address that the platform does not register is refused`(_ text: String, _ reason: String) {
        var rules = Sandbox.SignInRules()
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init) + [""]
        let error = #expect(throws: Sandbox.SignInError.self) { try rules.register(parts[0], at: parts[1]) }
        #expect(error?.description.contains(reason) == true)
    }

    @Test func `a page takes one decision`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let page = try await platform.authorize()
            #expect(try await platform.decide(page, "maybe").status == 400)
            #expect(try await platform.decide(page, as: "nobody@contoso.com").status == 400)
            let declined = try await platform.decide(page, "decline")
            #expect(declined.redirected["error"] == "access_denied")
            #expect(declined.redirected["error_description"]?.hasPrefix("AADSTS65004: ") == true)
            #expect(declined.redirected["state"] == "st&te=<1>")
            #expect(declined.redirected["code"] == nil)
            let again = try await platform.decide(page)
            #expect(again.status == 400)
            #expect(again.headers["Location"] == nil)
            #expect(again.text.contains("This sign-in has ended"))
        }
    }

    @Test(arguments: [
        "https://example.com/", "http://example.com/", "http://localhost.example.com/", "http://localhost@example.com/",
        "http://localhost:80@example.com/", "http://127.0.0.1:8400/", "http://[::1]:8400/", "https://localhost/",
        "http://localhost:8400/other", "http://localhost:8400/?x=1", "http://localhost:8400/#x", "javascript:alert(1)",
        "http://localhost\\@example.com", "//localhost", "http://LOCALHOST/", "http://localhost:8400/%0d%0aX:y/..",
        "msal11111111-1111-1111-1111-111111111111://auth",
    ])
    func `no address but a registered one is ever redirected to`(uri: String) async throws {
        try await PlatformFixture.everyWay { platform async throws in
            for changes in [[:], ["scope": nil], ["prompt": "none"]] as [[String: String?]] {
                let changes = changes.merging(["redirect_uri": uri]) { $1 }
                let answer = try await platform.authorize(changes)
                #expect(answer.status == 400)
                #expect(answer.headers["Location"] == nil)
                #expect(answer.text.contains("AADSTS50011"))
                #expect(!answer.text.contains("<a "))
            }
        }
    }

    @Test(arguments: [
        "http://localhost", "http://localhost/", "http://localhost:1", "http://localhost:65535/",
        "msal7d1c0b52-3f5e-4a4b-9a39-6c2f0e8d5b11://auth",
    ])
    func `a loopback address matches at any port`(uri: String) async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let answer = try await platform.decide(try await platform.authorize(["redirect_uri": uri]))
            #expect(answer.redirected["code"] != nil)
        }
    }

    @Test(
        arguments: [
            (["response_type": "token"], "unsupported_response_type", "700051"),
            (["response_type": nil], "invalid_request", "900144"), (["scope": nil], "invalid_request", "900144"),
            (["scope": "Coffee.Make"], "invalid_client", "650053"), (["scope": "User.<b>"], "invalid_client", "650053"),
            (["scope": "https://example.com/x"], "invalid_resource", "500011"),
            (["scope": "User.Read https://graph.microsoft.com/.default"], "invalid_scope", "70011"),
            (["code_challenge": nil], "invalid_request", "9002325"),
            (["code_challenge_method": "plain"], "invalid_request", "9002325"),
            (["code_challenge_method": nil], "invalid_request", "9002325"),
            (["code_challenge": "short"], "invalid_request", "501491"),
            (["prompt": "coffee"], "invalid_request", "90023"), (["prompt": "none"], "login_required", "50058"),
            (["claims": "{"], "invalid_request", "9002313"), (["claims": "[]"], "invalid_request", "9002313"),
            (["response_mode": "post"], "invalid_request", "9002313"),
        ] as [([String: String?], String, String)])
    func `what is wrong with a request is told to the client`(
        changes: [String: String?], error: String, code: String
    ) async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let answer = try await platform.authorize(changes)
            #expect(answer.status == 302)
            #expect(answer.headers["Location"]?.hasPrefix(PlatformFixture.redirectURI + "/?") == true)
            #expect(answer.redirected["error"] == error)
            #expect(answer.redirected["error_description"]?.hasPrefix("AADSTS\(code): ") == true)
            #expect(answer.redirected["state"] == "st&te=<1>")
        }
    }

    @Test(
        arguments: [
            (["client_id": nil], "AADSTS900144"), (["client_id": "app"], "AADSTS700016"),
            (["client_id": "00000000-0000-0000-0000-000000000000"], "AADSTS700016"),
            (["redirect_uri": nil], "AADSTS900144"),
        ] as [([String: String?], String)])
    func `who does not say where to go to is told on a page`(changes: [String: String?], code: String) async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let answer = try await platform.authorize(changes)
            #expect(answer.status == 400)
            #expect(answer.text.contains(code))
            #expect(try await platform.authorize(tenant: "nobody").text.contains("AADSTS90002"))
            let twice = "/common/oauth2/v2.0/authorize?client_id=a&client_id=b"
            #expect(try await platform.get(twice).text.contains("more than once"))
        }
    }

    @Test func `an answer may come in the fragment, or in a form that posts itself`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let fragment = try await platform.decide(try await platform.authorize(["response_mode": "fragment"]))
            #expect(fragment.headers["Location"]?.hasPrefix("http://localhost:8400/#code=") == true)
            let form = try await platform.decide(try await platform.authorize(["response_mode": "form_post"]))
            #expect(form.status == 200)
            #expect(form.text.contains(#"<form method="post" action="http://localhost:8400/">"#))
            #expect(form.text.contains(#"name="state" value="st&amp;te=&lt;1&gt;""#))
            let policy = try #require(form.headers["Content-Security-Policy"])
            #expect(policy.contains("form-action 'self' http://localhost:8400;"))
            #expect(policy.contains("script-src 'sha256-"))
        }
    }

    @Test func `nothing that a client sends becomes part of a page`() async throws {
        let evil = "<script>alert(1)</script>\"'"
        try await PlatformFixture.everyWay { platform async throws in
            for changes in [["login_hint": evil], ["client_id": evil], ["redirect_uri": evil], ["state": evil]] {
                let answer = try await platform.authorize(changes)
                #expect(!answer.text.contains("<script>alert"))
                #expect(!answer.text.contains(evil))
                #expect(answer.headers["X-Frame-Options"] == "DENY")
                #expect(answer.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)
                #expect(answer.headers["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
            }
            let entered = try await platform.post("/common/oauth2/deviceauth", ["user_code": evil])
            #expect(!entered.text.contains("<script>"))
            #expect(
                try await platform.get("/\(evil.utf8.map { "%" + [$0].hex }.joined())/oauth2/v2.0/authorize")
                    .text.contains("<script>") == false)
        }
    }

    @Test func `a hint chooses the account, and a hint that is wrong is said`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let page = try await platform.authorize(["login_hint": "LeeG@contoso.com"])
            #expect(page.text.contains(#"value="074e56ea-0b50-4461-89e5-c67ae14a2c0b" checked"#))
            let other = try await platform.authorize(["login_hint": "nobody@contoso.com"])
            #expect(other.text.contains("no account <b>nobody@contoso.com</b>"))
            let personal = try await platform.authorize(tenant: "consumers")
            #expect(personal.text.contains("no personal ones"))
        }
    }

    @Test func `a browser's session answers without a page, until it is signed out`() async throws {
        try await PlatformFixture.everyWay { platform async throws in
            let answer = try await platform.decide(try await platform.authorize(), as: "leeg@contoso.com")
            let cookie = try #require(answer.headers["Set-Cookie"])
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"))
            let session: HTTPHeaders = ["Cookie": "other=1; " + cookie.prefix { $0 != ";" }]
            let silent = try await platform.authorize(["prompt": "none"], session)
            #expect(silent.redirected["code"] != nil)
            let more = try await platform.authorize(["prompt": "none", "scope": "Mail.Send"], session)
            #expect(more.redirected["error"] == "consent_required")
            let hint = ["prompt": "none", "login_hint": "megan@contoso.com"]
            #expect(try await platform.authorize(hint, session).redirected["error"] == "login_required")
            let chosen = /checked>.*?<small>([^<]+)</
            let page = try await platform.authorize([:], session)
            #expect(page.text.firstMatch(of: chosen)?.output.1 == "leeg@contoso.com")
            let fresh = try #require(
                try await platform.authorize(["prompt": "login"], session).text.firstMatch(of: chosen))
            #expect(fresh.output.1 != "leeg@contoso.com")
            let evil = "/common/oauth2/v2.0/logout?post_logout_redirect_uri=https%3A%2F%2Fexample.com%2F"
            let out = try await platform.send("GET", evil, session)
            #expect(out.status == 200)
            #expect(out.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
            #expect(try await platform.authorize(["prompt": "none"], session).redirected["error"] == "login_required")
            let back = "/common/oauth2/v2.0/logout?post_logout_redirect_uri=http%3A%2F%2Flocalhost%3A9%2F&state=s"
            #expect(try await platform.get(back).headers["Location"] == "http://localhost:9/?state=s")
        }
    }

    @Test func `nobody needs to be there where the rules decide`() async throws {
        var rules = Sandbox.SignInRules()
        rules.person = .approving("alexw@contoso.com")
        try await PlatformFixture.everyWay(rules) { platform async throws in
            let approved = try await platform.authorize()
            #expect(approved.status == 302)
            let tokens = try await redeem(platform, approved.redirected["code"]).json
            #expect(try await platform.graph("/me", tokens).json["givenName"]?.string == "Alex")
            platform.sandbox.signInRules.person = .declining
            #expect(try await platform.authorize().redirected["error"] == "access_denied")
        }
    }

    static func decoded(_ text: String?) throws -> Data {
        let text = try #require(text).replacing("-", with: "+").replacing("_", with: "/")
        return try #require(Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)))
    }

    static func claims(_ token: String?) throws -> Value {
        let parts = try #require(token).split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let signature = try SandboxSigningKey.key.get().signature(of: Data("\(parts[0]).\(parts[1])".utf8), .pkcs1)
        #expect(try decoded(String(parts[2])) == Data(signature))
        return try Value(json: decoded(String(parts[1])))
    }
}
