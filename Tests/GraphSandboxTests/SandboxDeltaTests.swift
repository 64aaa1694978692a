import Foundation
import GraphSandbox
import TestSupport
import Testing

/// A client that follows the links of a delta query.
struct DeltaReader {
    let client: SandboxClient
    var headers: HTTPHeaders = [:]
    var link = ""

    init(_ client: SandboxClient, _ path: String, headers: HTTPHeaders = [:]) {
        self.client = client
        self.headers = headers
        link = path
    }

    /// Reads pages until one ends the round.
    mutating func round(most: Int = 2_000) async throws -> [Value] {
        var items: [Value] = []
        for _ in 0..<most {
            let answer = try await client.send("GET", link, headers: headers)
            try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            let page = try answer.json
            items += page["value"]?.array ?? []
            link = try #require((page["@odata.nextLink"] ?? page["@odata.deltaLink"])?.string)
            if page["@odata.deltaLink"] != nil { return items }
        }
        Issue.record("the round does not end")
        return items
    }
}

extension Value {
    fileprivate var isRemoved: Bool { self["@removed"] != nil || self["deleted"] != nil }
    fileprivate var id: String { self["id"]?.string ?? "" }
}

private let immutable: HTTPHeaders = ["Prefer": "IdType=\"ImmutableId\""]
private let inbox = "/me/mailFolders/inbox/messages/delta"

/// Delta queries of mailboxes.
@Suite struct SandboxDeltaTests {
    static let names = ["Grüße 🎉", "100 % \"sure\" ‹x›", "", String(repeating: "ü", count: 10_000)]

    private func message(
        _ client: SandboxClient, _ subject: String, in folder: String = "inbox"
    ) async throws -> Value {
        let answer = try await client.send(
            "POST", "/me/mailFolders/\(folder)/messages", json: ["subject": .string(subject)])
        #expect(answer.status == 201)
        return try answer.json
    }

    @Test(arguments: SandboxWay.allCases)
    func `messages are reported once, in pages, and in the latest state only`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            for name in Self.names { _ = try await message(client, name) }
            var reader = DeltaReader(client, inbox, headers: ["Prefer": "odata.maxpagesize=3"])
            let first = try await client.send("GET", inbox, headers: ["Prefer": "odata.maxpagesize=3"])
            #expect(first.headers["Preference-Applied"] == "odata.maxpagesize=3")
            #expect(try first.json["value"]?.array?.count == 3)
            #expect(try first.json["@odata.context"]?.string?.hasSuffix("$metadata#Collection(message)") == true)
            let all = try await reader.round()
            #expect(all.map { $0["subject"]?.string } == Self.names)
            #expect(try await reader.round().isEmpty)
            let id = all[0].id
            for category in ["A", "B"] {
                let change: Value = ["categories": [.string(category)], "@odata.type": "#microsoft.graph.message"]
                #expect(try await client.send("PATCH", "/me/messages/\(id)", json: change).status == 200)
            }
            let changed = try await reader.round()
            #expect(changed.map { $0["categories"] } == [["B"]])
            #expect(changed[0]["@odata.etag"] != all[0]["@odata.etag"])
            #expect(changed[0]["changeKey"] != all[0]["changeKey"])
            let shown = try await client.get("/me/messages/\(id)")
            #expect(shown["@odata.etag"] == changed[0]["@odata.etag"], "reading changes nothing")
        }
    }

    @Test func `a message that comes and goes between two rounds is never reported`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            var reader = DeltaReader(client, inbox)
            _ = try await reader.round()
            let short = try await message(client, "short")
            _ = try await client.send("POST", "/me/messages/\(short.id)/move", json: ["destinationId": "archive"])
            #expect(try await reader.round().isEmpty)
        }
    }

    @Test func `a moved message has a new id in its new folder`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let made = try await message(client, "moving")
            var old = DeltaReader(client, inbox)
            var new = DeltaReader(client, "/me/mailFolders/archive/messages/delta()")
            #expect(try await old.round().map(\.id) == [made.id])
            #expect(try await new.round().isEmpty)
            let moved = try await client.send(
                "POST", "/me/messages/\(made.id)/move", json: ["destinationId": "archive"])
            #expect(
                try await old.round() == [
                    [
                        "@odata.type": "#microsoft.graph.message", "id": .string(made.id),
                        "@removed": ["reason": "deleted"],
                    ]
                ])
            let arrived = try await new.round()
            #expect(try arrived.map(\.id) == [moved.json.id])
            #expect(arrived[0].id != made.id)
        }
    }

    @Test func `with immutable ids, a moved message keeps its id, and links demand the same preference`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let made = try await message(client, "moving")
            var old = DeltaReader(client, inbox, headers: immutable)
            var new = DeltaReader(client, "/me/mailFolders/archive/messages/delta", headers: immutable)
            let id = try #require(try await old.round().first?.id)
            #expect(id != made.id)
            #expect(try await new.round().isEmpty)
            _ = try await client.send("POST", "/me/messages/\(id)/move", json: ["destinationId": "archive"])
            #expect(try await old.round().map { [$0.id, "\($0.isRemoved)"] } == [[id, "true"]])
            #expect(try await new.round().map { [$0.id, "\($0.isRemoved)"] } == [[id, "false"]])
            let other = try await client.send("GET", old.link)
            #expect(other.status == 410)
            #expect(other.errorCode == "SyncStateInvalid")
        }
    }

    @Test(arguments: ["created", "updated", "deleted"])
    func `changeType leaves one kind of changes`(kind: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let kept = try await message(client, "kept")
            let gone = try await message(client, "gone")
            var reader = DeltaReader(client, inbox + "?changeType=\(kind)")
            #expect(try await reader.round().count == (kind == "created" ? 2 : 0))
            let new = try await message(client, "new")
            _ = try await client.send("PATCH", "/me/messages/\(kept.id)", json: ["importance": "high"])
            _ = try await client.send("DELETE", "/me/messages/\(gone.id)")
            let expected = ["created": new.id, "updated": kept.id, "deleted": gone.id][kind]
            #expect(try await reader.round().map(\.id) == [expected])
            #expect(try await client.send("GET", inbox + "?changeType=moved").status == 400)
        }
    }

    @Test func `select and a filter by time are kept in the links`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let made = try await message(client, "now")
            var future = DeltaReader(client, inbox + "?$filter=receivedDateTime%20ge%202030-01-01T00:00:00Z")
            #expect(try await future.round().isEmpty)
            var past = DeltaReader(
                client, inbox + "?$filter=receivedDateTime%20ge%202020-01-01T00:00:00Z&$select=subject")
            #expect(
                try await past.round().first?.object?.keys.sorted() == ["@odata.etag", "@odata.type", "id", "subject"])
            _ = try await client.send("DELETE", "/me/messages/\(made.id)")
            #expect(try await past.round().map(\.isRemoved) == [true])
            for query in [
                "$filter=subject%20eq%20'x'", "$search=%22x%22", "$filter=receivedDateTime%20le%202020-01-01",
            ] {
                #expect(try await client.send("GET", "\(inbox)?\(query)").status >= 400, "\(query)")
            }
        }
    }

    @Test func `forged and foreign tokens are refused`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            var reader = DeltaReader(client, inbox)
            _ = try await reader.round()
            let token = try #require(reader.link.split(separator: "=").last.map(String.init))
            #expect(token.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil)
            let forged = (token.first == "A" ? "B" : "A") + token.dropFirst()
            for bad in [forged, "x", String(token.reversed()), "latest", "%F0%9F%8E%89"] {
                let answer = try await client.send("GET", "\(inbox)?$deltatoken=\(bad)")
                #expect(answer.status == 410, "\(bad)")
                #expect(answer.errorCode == "SyncStateInvalid")
                var fresh = DeltaReader(client, try #require(answer.headers["Location"]))
                #expect(try await fresh.round().isEmpty)
            }
            let drafts = "/me/mailFolders/drafts/messages/delta?$deltatoken=\(token)"
            #expect(try await client.send("GET", drafts).errorCode == "SyncStateNotFound")
            let others = "/users/adelev@contoso.com/mailFolders/inbox/messages/delta?$deltatoken=\(token)"
            #expect(try await client.send("GET", others).errorCode == "SyncStateNotFound")
            for path in ["/users/delta?$deltatoken=\(token)", "/me/drive/root/delta?token=\(token)"] {
                #expect(try await client.send("GET", path).status == 400, "\(path)")
            }
            sandbox.reset()
            #expect(try await client.send("GET", reader.link).status == 410)
            #expect(try await client.send("GET", "/me/mailFolders/AQMkADx/messages/delta").status == 404)
            #expect(try await client.send("POST", inbox, json: [:]).status == 405)
        }
    }

    @Test func `an item that is deleted between two pages is reported as removed`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let one = try await message(client, "one")
            _ = try await message(client, "two")
            var reader = DeltaReader(client, inbox, headers: ["Prefer": "odata.maxpagesize=1"])
            let first = try await client.send("GET", inbox, headers: reader.headers)
            reader.link = try #require(try first.json["@odata.nextLink"]?.string)
            _ = try await client.send("DELETE", "/me/messages/\(one.id)")
            #expect(try await reader.round().map(\.isRemoved) == [false, true])
        }
    }

    @Test func `mail arrives in the inboxes of the sandbox's users`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            var mine = DeltaReader(client, inbox)
            var hers = DeltaReader(client, "/users/adelev@contoso.com/mailFolders/inbox/messages/delta")
            var sent = DeltaReader(client, "/me/mailFolders/sentitems/messages/delta")
            var drafts = DeltaReader(client, "/me/mailFolders/drafts/messages/delta")
            for place in 0..<4 {
                var reader = [mine, hers, sent, drafts][place]
                _ = try await reader.round()
                switch place {
                case 0: mine = reader
                case 1: hers = reader
                case 2: sent = reader
                default: drafts = reader
                }
            }
            let to: Value = [
                ["emailAddress": ["address": "ADELEV@contoso.com"]], ["emailAddress": ["address": "megan@contoso.com"]],
                ["emailAddress": ["address": "someone@example.com"]],
            ]
            let body: Value = [
                "message": [
                    "subject": "Grüße 🎉", "toRecipients": to, "body": ["contentType": "html", "content": "<b>%</b>"],
                    "bccRecipients": [["emailAddress": ["address": "adelev@contoso.com"]]],
                ]
            ]
            #expect(try await client.send("POST", "/me/sendMail", json: body).status == 202)
            for received in [try await mine.round(), try await hers.round()] {
                #expect(received.map { $0["subject"] } == ["Grüße 🎉"])
                #expect(received[0]["isRead"] == false)
                #expect(received[0]["isDraft"] == false)
                #expect(received[0]["bccRecipients"] == [])
                #expect(received[0]["from"]?["emailAddress"]?["name"] == "Megan Bowen")
                #expect(received[0]["body"] == ["contentType": "html", "content": "<b>%</b>"])
            }
            #expect(try await sent.round().count == 1)
            #expect(try await drafts.round().isEmpty)
        }
    }

    @Test func `folders and events are reported`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            var folders = DeltaReader(client, "/me/mailFolders/delta")
            #expect(try await folders.round().count == 7)
            let made = try await client.send("POST", "/me/mailFolders", json: ["displayName": "Prüfung % 🎉"])
            let id = try made.json.id
            #expect(try await folders.round().map { $0["displayName"] } == ["Prüfung % 🎉"])
            _ = try await client.send("DELETE", "/me/mailFolders/\(id)")
            let parent = try await client.get("/me/mailFolders/deleteditems")["id"]
            #expect(try await folders.round().map { $0["parentFolderId"] } == [parent])
            _ = try await client.send("DELETE", "/me/mailFolders/\(id)")
            #expect(try await folders.round().map { [$0.id, "\($0.isRemoved)"] } == [[id, "true"]])

            let view = "/me/calendarView/delta?startDateTime=2026-01-01T00:00:00Z&endDateTime=2026-02-01T00:00:00Z"
            var events = DeltaReader(client, view)
            func event(_ day: String) async throws -> String {
                let time: Value = ["dateTime": .string("\(day)T10:00:00"), "timeZone": "UTC"]
                let end: Value = ["dateTime": .string("\(day)T11:00:00"), "timeZone": "UTC"]
                let body: Value = ["subject": "\"Planning\" 🎉", "start": time, "end": end]
                return try await client.send("POST", "/me/events", json: body).json.id
            }
            #expect(try await events.round().isEmpty)
            let inside = try await event("2026-01-15")
            let outside = try await event("2026-03-15")
            let found = try await events.round()
            #expect(found.map(\.id) == [inside])
            #expect(found[0]["changeKey"] != nil)
            _ = try await client.send("PATCH", "/me/events/\(inside)", json: ["subject": ""])
            #expect(try await events.round().map { $0["subject"] } == [""])
            _ = try await client.send("DELETE", "/me/events/\(outside)")
            _ = try await client.send("DELETE", "/me/events/\(inside)")
            #expect(try await events.round().last { $0.id == inside }?.isRemoved == true)
            #expect(try await client.send("GET", "/me/calendarView/delta").status == 400)
            #expect(try await client.send("GET", view + "&$select=subject").status == 400)
        }
    }

    @Test func `ten thousand changes are read, and a hundred quiet rounds`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            for number in 0..<10_000 { _ = try await message(client, "\(number)") }
            var reader = DeltaReader(client, inbox, headers: ["Prefer": "odata.maxpagesize=1000"])
            #expect(try await reader.round().count == 10_000)
            for _ in 0..<100 { #expect(try await reader.round().isEmpty) }
        }
    }
}
