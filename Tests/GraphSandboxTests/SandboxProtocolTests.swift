import Foundation
import TestSupport
import Testing
import GraphSandbox

/// The protocol of all answers: tokens, ids, the error envelope, and the sandbox's own pages.
@Suite struct SandboxProtocolTests {
    @Test(arguments: SandboxWay.allCases)
    func `a request without a good token is 401 and says how to sign in`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            for token in [nil, "", "expired", "invalid", "revoked"] as [String?] {
                var client = client
                client.token = token
                let answer = try await client.send("GET", "/me")
                #expect(answer.status == 401)
                #expect(answer.errorCode == "InvalidAuthenticationToken")
                #expect(answer.headers["WWW-Authenticate"]?.hasPrefix("Bearer realm=\"\"") == true)
            }
            var other = client
            other.token = "x"
            #expect(try await other.send("GET", "/me").status == 200)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `answers carry ids and errors Graph's envelope`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let answer = try await client.send(
                "GET", "/me/drive/items/none", headers: ["client-request-id": "4f7e1a52-0000-4000-8000-000000000001"])
            #expect(answer.status == 404)
            #expect(answer.headers["client-request-id"] == "4f7e1a52-0000-4000-8000-000000000001")
            #expect(answer.headers["Date"] == "Mon, 21 Sep 2026 14:13:20 GMT")
            let error = try answer.json["error"]
            #expect(error?["code"] == "itemNotFound")
            #expect(error?["message"]?.string?.isEmpty == false)
            #expect(error?["innerError"]?["date"] == "2026-09-21T14:13:20")
            #expect(error?["innerError"]?["request-id"]?.string == answer.headers["request-id"])
            #expect(error?["innerError"]?["client-request-id"] == "4f7e1a52-0000-4000-8000-000000000001")
            #expect(try await client.send("GET", "/me").headers["request-id"] != answer.headers["request-id"])
        }
    }

    @Test(
        arguments: [
            ("GET", "/sits", 400), ("GET", "/me/drive/recent", 501), ("GET", "/me/drive/special", 501),
            ("POST", "/me", 405), ("DELETE", "/me/photo", 405), ("GET", "/me/sendMail", 405),
            ("PUT", "/me/drive/items/root/children", 405), ("GET", "/me/drive/items/%FF", 400),
            ("GET", "/me/drive/items/a%00b", 400), ("GET", "/me/drive/root:/x:/createUploadSession", 405),
            ("HEAD", "/me", 405), ("OPTIONS", "/me", 405), ("TRACE", "/users", 405), ("GET", "", 501),
        ] as [(String, String, Int)])
    func `what there is not is refused as Graph does`(method: String, path: String, status: Int) async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let answer = try await client.send(method, path)
            #expect(answer.status == status)
            #expect(answer.errorCode != nil)
            #expect(sandbox.requests.map(\.status) == [status])
        }
    }

    @Test(arguments: ["/me", "/users", "/me/messages", "/me/drive/root", "/groups"])
    func `an option of a query that Graph does not know is refused`(path: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let answer = try await client.send("GET", path + "?$selct=id")
            #expect(answer.status == 400)
            #expect(try answer.json["error"]?["message"] == "The query parameter '$selct' is not supported.")
        }
    }

    @Test func `what the sandbox does not play it refuses in its own name`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let error = try await client.send("GET", "/me/drive/recent").json["error"]
            #expect(error?["code"] == "sandboxNotImplemented")
            #expect(
                error?["message"]
                    == "The sandbox plays users, groups, licences, photos, mail, events and files, and not 'recent': try it with Microsoft Graph, or look at a dry run."
            )
        }
    }

    @Test func `both versions of Graph are played, and no other`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            #expect(try await client.send("GET", "https://graph.microsoft.com/beta/me").status == 200)
            #expect(try await client.send("GET", "https://graph.microsoft.com/v2.0/me").status == 400)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `everything accepted can be read back, without the token`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let root = client.base.absoluteString.replacing("/v1.0", with: "")
            _ = try await client.put("/me/drive/root:/a%20b.txt:/content", "hello")
            _ = try await client.send(
                "POST", "/me/sendMail",
                json: ["message": ["toRecipients": [["emailAddress": ["address": "megan@contoso.com"]]]]])
            var anonymous = client
            anonymous.token = nil
            let drive = try await anonymous.get(root + "/sandbox/drive")
            #expect(drive[0]?["path"] == "/a b.txt")
            #expect(drive[0]?["contentBytes"] == "aGVsbG8=")
            #expect(drive[0]?["sha256"] == .string(SHA256.hex(of: Data("hello".utf8))))
            let outbox = try await anonymous.get(root + "/sandbox/outbox")
            #expect(outbox.array?.count == 1)
            #expect(outbox[0]?["to"] == ["megan@contoso.com"])
            #expect(outbox[0]?["deliveries"] == 1)
            let requests = try await anonymous.get(root + "/sandbox/requests")
            #expect(requests.array?.count == 2)
            #expect(requests[0]?["method"] == "PUT")
            #expect(requests[0]?["path"] == "/v1.0/me/drive/root:/a%20b.txt:/content")
            #expect(requests[0]?["headers"]?["Authorization"] == "Bearer ‹token›")
            #expect(requests[0]?["body"]?["base64"] == "aGVsbG8=")
            #expect(requests[0]?["status"] == 201)
            #expect(requests[1]?["body"]?["message"]?["toRecipients"]?.array?.count == 1)
            #expect(sandbox.requests.map(\.method) == ["PUT", "POST"])
            #expect(try await anonymous.send("DELETE", root + "/sandbox").status == 204)
            #expect(try await anonymous.get(root + "/sandbox/outbox") == [])
            let page = try await anonymous.send("GET", root + "/")
            #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
            #expect(String(decoding: page.body, as: UTF8.self).contains("/sandbox/outbox"))
            #expect(try await anonymous.send("POST", root + "/sandbox/outbox").status == 405)
        }
    }

    @Test func `no more requests are kept than are asked for, and no large bodies`() async throws {
        var settings = Sandbox.Settings()
        settings.keptRequests = 100
        try await SandboxWay.inProcess.withSandbox(settings: settings) { (sandbox, client) async throws in
            for number in 1...150 { _ = try await client.send("GET", "/users/\(number)") }
            #expect(sandbox.requests.count == 100)
            #expect(sandbox.requests.first?.path == "/v1.0/users/51")
            _ = try await client.put("/me/drive/root:/x:/content", String(repeating: "x", count: 1_100_000))
            #expect(sandbox.requests.last?.body == Data())
            #expect(sandbox.requests.last?.bodySize == 1_100_000)
            let text = String(repeating: "x", count: 1_000_000)
            for _ in 0..<80 { #expect(try await client.put("/me", text).status == 405) }
            #expect(sandbox.requests.map(\.body.count).reduce(0, +) <= 64 << 20)
            #expect(sandbox.requests.last?.body.count == 1_000_000)
            #expect(sandbox.requests.count == 100)
        }
    }

    @Test func `a file that calls itself a page is shown as text`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let page = try await client.put(
                "/me/drive/root:/x.html:/content", "<script>", headers: ["Content-Type": "text/html"])
            let shown = try await client.send("GET", try #require(page.json["webUrl"]?.string))
            #expect(shown.headers["Content-Type"] == "text/plain; charset=utf-8")
            #expect(shown.headers["X-Content-Type-Options"] == "nosniff")
            #expect(sandbox.drive.first?.contentType == "text/html")
        }
    }

    @Test func `the same randomness gives the same ids`() async throws {
        var ids: [String] = []
        for _ in 0..<2 {
            try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
                ids.append(try await client.put("/me/drive/root:/x:/content", "x").json["id"]?.string ?? "")
            }
        }
        #expect(ids[0] == ids[1])
        #expect(ids[0].count == 34)
    }
}
