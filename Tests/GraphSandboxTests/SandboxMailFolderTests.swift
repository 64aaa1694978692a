import Foundation
import TestSupport
import Testing
import GraphSandbox

/// Folders of a mailbox, and the ways of messages between them.
@Suite struct SandboxMailFolderTests {
    private func create(_ client: SandboxClient, _ path: String, _ name: String) async throws -> String {
        let answer = try await client.send("POST", path, json: ["displayName": .string(name)])
        #expect(answer.status == 201)
        return try #require(answer.json["id"]?.string)
    }

    private func names(_ client: SandboxClient, _ path: String) async throws -> [String] {
        try await client.get(path)["value"]?.array?.compactMap { $0["displayName"]?.string } ?? []
    }

    @Test func `folders are created, named and found in folders`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let outer = try await create(client, "/me/mailFolders", "Projects")
            let inner = try await create(client, "/me/mailFolders/\(outer)/childFolders", "Projects")
            #expect(
                try await names(client, "/me/mailFolders?$top=20") == [
                    "Archive", "Deleted Items", "Drafts", "Inbox", "Junk Email", "Outbox", "Projects", "Sent Items",
                ])
            #expect(try await names(client, "/me/mailFolders?$filter=displayName eq 'Projects'") == ["Projects"])
            #expect(try await client.get("/me/mailFolders/\(outer)")["childFolderCount"] == 1)
            #expect(try await client.get("/me/mailFolders/\(inner)")["parentFolderId"] == .string(outer))
            let taken = try await client.send("POST", "/me/mailFolders", json: ["displayName": "PROJECTS"])
            #expect(taken.status == 409)
            #expect(taken.errorCode == "ErrorFolderExists")
            _ = try await client.send("PATCH", "/me/mailFolders/\(outer)", json: ["displayName": "Old"])
            #expect(try await client.get("/me/mailFolders/\(outer)")["displayName"] == "Old")
            #expect(try await client.send("PATCH", "/me/mailFolders/inbox", json: ["displayName": "x"]).status == 501)
            let others = try await client.send("GET", "/users/adelev@contoso.com/mailFolders/\(outer)")
            #expect(others.status == 404)
        }
    }

    @Test func `a message moves with a new id, and a copy has its own`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let folder = try await create(client, "/me/mailFolders", "Projects")
            let draft = try await client.send("POST", "/me/messages", json: ["subject": "Moving"])
            let id = try #require(try draft.json["id"]?.string)
            let copy = try await client.send(
                "POST", "/me/messages/\(id)/copy", json: ["destinationId": .string(folder)])
            #expect(copy.status == 201)
            let moved = try await client.send(
                "POST", "/me/messages/\(id)/move", json: ["destinationId": "archive"])
            #expect(moved.status == 201)
            let ids = Set([id, try copy.json["id"]?.string, try moved.json["id"]?.string])
            #expect(ids.count == 3)
            #expect(try await client.send("GET", "/me/messages/\(id)").status == 404)
            for place in [folder, "archive"] {
                let found = try await client.get("/me/mailFolders/\(place)/messages")["value"]?.array
                #expect(found?.map { $0["subject"] } == ["Moving"])
                #expect(found?.map { $0["isDraft"] } == [true])
            }
            #expect(
                try await client.send("POST", "/me/messages/\(id)/move", json: ["destinationId": "x"]).status == 404)
        }
    }

    @Test func `a folder goes to Deleted Items first, and then for good with what is in it`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let outer = try await create(client, "/me/mailFolders", "Projects")
            let inner = try await create(client, "/me/mailFolders/\(outer)/childFolders", "2026")
            let message = try await client.send(
                "POST", "/me/mailFolders/\(inner)/messages", json: ["subject": "Inside"])
            let id = try #require(try message.json["id"]?.string)
            #expect(try await client.send("DELETE", "/me/mailFolders/\(outer)").status == 204)
            #expect(try await names(client, "/me/mailFolders/deleteditems/childFolders") == ["Projects"])
            #expect(try await client.get("/me/messages/\(id)")["subject"] == "Inside")
            #expect(try await client.send("DELETE", "/me/mailFolders/\(outer)").status == 204)
            for path in ["/me/mailFolders/\(outer)", "/me/mailFolders/\(inner)", "/me/messages/\(id)"] {
                #expect(try await client.send("GET", path).status == 404, "\(path)")
            }
            _ = try await create(client, "/me/mailFolders", "Projects")
        }
    }

    @Test func `a drafted reply quotes what it answers, with its text escaped`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let body: Value = ["contentType": "html", "content": "<b>Figures</b>"]
            let draft = try await client.send("POST", "/me/messages", json: ["subject": "Q4", "body": body])
            let id = try #require(try draft.json["id"]?.string)
            let reply = try await client.send("POST", "/me/messages/\(id)/createReply", json: ["comment": "1 < 2"])
            #expect(reply.status == 201)
            let made = try reply.json
            #expect(made["subject"] == "RE: Q4")
            #expect(made["isDraft"] == true)
            #expect(made["body"]?["contentType"] == "html")
            let content = try #require(made["body"]?["content"]?.string)
            #expect(content == "<html><body><div>1 &lt; 2</div><hr><b>Figures</b></body></html>")
            #expect(sandbox.outbox.isEmpty)
            let address = try #require(made["id"]?.string)
            #expect(try await client.send("POST", "/me/messages/\(address)/send").status == 202)
            #expect(sandbox.outbox.map(\.subject) == ["RE: Q4"])
        }
    }

    @Test func `a search finds words by their beginnings`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            for subject in ["Page 7", "Page 17", "Homepage 7"] {
                _ = try await client.send("POST", "/me/messages", json: ["subject": .string(subject)])
            }
            let found = try await client.get("/me/messages?$search=\"'pag 7'\"")["value"]?.array
            #expect(found?.map { $0["subject"] } == ["Page 7"])
        }
    }
}
