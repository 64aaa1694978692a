import Foundation
import Promises
import TestSupport
import Testing
import GraphSandbox

@Suite struct SandboxDriveTests {
    @Test(arguments: SandboxWay.allCases)
    func `a file is created, found and replaced`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let created = try await client.put("/me/drive/root:/a%20b/me.txt:/content", "one")
            #expect(created.status == 201)
            let item = try created.json
            let id = try #require(item["id"]?.string)
            #expect(item["name"] == "me.txt")
            #expect(item["size"] == 3)
            #expect(item["file"]?["mimeType"] == "text/plain")
            #expect(item["parentReference"]?["path"] == "/drive/root:/a b")
            let replaced = try await client.put("/me/drive/root:/A%20B/ME.txt:/content", "three")
            #expect(replaced.status == 200)
            #expect(try replaced.json["id"] == .string(id))
            #expect(try replaced.json["eTag"] != item["eTag"])
            #expect(try await client.put("/me/drive/items/\(id)/content", "four!!").status == 200)
            for path in [
                "/me/drive/items/\(id)", "/me/drive/root:/a%20b/me.txt", "/me/drive/root:/a%20b/me.txt:",
                "/users/megan@contoso.com/drive/items/\(id)",
            ] {
                #expect(try await client.get(path)["size"] == 6)
            }
            #expect(sandbox.drive.map(\.content) == [Data("four!!".utf8)])
            #expect(sandbox.drive.first?.version == 3)
            #expect(sandbox.drive.first?.sha256 == SHA256.hex(of: Data("four!!".utf8)))
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a picture has thumbnails of the sizes that they state, and other files have none`(way: SandboxWay)
        async throws
    {
        try await way.withSandbox { (_, client) async throws in
            _ = try await client.send(
                "PUT", "/me/drive/root:/me.png:/content", headers: ["Content-Type": "image/png"],
                body: Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
            _ = try await client.put("/me/drive/root:/a.txt:/content", "no picture")
            let path = "/me/drive/root:/me.png:/thumbnails"
            let sets = try #require(try await client.get(path)["value"]?.array)
            #expect(sets.map { $0["small"]?["width"] } == [48])
            #expect(sets.map { $0["large"]?["width"] } == [240])
            let url = try #require(sets.first?["small"]?["url"]?.string)
            let picture = try await client.withoutToken.send("GET", url)
            #expect(picture.headers["Content-Type"] == "image/jpeg")
            let content = try await client.send("GET", path + "/0/small/content")
            #expect(content.status == 302)
            #expect(content.headers["Location"] == url)
            #expect(try await client.get("/me/drive/root:/a.txt:/thumbnails")["value"] == [])
            #expect(try await client.send("GET", "/me/drive/root:/a.txt:/thumbnails/0/small").status == 404)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `content is behind a redirect to an address that needs no token`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let id = try await client.put("/me/drive/root:/me.txt:/content", "hello").json["id"]?.string ?? ""
            for path in ["/me/drive/items/\(id)/content", "/me/drive/root:/me.txt:/content"] {
                let redirect = try await client.send("GET", path)
                #expect(redirect.status == 302)
                let location = try #require(redirect.headers["Location"])
                var anonymous = client
                anonymous.token = nil
                #expect(try await anonymous.send("GET", location).body == Data("hello".utf8))
            }
        }
    }

    @Test func `an address of content is given out while it is valid for more than half an hour`() async throws {
        let seconds = Locked(0.0)
        let sandbox = Sandbox(now: { Date(timeIntervalSince1970: 1_790_000_000 + seconds.withLock { $0 }) })
        let client = SandboxClient(transport: sandbox.transport, base: Sandbox.baseURL)
        let id = try await client.put("/me/drive/root:/me.txt:/content", "hello").json["id"]?.string ?? ""
        func address(after time: Double) async throws -> String {
            seconds.withLock { $0 = time }
            return try #require(try await client.send("GET", "/me/drive/items/\(id)/content").headers["Location"])
        }
        let first = try await address(after: 0)
        #expect(try await address(after: 1_799) == first)
        let second = try await address(after: 1_800)
        #expect(second != first)
        // Both are still valid.
        for given in [first, second] {
            #expect(try await client.withoutToken.send("GET", given).body == Data("hello".utf8))
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a clash of names fails, replaces or renames`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let path = "/me/drive/root:/me.jpg:/content?@microsoft.graph.conflictBehavior="
            #expect(try await client.put(path + "fail", "1").status == 201)
            let failed = try await client.put(path + "fail", "2")
            #expect(failed.status == 409)
            #expect(failed.errorCode == "nameAlreadyExists")
            let renamed = try await client.put(path + "rename", "3")
            #expect(renamed.status == 201)
            #expect(try renamed.json["name"] == "me 1.jpg")
            #expect(try await client.put(path + "rename", "4").json["name"] == "me 2.jpg")
            #expect(try await client.put(path + "replace", "5").status == 200)
            #expect(try await client.put(path + "perhaps", "6").status == 400)
            #expect(
                sandbox.drive.map { "\($0.path) \(String(decoding: $0.content, as: UTF8.self))" } == [
                    "me.jpg 5", "me 1.jpg 3", "me 2.jpg 4",
                ])
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a tag that does not match is 412`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let path = "/me/drive/root:/me.txt:/content"
            #expect(try await client.put(path, "0", headers: ["If-Match": "\"x\""]).status == 412)
            let first = try await client.put(path, "1").json
            let tag = try #require(first["eTag"]?.string)
            #expect(try await client.put(path, "2", headers: ["If-Match": tag]).status == 200)
            let late = try await client.put(path, "3", headers: ["If-Match": tag])
            #expect(late.status == 412)
            #expect(late.errorCode == "resourceModified")
            let now = try #require(try await client.get("/me/drive/root:/me.txt")["eTag"]?.string)
            let same = try await client.send("GET", "/me/drive/root:/me.txt", headers: ["If-None-Match": now])
            #expect(same.status == 304)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `the link is made once, shared by type and scope, and opens the file`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let photo = try await client.send("GET", "/me/photo/$value").body
            let item = try await client.send(
                "PUT", "/me/drive/root:/me.jpg:/content", headers: ["Content-Type": "image/jpeg"], body: photo)
            let path = "/me/drive/items/\(try item.json["id"]?.string ?? "")/createLink"
            let made = try await client.send("POST", path, json: ["type": "view"])
            #expect(made.status == 201)
            #expect(try made.json["roles"] == ["read"])
            #expect(try made.json["link"]?["scope"] == "organization")
            #expect(try made.json["link"]?["webHtml"] == nil)
            let shareID = try #require(try made.json["shareId"]?.string)
            #expect(shareID.hasPrefix("u!aHR0c") && !shareID.contains("="))
            let embedded = try await client.send("POST", path, json: ["type": "embed"])
            #expect(try embedded.json["link"]?["webHtml"]?.string?.hasPrefix("<iframe src=") == true)
            let again = try await client.send("POST", path, json: ["type": "view", "scope": "organization"])
            #expect(again.status == 200)
            #expect(try again.json["id"] == made.json["id"])
            let other = try await client.send("POST", path, json: ["type": "edit", "scope": "anonymous"])
            #expect(other.status == 201)
            #expect(try other.json["roles"] == ["write"])
            #expect(sandbox.drive.first?.links.map(\.type) == ["view", "embed", "edit"])
            let url = try #require(try made.json["link"]?["webUrl"]?.string)
            var anonymous = client
            anonymous.token = nil
            let opened = try await anonymous.send("GET", url)
            #expect(opened.status == 200)
            #expect(opened.body == photo)
            #expect(opened.headers["Content-Type"] == "image/jpeg")
            #expect(opened.headers["Content-Disposition"] == "inline")
            #expect(try await anonymous.send("GET", url + "x").status == 404)
        }
    }

    @Test(
        arguments: [
            ["type": "look"], ["type": "view", "scope": "everybody"], ["type": 5], ["recipients": "me"], [],
            ["type": "view", "expirationDateTime": 7],
        ] as [Value])
    func `a link that Graph does not make is 400`(body: Value) async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let id = try await client.put("/me/drive/root:/me.txt:/content", "x").json["id"]?.string ?? ""
            #expect(try await client.send("POST", "/me/drive/items/\(id)/createLink", json: body).status == 400)
            #expect(sandbox.drive.first?.links == [])
        }
    }

    @Test func `an administrator can forbid links that everybody could open`() async throws {
        var settings = Sandbox.Settings()
        settings.allowsAnonymousLinks = false
        try await SandboxWay.inProcess.withSandbox(settings: settings) { (sandbox, client) async throws in
            let id = try await client.put("/me/drive/root:/me.txt:/content", "x").json["id"]?.string ?? ""
            let path = "/me/drive/items/\(id)/createLink"
            let refused = try await client.send("POST", path, json: ["type": "view", "scope": "anonymous"])
            #expect(refused.status == 403)
            #expect(refused.errorCode == "accessDenied")
            #expect(try await client.send("POST", path, json: ["type": "view"]).status == 201)
            #expect(sandbox.drive.first?.links.map(\.scope) == ["organization"])
        }
    }

    @Test func `a path whose slashes are encoded is a path`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let drive = try await client.get("/me/drive")["id"]?.string ?? ""
            let path = "/drives/\(drive)/items/root%3A%2Fa%2Fb.txt%3A/content"
            #expect(try await client.put(path, "x").status == 201)
            #expect(sandbox.drive.map(\.path) == ["a/b.txt"])
        }
    }

    @Test func `a link of nothing is 404`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let answer = try await client.send("POST", "/me/drive/items/01NONE/createLink", json: ["type": "view"])
            #expect(answer.status == 404)
            #expect(answer.errorCode == "itemNotFound")
        }
    }

    @Test(arguments: [
        "a%3Ab.txt", "a%3Fb", "%7E$temp.docx", "a%22b", "..", "a*b", "a%7Cb", "a%5Cb", "CON", "lpt3.txt", ".LOCK",
        "Desktop.ini", "a_vti_b", "a%20", "%7Efolder/a", "aux/a",
    ])
    func `a name that OneDrive does not take is 400`(name: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let answer = try await client.put("/me/drive/root:/folder/\(name):/content", "x")
            #expect(answer.status == 400)
            #expect(sandbox.drive.isEmpty)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `folders come with their files and go with them`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            _ = try await client.put("/me/drive/root:/a/b/c.txt:/content", "x")
            let folder = try await client.get("/me/drive/root:/a")
            #expect(folder["folder"]?["childCount"] == 1)
            #expect(try await client.get("/me/drive/root")["folder"]?["childCount"] == 1)
            let id = folder["id"]?.string ?? ""
            #expect(try await client.put("/me/drive/items/\(id):/d.txt:/content", "y").status == 201)
            #expect(sandbox.drive.map(\.path) == ["a/b/c.txt", "a/d.txt"])
            #expect(try await client.put("/me/drive/root:/a:/content", "z").status == 409)
            #expect(try await client.send("DELETE", "/me/drive/items/\(id)").status == 204)
            #expect(sandbox.drive.isEmpty)
            #expect(try await client.send("GET", "/me/drive/root:/a/b").status == 404)
        }
    }

    @Test func `each user has a drive, which its id names too`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            _ = try await client.put("/users/alexw@contoso.com/drive/root:/x.txt:/content", "x")
            #expect(sandbox.drive.map(\.owner) == ["alexw@contoso.com"])
            #expect(try await client.send("GET", "/me/drive/root:/x.txt").status == 404)
            let drive = try await client.get("/users/alexw@contoso.com/drive")
            #expect(drive["quota"]?["used"] == 1)
            let id = drive["id"]?.string ?? ""
            #expect(try await client.get("/drives/\(id)/root:/x.txt")["name"] == "x.txt")
        }
    }
}
