import Foundation
import GraphSandbox
import Promises
import TestSupport
import Testing

/// Searching messages, messages in MIME, replies and forwards.
struct SandboxReplyTests {
    private let sandbox = Sandbox()
    private var client: SandboxClient { SandboxClient(transport: sandbox.transport, base: Sandbox.baseURL) }

    /// The id of a new draft.
    private func draft(_ subject: String, _ body: String, to address: String = "adelev@contoso.com") async throws
        -> String
    {
        let message: Value = [
            "subject": .string(subject), "body": ["contentType": "text", "content": .string(body)],
            "toRecipients": [["emailAddress": ["address": .string(address), "name": "Adèle"]]],
        ]
        return try #require(try await client.send("POST", "/me/messages", json: message).json["id"]?.string)
    }

    @Test(
        arguments: [
            ("invoice", ["Invoice"]), ("subject:invoice", ["Invoice"]), ("subject:may", []),
            ("may invoice", ["Invoice"]),
            ("to:alexw", ["Other"]), ("nothing", []), ("e", []), ("ad", ["Other", "Invoice"]),
        ] as [(String, [String])])
    func `a search finds words and properties`(text: String, subjects: [String]) async throws {
        _ = try await draft("Invoice", "of May")
        _ = try await draft("Other", "text", to: "alexw@contoso.com")
        let query = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let found = try await client.get("/me/messages?$search=%22\(query)%22&$select=subject")
        #expect(found["value"]?.array?.compactMap { $0["subject"]?.string }.sorted() == subjects.sorted())
    }

    @Test(arguments: ["$filter=isDraft%20eq%20true", "$orderby=subject"])
    func `a search takes no filter and no order`(option: String) async throws {
        let answer = try await client.send("GET", "/me/messages?$search=%22a%22&\(option)")
        #expect(answer.status == 400)
        #expect(answer.errorCode?.hasPrefix("SearchWith") == true)
    }

    @Test func `a message in MIME is the same message when it is sent in`() async throws {
        let id = try await draft("Grüße", "Schön")
        let mime = try await client.send("GET", "/me/messages/\(id)/$value")
        #expect(mime.headers["Content-Type"] == "text/plain")
        let copy = try await client.send(
            "POST", "/me/messages", headers: ["Content-Type": "text/plain"],
            body: Data(mime.body.base64EncodedString().utf8))
        #expect(copy.status == 201)
        #expect(try copy.json["subject"] == "Grüße")
        #expect(try copy.json["body"]?["content"] == "Schön")
        #expect(
            try copy.json["toRecipients"]?[0]?["emailAddress"] == ["name": "Adèle", "address": "adelev@contoso.com"])
    }

    @Test func `a reply goes to the sender, a forward to whom it says`() async throws {
        let id = try await draft("Invoice", "of May")
        let reply = try await client.send("POST", "/me/messages/\(id)/reply", json: ["comment": "Thanks"])
        #expect(reply.status == 202)
        let forward = try await client.send(
            "POST", "/me/messages/\(id)/forward",
            json: ["comment": "See", "toRecipients": [["emailAddress": ["address": "alexw@contoso.com"]]]])
        #expect(forward.status == 202)
        #expect(sandbox.outbox.map(\.subject) == ["RE: Invoice", "FW: Invoice"])
        #expect(sandbox.outbox.map(\.to) == [["megan@contoso.com"], ["alexw@contoso.com"]])
        #expect(sandbox.outbox.map(\.body) == ["Thanks\n\nof May", "See\n\nof May"])
        #expect(try await client.send("POST", "/me/messages/\(id)/forward", json: ["comment": "x"]).status == 400)
    }
}
