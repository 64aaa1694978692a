import Foundation
import GraphSandbox
import TestSupport
import Testing

/// The page at the sandbox's root, and what it asks for.
@Suite struct SandboxBoardTests {
    private static func mail(_ body: String, attachments: Value = []) -> Value {
        [
            "message": [
                "subject": "<b>Subject</b>", "body": ["contentType": "html", "content": .string(body)],
                "toRecipients": [["emailAddress": ["address": "adelev@contoso.com"]]], "attachments": attachments,
            ]
        ]
    }

    private static let picture = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).base64EncodedString()

    private static func root(_ client: SandboxClient) -> String {
        client.base.deletingLastPathComponent().absoluteString
    }

    @Test func `the page loads only its own script and style, and no other site can show it`() async throws {
        try await SandboxWay.overSocket.withSandbox { (_, client) async throws in
            let client = client.withoutToken
            let page = try await client.send("GET", Self.root(client))
            let policy = try #require(page.headers["Content-Security-Policy"])
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe"))
            for (path, type) in [("sandbox/page.js", "text/javascript"), ("sandbox/page.css", "text/css")] {
                #expect(String(decoding: page.body, as: UTF8.self).contains("\"/\(path)\""))
                let part = try await client.send("GET", Self.root(client) + path)
                #expect(part.status == 200 && part.headers["Content-Type"]?.hasPrefix(type) == true)
                #expect(part.headers["X-Content-Type-Options"] == "nosniff")
            }
        }
    }

    @Test func `a mail's body runs no script and loads nothing, and shows the pictures that it brings`() async throws {
        try await SandboxWay.overSocket.withSandbox { (_, client) async throws in
            let file: Value = [
                "@odata.type": "#microsoft.graph.fileAttachment", "name": "logo.png", "isInline": true,
                "contentId": "logo", "contentBytes": .string(Self.picture),
            ]
            let sent = try await client.send(
                "POST", "/me/sendMail", json: Self.mail("<script>1</script><img src='cid:logo'>", attachments: [file]))
            #expect(sent.status == 202)
            let client = client.withoutToken
            let body = try await client.send("GET", Self.root(client) + "sandbox/mails/0")
            let policy = try #require(body.headers["Content-Security-Policy"])
            #expect(
                policy.hasPrefix("sandbox ") && !policy.contains("allow-scripts")
                    && policy.contains("default-src 'none'"))
            let text = String(decoding: body.body, as: UTF8.self)
            #expect(text.contains("<img src='data:image/png;base64,\(Self.picture)'>"))
            let attachment = try await client.send("GET", Self.root(client) + "sandbox/mails/0/attachments/0")
            #expect(attachment.headers["Content-Type"] == "image/png")
            for missing in [
                "sandbox/mails/1", "sandbox/mails/-1", "sandbox/mails/0/attachments/1", "sandbox/requests/9",
            ] {
                #expect(try await client.send("GET", Self.root(client) + missing).status == 404)
            }
        }
    }

    @Test func `the list has no contents, and a request is shown with its answer but without its token`() async throws {
        try await SandboxWay.overSocket.withSandbox { (_, client) async throws in
            _ = try await client.send("POST", "/me/sendMail", json: Self.mail("a body of some length"))
            _ = try await client.send(
                "PUT", "/me/drive/root:/a/b.txt:/content", headers: ["Content-Type": "text/plain"],
                body: Data("a file of some length".utf8))
            let anonymous = client.withoutToken
            let state = try await anonymous.get(Self.root(client) + "sandbox/state")
            #expect(state["mailCount"] == 1 && state["fileCount"] == 1 && state["requestCount"] == 2)
            #expect(state["files"]?[0]?["path"] == "/a/b.txt")
            #expect(state["requests"]?[0]?["number"] == 1)
            #expect(!state.json().contains("some length"))
            let exchange = try await anonymous.get(Self.root(client) + "sandbox/requests/1")
            #expect(exchange["request"]?["body"] == "a file of some length")
            #expect(exchange["answer"]?["body"]?.string?.contains("\"name\": \"b.txt\"") == true)
            #expect(!exchange.json().contains("Bearer sandbox"))
        }
    }
}
