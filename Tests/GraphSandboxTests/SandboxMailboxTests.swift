import Foundation
import Promises
import TestSupport
import Testing
import GraphSandbox
import MicrosoftGraph

/// Drafts, sent messages and attachments.
@Suite struct SandboxMailboxTests {
    private static let immutable: HTTPHeaders = ["Prefer": "IdType=\"ImmutableId\""]

    private static let draft: Value = [
        "subject": "My photo", "body": ["contentType": "html", "content": "<p>Hello, Adele</p>"],
        "toRecipients": [["emailAddress": ["address": "adelev@contoso.com"]]],
        "internetMessageHeaders": [["name": "x-run", "value": "1"]],
    ]

    @Test(arguments: SandboxWay.allCases)
    func `a draft is made, changed, read and sent`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let made = try await client.send("POST", "/me/messages", json: Self.draft)
            #expect(made.status == 201)
            let message = try made.json
            let id = try #require(message["id"]?.string)
            #expect(message["isDraft"] == true)
            #expect(message["bodyPreview"] == "Hello, Adele")
            #expect(message["internetMessageId"]?.string?.hasSuffix("@contoso.com>") == true)
            #expect(message["internetMessageHeaders"] == nil)
            let changed = try await client.send("PATCH", "/me/messages/\(id)", json: ["subject": "Another"])
            #expect(changed.status == 200)
            #expect(try changed.json["subject"] == "Another")
            #expect(try changed.json["changeKey"] != message["changeKey"])
            let shown = try await client.get("/me/messages/\(id)?$select=subject,internetMessageHeaders,isDraft")
            #expect(shown["internetMessageHeaders"]?[0]?["name"] == "x-run")
            #expect(shown.object?.keys.contains("body") == false)
            #expect(sandbox.outbox.isEmpty)
            let sent = try await client.send("POST", "/me/messages/\(id)/send", body: Data())
            #expect(sent.status == 202)
            #expect(sent.body.isEmpty)
            let mail = try #require(sandbox.outbox.first)
            #expect(mail.subject == "Another")
            #expect(mail.to == ["adelev@contoso.com"])
            #expect(mail.isSavedToSentItems)
            #expect(.string(mail.internetMessageID) == message["internetMessageId"])
            #expect(sandbox.outbox.count == 1)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `an ordinary id changes when a message is sent, an immutable one stays`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let made = try await client.send("POST", "/me/messages", headers: Self.immutable, json: Self.draft)
            #expect(made.headers["Preference-Applied"] == "IdType=\"ImmutableId\"")
            let id = try #require(try made.json["id"]?.string)
            let ordinary = try #require(try await client.get("/me/messages/\(id)")["id"]?.string)
            #expect(ordinary != id)
            let drafts = try await client.get("/me/mailFolders/drafts")["id"]
            #expect(try made.json["parentFolderId"] == drafts)
            #expect(try await client.send("POST", "/me/messages/\(id)/send").status == 202)
            let sent = try await client.get("/me/messages/\(id)", headers: Self.immutable)
            #expect(sent["id"] == .string(id))
            #expect(sent["isDraft"] == false)
            #expect(sent["parentFolderId"] == (try await client.get("/me/mailFolders/SentItems")["id"]))
            let gone = try await client.send("GET", "/me/messages/\(ordinary)")
            #expect(gone.status == 404)
            #expect(gone.errorCode == "ErrorItemNotFound")
            #expect(try await client.send("GET", "/me/messages/\(id.lowercased())").status == 404)
            #expect(try await client.send("GET", "/users/adelev@contoso.com/messages/\(id)").status == 404)
        }
    }

    @Test func `Sent Items fill after a while, and between the folders a message is nowhere`() async throws {
        let clock = Locked(Date(timeIntervalSince1970: 1_790_000_000))
        var settings = Sandbox.Settings()
        settings.sentItemsDelay = .seconds(10)
        let sandbox = Sandbox(settings: settings, now: { clock.withLock { $0 } })
        let client = SandboxClient(transport: sandbox.transport, base: Sandbox.baseURL)
        let made = try await client.send("POST", "/me/messages", headers: Self.immutable, json: Self.draft)
        let id = try #require(try made.json["id"]?.string)
        #expect(try await client.send("POST", "/me/messages/\(id)/send").status == 202)
        #expect(sandbox.outbox.count == 1)
        let path = "/me/messages/\(id)?$select=isDraft"
        #expect(try await client.get(path)["isDraft"] == true)
        clock.withLock { $0 += 6 }
        #expect(try await client.send("GET", path).status == 404)
        #expect(try await client.get("/me/messages")["value"] == [])
        clock.withLock { $0 += 4 }
        #expect(try await client.get(path)["isDraft"] == false)
        let messageID = try #require(
            sandbox.outbox[0].internetMessageID.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let filter = "internetMessageId%20eq%20'\(messageID)'"
        for (folder, count) in [("sentitems", 1), ("drafts", 0)] {
            let found = try await client.get(
                "/me/mailFolders/\(folder)/messages?$filter=\(filter)&$select=subject&$top=5")
            #expect(found["value"]?.array?.count == count)
        }
    }

    @Test func `sending a draft again before it has moved is a second delivery`() async throws {
        var settings = Sandbox.Settings()
        settings.sentItemsDelay = .seconds(10)
        try await SandboxWay.inProcess.withSandbox(settings: settings) { (sandbox, client) async throws in
            let id = try await client.send("POST", "/me/messages", json: Self.draft).json["id"]?.string ?? ""
            for _ in 0..<2 { #expect(try await client.send("POST", "/me/messages/\(id)/send").status == 202) }
            #expect(sandbox.outbox.map(\.deliveries) == [2, 2])
        }
    }

    @Test func `what sendMail saves is in Sent Items, too`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            for isSaved in [true, false] {
                let mail: Value = ["message": Self.draft, "saveToSentItems": .bool(isSaved)]
                #expect(try await client.send("POST", "/me/sendMail", json: mail).status == 202)
            }
            let sent = try await client.get("/me/mailFolders/sentitems/messages?$count=true")
            #expect(sent["@odata.count"] == 1)
            #expect(sent["value"]?[0]?["internetMessageId"] == .string(sandbox.outbox[0].internetMessageID))
            #expect(sandbox.outbox.map(\.deliveries) == [2, 2])
        }
    }

    @Test func `a draft without a good recipient is kept and not sent`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            for recipients in [[], [["emailAddress": ["address": "nobody"]]]] as [Value] {
                let made = try await client.send("POST", "/me/messages", json: ["toRecipients": recipients])
                #expect(made.status == 201)
                let id = try #require(try made.json["id"]?.string)
                let refused = try await client.send("POST", "/me/messages/\(id)/send")
                #expect(refused.status == 400)
                #expect(refused.errorCode == "ErrorInvalidRecipients")
                #expect(try await client.get("/me/messages/\(id)")["isDraft"] == true)
            }
            #expect(sandbox.outbox.isEmpty)
        }
    }

    @Test func `what is deleted lies in Deleted Items, and then nowhere`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let made = try await client.send("POST", "/me/messages", headers: Self.immutable, json: Self.draft)
            let id = try made.json["id"]?.string ?? ""
            #expect(try await client.send("DELETE", "/me/messages/\(id)").status == 204)
            #expect(try await client.get("/me/mailFolders/deleteditems/messages")["value"]?.array?.count == 1)
            #expect(try await client.send("DELETE", "/me/messages/\(id)").status == 204)
            #expect(try await client.send("GET", "/me/messages/\(id)").status == 404)
        }
    }

    @Test func `messages are listed in pages, newest first`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            for number in 1...12 {
                _ = try await client.send("POST", "/me/messages", json: ["subject": .string("Mail \(number)")])
            }
            var subjects: [String] = []
            var next: String? = "/me/messages?$top=5&$select=subject"
            while let path = next {
                let page = try await client.get(path)
                subjects += page["value"]?.array?.compactMap { $0["subject"]?.string } ?? []
                next = page["@odata.nextLink"]?.string
            }
            #expect(subjects == (1...12).reversed().map { "Mail \($0)" })
            #expect(try await client.get("/me/messages")["value"]?.array?.count == 10)
            for query in ["$top=1001", "$top=x", "$skip=-1", "$orderby=shoeSize", "$filter=shoeSize%20eq%201"] {
                #expect(try await client.send("GET", "/me/messages?\(query)").status == 400)
            }
        }
    }

    @Test(arguments: [
        ("isDraft%20eq%20true", 2), ("subject%20eq%20'one'%20and%20not(isDraft%20eq%20false)", 1),
        ("startswith(subject,'O')", 1), ("contains(subject,'W')", 1), ("subject%20in%20('one','two')", 2),
        ("from/emailAddress/address%20eq%20'megan@contoso.com'", 2), ("sentDateTime%20gt%202030-01-01T00:00:00Z", 0),
        ("createdDateTime%20le%202030-01-01T00:00:00Z", 2),
    ])
    func `messages are found by a filter`(filter: String, count: Int) async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            _ = try await client.send(
                "POST", "/me/messages",
                json: ["subject": "one"])
            _ = try await client.send("POST", "/me/messages", json: ["subject": "two"])
            let found = try await client.get("/me/messages?$filter=\(filter)")
            #expect(found["value"]?.array?.count == count)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a small attachment is added, read and removed`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let id = try await client.send("POST", "/me/messages", json: Self.draft).json["id"]?.string ?? ""
            let path = "/me/messages/\(id)/attachments"
            let file: Value = [
                "@odata.type": "#microsoft.graph.fileAttachment", "name": "a.txt", "contentBytes": "aGVsbG8=",
            ]
            let added = try await client.send("POST", path, json: file)
            #expect(added.status == 201)
            #expect(try added.json["size"] == 5)
            let attachment = try #require(try added.json["id"]?.string)
            #expect(try await client.get(path)["value"]?[0]?["contentBytes"] == "aGVsbG8=")
            #expect(try await client.get("/me/messages/\(id)")["hasAttachments"] == true)
            #expect(try await client.get("/me/messages/\(id)?$expand=attachments")["attachments"]?.array?.count == 1)
            #expect(try await client.send("GET", "\(path)/\(attachment)/$value").body == Data("hello".utf8))
            #expect(try await client.send("POST", path, json: file).status == 201)
            #expect(try await client.send("DELETE", "\(path)/\(attachment)").status == 204)
            #expect(try await client.send("GET", "\(path)/\(attachment)").status == 404)
            #expect(try await client.send("POST", "/me/messages/\(id)/send").status == 202)
            #expect(sandbox.outbox.first?.attachments.map(\.content) == [Data("hello".utf8)])
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a large attachment comes in ranges as Outlook takes them`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let content = Data((0..<9_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            let id = try await client.send("POST", "/me/messages", json: Self.draft).json["id"]?.string ?? ""
            let opened = try await client.send(
                "POST", "/me/messages/\(id)/attachments/createUploadSession",
                json: [
                    "AttachmentItem": ["attachmentType": "file", "name": "a.bin", "size": .integer(content.count)]
                ])
            #expect(opened.status == 201)
            #expect(try opened.json["nextExpectedRanges"] == ["0-"])
            let expires = try opened.json["expirationDateTime"]
            let url = try #require(try opened.json["uploadUrl"]?.string)
            #expect(try await client.send("GET", url).status == 401)
            func put(_ range: Range<Int>) async throws -> HTTPResponse {
                try await client.withoutToken.send(
                    "PUT", url,
                    headers: [
                        "Content-Type": "application/octet-stream",
                        "Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)",
                    ], body: content[range])
            }
            #expect(try await put(0..<4_194_305).status == 400)
            let first = try await put(0..<4_194_304)
            #expect(first.status == 200)
            #expect(try first.json["nextExpectedRanges"] == ["4194304"])
            #expect(try first.json["expirationDateTime"] == expires)
            #expect(try await put(4_194_304..<8_000_000).status == 200)
            let last = try await put(8_000_000..<content.count)
            #expect(last.status == 201)
            #expect(last.body.isEmpty)
            #expect(last.headers["Location"]?.hasPrefix("https://outlook.office.com/") == true)
            #expect(try await client.withoutToken.send("GET", url).status == 404)
            #expect(try await client.send("POST", "/me/messages/\(id)/send").status == 202)
            #expect(sandbox.outbox.first?.attachments.map(\.content) == [content])
        }
    }

    @Test(
        arguments: [
            (["attachmentType": "file", "name": "a", "size": 2_999_999], "MinimumSize"),
            (["attachmentType": "file", "name": "a", "size": 157_286_401], "ErrorAttachmentSizeLimitExceeded"),
            (["attachmentType": "item", "name": "a", "size": 4_000_000], "ErrorInvalidParameter"),
            (["attachmentType": "file", "size": 4_000_000], "ErrorInvalidParameter"),
        ] as [(Value, String)])
    func `an attachment that is no large file gets no session`(item: Value, code: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let id = try await client.send("POST", "/me/messages", json: Self.draft).json["id"]?.string ?? ""
            let refused = try await client.send(
                "POST", "/me/messages/\(id)/attachments/createUploadSession", json: ["AttachmentItem": item])
            #expect(refused.status == 400)
            #expect(refused.errorCode?.hasSuffix(code) == true)
        }
    }

    @Test func `a request of more than 4 MB is 413 for drafts and attachments, too`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let id = try await client.send("POST", "/me/messages", json: Self.draft).json["id"]?.string ?? ""
            let text = Value.string(String(repeating: "x", count: 4_300_000))
            #expect(try await client.send("POST", "/me/messages", json: ["subject": text]).status == 413)
            #expect(try await client.send("PATCH", "/me/messages/\(id)", json: ["subject": text]).status == 413)
            let large: Value = [
                "@odata.type": "#microsoft.graph.fileAttachment", "name": "a", "contentBytes": text,
            ]
            #expect(try await client.send("POST", "/me/messages/\(id)/attachments", json: large).status == 413)
        }
    }

    @Test func `a message that was sent takes no other subject and no attachment`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let made = try await client.send("POST", "/me/messages", headers: Self.immutable, json: Self.draft)
            let id = try made.json["id"]?.string ?? ""
            _ = try await client.send("POST", "/me/messages/\(id)/send")
            #expect(try await client.send("PATCH", "/me/messages/\(id)", json: ["subject": "x"]).status == 400)
            #expect(try await client.send("PATCH", "/me/messages/\(id)", json: ["isRead": false]).status == 200)
            let file: Value = [
                "@odata.type": "#microsoft.graph.fileAttachment", "name": "a.txt", "contentBytes": "aGVsbG8=",
            ]
            #expect(try await client.send("POST", "/me/messages/\(id)/attachments", json: file).status == 400)
        }
    }
}
