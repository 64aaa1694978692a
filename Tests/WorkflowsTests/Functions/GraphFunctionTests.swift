import Foundation
import Promises
import TestSupport
import Testing
import Workflows

struct GraphFunctionTests {
    @Test func `me is the signed-in user with an address`() async throws {
        let me = try await FunctionFixture(Sandbox()).call("me", nil)
        #expect(me["email"] == "megan@contoso.com")
        #expect(me["displayName"] == "Megan Bowen")
    }

    @Test func `another user is found by name, and one without mail by the name for signing in`() async throws {
        let user = try await FunctionFixture(Sandbox()).call(
            "me", ["user": "confroom@contoso.com", "select": ["mail"]])
        #expect(user["email"] == "confroom@contoso.com")
    }

    @Test func `what an expression did not find is not given`() async throws {
        let me = try await FunctionFixture(Sandbox()).call("me", ["user": nil, "select": nil])
        #expect(me["email"] == "megan@contoso.com")
    }

    @Test func `a photo is kept by its hash`() async throws {
        let fixture = FunctionFixture(Sandbox())
        let photo = try await fixture.call("photo", ["size": 48])
        let blob = try fixture.context.blobs.blob(photo)
        #expect(blob.contentType.hasPrefix("image/"))
        #expect(photo["size"] == .integer(try blob.bytes.count))
        #expect(photo["blob"] == .string("sha256:\(SHA256.hex(of: try blob.bytes))"))
    }

    @Test func `without a photo there is a problem with status 404`() async {
        let problem = await FunctionFixture(Sandbox(profile: .noPhoto)).problem("photo", [:])
        #expect(problem?["status"] == 404)
        #expect(problem?["type"] == "https://serverlessworkflow.io/spec/1.0.0/errors/communication")
        #expect(problem?["code"]?.string?.isEmpty == false)
    }

    @Test(arguments: [403, 500])
    func `a photo that fails otherwise keeps its status`(status: Int) async throws {
        let fault = try Sandbox.Fault(parsing: "GET /me/photo/$value \(status) x9")
        let problem = await FunctionFixture(Sandbox(faults: [fault])).problem("photo", [:])
        #expect(problem?["status"] == .integer(status))
    }

    @Test func `the default photo is built in or a file`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("p.gif", "GIF89a...")
        try folder.write("p.txt", "text")
        let fixture = FunctionFixture(Sandbox(), files: WorkflowFiles(folder: folder.url))
        #expect(try await fixture.call("defaultPhoto", nil) == Blob.defaultPhoto.value)
        #expect(try await fixture.call("defaultPhoto", ["file": "p.gif"])["contentType"] == "image/gif")
        #expect(await fixture.problem("defaultPhoto", ["file": "p.txt"])?["status"] == 400)
        let function = try #require(Catalog.default["defaultPhoto"])
        #expect(function.check(["file": "none.png"], files: fixture.context.files).count == 1)
        #expect(function.check(["file": "${ .file }"], files: fixture.context.files).isEmpty)
    }

    @Test func `content is a blob, a text or base64`() async throws {
        let sandbox = Sandbox()
        let fixture = FunctionFixture(sandbox)
        let blob = try await fixture.call("defaultPhoto", [:])
        _ = try await fixture.call("upload", ["path": "a.png", "content": blob])
        _ = try await fixture.call("upload", ["path": "b.txt", "content": "é"])
        _ = try await fixture.call("upload", ["path": "c.bin", "content": ["base64": "AAEC\n/w=="]])
        _ = try await fixture.call(
            "upload", ["path": "d.html", "content": "<p>", "contentType": "text/html", "conflictBehavior": "fail"])
        let items = sandbox.drive.filter { ["a.png", "b.txt", "c.bin", "d.html"].contains($0.name) }
        let contents = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.content) })
        #expect(try contents["a.png"] == Blob.defaultPhoto.bytes)
        #expect(contents["b.txt"] == Data("é".utf8))
        #expect(contents["c.bin"] == Data([0, 1, 2, 255]))
        #expect(items.first { $0.name == "a.png" }?.contentType == "image/png")
        #expect(items.first { $0.name == "d.html" }?.contentType == "text/html")
    }

    @Test(
        arguments: [
            ["path": "a"], ["path": "a", "content": 1], ["path": "a", "content": ["base64": "?"]],
            ["path": "a", "content": ["blob": "sha256:unknown"]], ["path": "a", "content": [:]],
            ["path": "a", "content": ["blob": "x", "base64": ""]], ["path": "../a", "content": ""],
            ["path": "a", "content": "", "conflictBehavior": "overwrite"], ["path": "a", "content": "", "extra": 1],
            ["content": ""], [], "text",
        ] as [Value])
    func `an upload that cannot be right is refused before anything is sent`(input: Value) async {
        let transport = ScriptedTransport()
        let problem = await FunctionFixture(transport: transport).problem("upload", input)
        #expect(problem?["type"] == "https://serverlessworkflow.io/spec/1.0.0/errors/validation")
        #expect(problem?["status"] == 400)
        #expect(transport.requests.isEmpty)
    }

    @Test func `a link opens the file`() async throws {
        let sandbox = Sandbox()
        let fixture = FunctionFixture(sandbox)
        let item = try await fixture.call("upload", ["path": "a.txt", "content": "a"])
        let link = try await fixture.call("createLink", ["itemId": try #require(item["id"]), "scope": "organization"])
        #expect(link["webUrl"]?.string?.hasPrefix("https://") == true)
        #expect(link["webUrl"] == link["link"]?["webUrl"])
        #expect(link["link"]?["scope"] == "organization")
        let again = try await fixture.call("createLink", ["itemId": try #require(item["id"]), "scope": "organization"])
        #expect(again["webUrl"] == link["webUrl"])
    }

    @Test func `mail goes out once, as it was written`() async throws {
        let sandbox = Sandbox()
        let fixture = FunctionFixture(sandbox)
        let photo = try await fixture.call("defaultPhoto", [:])
        let sent = try await fixture.call(
            "sendMail",
            [
                "to": "adelev@contoso.com", "cc": ["alexw@contoso.com"], "subject": "\"Hi\"\n",
                "body": ["contentType": "html", "content": "<p>é</p>"],
                "attachments": [
                    ["name": "me.png", "content": photo], ["name": "n.txt", "content": "x", "contentType": "text/csv"],
                ],
                "saveToSentItems": false,
            ])
        #expect(sent == ["status": "accepted"])
        let mail = try #require(sandbox.outbox.first)
        #expect(sandbox.outbox.count == 1)
        #expect(mail.to == ["adelev@contoso.com"])
        #expect(mail.cc == ["alexw@contoso.com"])
        #expect(mail.body == "<p>é</p>")
        #expect(mail.bodyType.lowercased() == "html")
        #expect(!mail.isSavedToSentItems)
        #expect(mail.attachments.map(\.contentType) == ["image/png", "text/csv"])
        #expect(try mail.attachments.first?.content == Blob.defaultPhoto.bytes)
    }

    @Test(
        arguments: [
            ["to": "a@x.com", "subject": "s"], ["to": [], "subject": "s", "body": "b"],
            ["to": "nobody", "subject": "s", "body": "b"], ["to": "a@x.com", "subject": "s", "body": ["html": "b"]],
            ["to": "a@x.com", "subject": "s", "body": ["contentType": "md", "content": "b"]],
            ["to": "a@x.com", "subject": "s", "body": ["content": ["base64": "/w=="]]],
            ["to": "a@x.com", "subject": "s", "body": "b", "attachments": [["name": "a"]]],
            [
                "to": "a@x.com", "subject": "s", "body": "b",
                "attachments": [["name": "a", "content": ["base64": "?"]]],
            ],
            ["to": "a@x.com", "subject": "s", "body": "b", "importance": "urgent"],
            ["to": "a@x.com", "subject": "s", "body": "b", "delivery": "carrier pigeon"],
            ["to": "a@x.com", "subject": "s", "body": "b", "delivery": "draft", "saveToSentItems": false],
            ["to": "a@x.com", "subject": "s", "body": "b", "saveToSentItems": "false"],
        ] as [Value])
    func `mail that cannot be right is refused before anything is sent`(input: Value) async {
        let transport = ScriptedTransport()
        let problem = await FunctionFixture(transport: transport).problem("sendMail", input)
        #expect(problem?["type"] == "https://serverlessworkflow.io/spec/1.0.0/errors/validation")
        #expect(transport.requests.isEmpty)
    }

    @Test func `addresses that are written down are checked before anything runs`() throws {
        let function = try #require(Catalog.default["sendMail"])
        let files = WorkflowFiles(folder: nil)
        let findings = function.check(["to": "${ .to }", "cc": ["a@x.com", "nobody"]], files: files)
        #expect(findings.map(\.pointer) == [JSONPointer(["cc", "1"])])
    }

    @Test(arguments: Sandbox.Profile.allCases)
    func `the chain survives every kind of trouble, and sends one mail`(profile: Sandbox.Profile) async throws {
        let sandbox = Sandbox(profile: profile)
        let fixture = FunctionFixture(sandbox)
        let photo =
            profile == .noPhoto
            ? try await fixture.call("defaultPhoto", [:]) : try await fixture.call("photo", [:])
        let item = try await fixture.call("upload", ["path": "me.jpg", "content": photo])
        let link = try await fixture.call("createLink", ["itemId": try #require(item["id"])])
        _ = try await fixture.call(
            "sendMail",
            [
                "to": "megan@contoso.com", "subject": "s", "body": try #require(link["webUrl"]),
                "attachments": [["name": "me.jpg", "content": photo]],
            ])
        #expect(sandbox.outbox.count == 1)
        #expect(sandbox.outbox.first?.deliveries == 1)
        #expect(sandbox.outbox.first?.attachments.first?.content == (try fixture.context.blobs.blob(photo).bytes))
    }
}
