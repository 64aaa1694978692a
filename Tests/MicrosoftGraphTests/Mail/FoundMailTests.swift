import Foundation
import GraphSandbox
import Promises
import TestSupport
import Testing

@testable import MicrosoftGraph

/// Messages that carry a mail's key and are not the mail, and those that are.
@Suite struct FoundMailTests {
    private typealias Mailbox = MailKeyTests.Mailbox

    private static func person(_ address: String, _ name: String? = nil) -> Value {
        var members: Object = ["address": .string(address)]
        if let name { members["name"] = .string(name) }
        return ["emailAddress": .object(members)]
    }

    private static func file(
        _ name: String, _ bytes: String, inline: Bool = false, type: String = "text/plain"
    ) -> Value {
        [
            "@odata.type": "#microsoft.graph.fileAttachment", "name": .string(name), "contentType": .string(type),
            "contentBytes": .string(Data(bytes.utf8).base64EncodedString()), "isInline": .bool(inline),
        ]
    }

    private static func client(_ mailbox: Mailbox) -> SandboxClient {
        SandboxClient(transport: mailbox.sandbox.transport, base: Sandbox.baseURL)
    }

    /// A mail with two of everything, and a file.
    private static func mail(_ key: Mail.Key) -> Mail {
        var mail = Mail(
            to: ["adelev@contoso.com", "lynner@contoso.com"], subject: "Grüße ‹x› 🎉 %", body: .text("Eins\n\nZwei\n"))
        mail.bcc = ["pattif@contoso.com"]
        mail.key = key
        mail.attachments = [
            Mail.Attachment(name: "a.txt", content: Blob(Data("1234".utf8), contentType: "text/plain")),
            Mail.Attachment(name: "b.txt", content: Blob(Data("5678".utf8), contentType: "text/plain")),
        ]
        return mail
    }

    /// Writes the mail as a draft of another machine, with changes.
    private static func plant(_ mail: Mail, in mailbox: Mailbox, _ changes: Object = [:]) async throws -> String {
        var body = try #require(try mail.message(with: mail.attachments).object)
        for (name, value) in changes { body[name] = value }
        let made = try await client(mailbox).send(
            "POST", "/me/messages", headers: ["Prefer": "IdType=\"ImmutableId\""], json: .object(body))
        try #require(made.status == 201)
        mailbox.clock.advance(by: .seconds(100))
        return try #require(try made.json["id"]?.string)
    }

    private static let otherMessages: [(String, Object)] = [
        ("somebody else", ["toRecipients": [person("eve@fabrikam.com"), person("lynner@contoso.com")]]),
        (
            "an address that looks alike",
            ["toRecipients": [person("adelev@contoso.com"), person("lynner@contoso.coｍ")]]
        ),
        (
            "one more",
            ["toRecipients": [person("adelev@contoso.com"), person("lynner@contoso.com"), person("e@x.com")]]
        ),
        ("one fewer", ["toRecipients": [person("adelev@contoso.com")]]),
        ("a copy", ["ccRecipients": [person("eve@fabrikam.com")]]),
        ("a blind copy", ["bccRecipients": [person("pattif@contoso.com"), person("eve@fabrikam.com")]]),
        ("no blind copy", ["bccRecipients": []]),
        ("replies to another", ["replyTo": [person("eve@fabrikam.com")]]),
        ("another subject", ["subject": "Grüße ‹x› 🎉 %!"]),
        ("a subject of other bytes", ["subject": .string("Grüße ‹x› 🎉 %".decomposedStringWithCanonicalMapping)]),
        ("another text", ["body": ["contentType": "text", "content": "Eins\n\nDrei\n"]]),
        ("fewer lines", ["body": ["contentType": "text", "content": "Eins\nZwei\n"]]),
        ("another kind of text", ["body": ["contentType": "html", "content": "Eins\n\nZwei\n"]]),
        ("another importance", ["importance": "high"]),
        ("a receipt", ["isReadReceiptRequested": true]),
        ("another receipt", ["isDeliveryReceiptRequested": true]),
        ("a header", ["internetMessageHeaders": [["name": "x-priority", "value": "1"]]]),
        ("another sender", ["from": person("eve@fabrikam.com")]),
        ("a sender for another", ["sender": person("eve@fabrikam.com")]),
        ("no files", ["attachments": []]),
        ("one file fewer", ["attachments": [file("a.txt", "1234")]]),
        ("a file twice", ["attachments": [file("a.txt", "1234"), file("a.txt", "1234")]]),
        ("a file more", ["attachments": [file("a.txt", "1234"), file("b.txt", "5678"), file("c.exe", "9")]]),
        ("other bytes of the same size", ["attachments": [file("a.txt", "1234"), file("b.txt", "5679")]]),
        ("names exchanged", ["attachments": [file("b.txt", "1234"), file("a.txt", "5678")]]),
        ("a file's name", ["attachments": [file("a.txt", "1234"), file("b.exe", "5678")]]),
        ("a file's type", ["attachments": [file("a.txt", "1234"), file("b.txt", "5678", type: "text/html")]]),
        (
            "a hidden file",
            ["attachments": [file("a.txt", "1234"), file("b.txt", "5678"), file("c", "9", inline: true)]]
        ),
    ]

    @Test(arguments: otherMessages.indices)
    func `a draft that is another message stays, and the mail is written and sent`(number: Int) async throws {
        let (what, changes) = Self.otherMessages[number]
        for isResumed in [false, true] {
            let mailbox = try Mailbox()
            let mail = Self.mail(mailbox.key())
            let planted = try await Self.plant(mail, in: mailbox, changes)
            let draft = Mail.Draft(id: planted, internetMessageID: nil, age: .seconds(100), isUnsent: false)
            let receipt = try await mailbox.client().sendMail(mail, user: nil, resuming: isResumed ? draft : nil).value
            #expect(receipt.messageID != planted, "\(what)")
            try #require(mailbox.sandbox.outbox.count == 1, "\(what)")
            let sent = mailbox.sandbox.outbox[0]
            #expect(sent.to == mail.to && sent.cc == [] && sent.bcc == mail.bcc && sent.replyTo == [], "\(what)")
            #expect(sent.subject == mail.subject && sent.body == "Eins\n\nZwei\n", "\(what)")
            #expect(sent.attachments.map(\.content) == [Data("1234".utf8), Data("5678".utf8)], "\(what)")
            #expect(try await mailbox.drafts.map { $0["isDraft"] } == [true], "\(what)")
            #expect(mailbox.accounts.map { $0.subject.string } == [mail.subject], "\(what)")
        }
    }

    private static let sameMessages: [(String, Object)] = [
        ("unchanged", [:]),
        ("another order", ["toRecipients": [person("lynner@contoso.com"), person("adelev@contoso.com")]]),
        (
            "names and capitals",
            ["toRecipients": [person("AdeleV@Contoso.com", "Adele Vance"), person("LynneR@contoso.com", "Lynne")]]
        ),
        ("line breaks of Exchange", ["body": ["contentType": "text", "content": "Eins\r\n\r\nZwei\r\n\r\n"]]),
        ("files in another order", ["attachments": [file("b.txt", "5678"), file("a.txt", "1234")]]),
        ("the owner as the sender", ["from": person("Megan@contoso.com", "Megan Bowen")]),
    ]

    @Test(arguments: sameMessages.indices)
    func `a draft that is the mail is sent, however Exchange shows it`(number: Int) async throws {
        let (what, changes) = Self.sameMessages[number]
        let mailbox = try Mailbox()
        let mail = Self.mail(mailbox.key())
        let planted = try await Self.plant(mail, in: mailbox, changes)
        let receipt = try await mailbox.client().sendMail(mail).value
        #expect(receipt.messageID == planted, "\(what)")
        #expect(mailbox.sandbox.outbox.map(\.id) == [planted], "\(what)")
    }

    @Test(arguments: [("<p>Hi</p>", true), ("<p>Hi</p><script>x</script>", false), ("", false)])
    func `Exchange's frame around HTML does not count`(text: String, isSame: Bool) async throws {
        let mailbox = try Mailbox()
        var mail = MailKeyTests.mail(mailbox.key())
        mail.body = .html("<p>Hi</p>")
        let framed =
            "<html><head>\r\n<meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\"></head><body>"
            + text + "</body></html>"
        let planted = try await Self.plant(
            mail, in: mailbox, ["body": ["contentType": "html", "content": .string(framed)]])
        #expect(try await (mailbox.client().sendMail(mail).value.messageID == planted) == isSame)
        #expect(mailbox.sandbox.outbox.count == 1)
    }

    /// Messages with the key that are no drafts, and were not sent by the mailbox's owner.
    @Test(arguments: ["inbox", "archive", "sentitems", "marked", "moved", "copied"])
    func `a message that the owner did not send does not keep the mail from being sent`(way: String) async throws {
        let mailbox = try Mailbox()
        let mail = Self.mail(mailbox.key())
        let client = Self.client(mailbox)
        var body = try #require(try mail.message(with: mail.attachments).object)
        switch way {
        case "inbox", "archive", "sentitems":
            if way == "sentitems" { body["from"] = Self.person("eve@fabrikam.com") }
            #expect(try await client.send("POST", "/me/mailFolders/\(way)/messages", json: .object(body)).status == 201)
        default:
            let letter: Value = ["subject": "x", "toRecipients": [Self.person("megan@contoso.com")]]
            let status = try await client.send("POST", "/users/adelev@contoso.com/sendMail", json: ["message": letter])
                .status
            #expect(status == 202)
            let inbox = try await client.get("/me/mailFolders/inbox/messages")["value"]
            let id = try #require(inbox?[0]?["id"]?.string)
            let property = try #require(body["singleValueExtendedProperties"])
            let marked = try await client.send(
                "PATCH", "/me/messages/\(id)", json: ["singleValueExtendedProperties": property])
            #expect(marked.status == 200)
            if way != "marked" {
                let verb = way == "moved" ? "move" : "copy"
                let moved = try await client.send(
                    "POST", "/me/messages/\(id)/\(verb)", json: ["destinationId": "sentitems"])
                #expect(moved.status == 201)
            }
        }
        let before = mailbox.sandbox.outbox.count
        let receipt = try await mailbox.client().sendMail(mail).value
        try #require(mailbox.sandbox.outbox.count == before + 1)
        #expect(mailbox.sandbox.outbox.last?.id == receipt.messageID)
        #expect(mailbox.sandbox.outbox.last?.to == mail.to)
    }

    @Test(arguments: ["archive", "deleteditems", "inbox"])
    func `a mail that the owner sent counts wherever it was moved`(folder: String) async throws {
        let mailbox = try Mailbox()
        let mail = Self.mail(mailbox.key())
        let client = Self.client(mailbox)
        let id = try await Self.plant(mail, in: mailbox)
        #expect(try await client.send("POST", "/me/messages/\(id)/send").status == 202)
        let moved = try await client.send("POST", "/me/messages/\(id)/move", json: ["destinationId": .string(folder)])
        #expect(moved.status == 201)
        #expect(try await mailbox.client().sendMail(mail).value.messageID == id)
        #expect(mailbox.sandbox.outbox.count == 1)
    }

    @Test func `a draft that was moved out of the drafts stays there`() async throws {
        let mailbox = try Mailbox()
        let mail = Self.mail(mailbox.key())
        let id = try await Self.plant(mail, in: mailbox)
        _ = try await Self.client(mailbox).send(
            "POST", "/me/messages/\(id)/move", json: ["destinationId": "archive"])
        #expect(try await mailbox.client().sendMail(mail).value.messageID != id)
        #expect(mailbox.sandbox.outbox.count == 1)
    }

    @Test func `what was sent before is accounted for as it was sent, not as it would be now`() async throws {
        for isResumed in [false, true] {
            let mailbox = try Mailbox()
            var mail = Self.mail(mailbox.key())
            let id = try await Self.plant(
                mail, in: mailbox, ["subject": "Before", "ccRecipients": [Self.person("eve@fabrikam.com")]])
            #expect(try await Self.client(mailbox).send("POST", "/me/messages/\(id)/send").status == 202)
            mail.subject = "After"
            let draft = Mail.Draft(id: id, internetMessageID: nil, age: .seconds(100), isUnsent: false)
            _ = try await mailbox.client().sendMail(mail, user: nil, resuming: isResumed ? draft : nil).value
            #expect(mailbox.sandbox.outbox.map(\.subject) == ["Before"])
            let account = try #require(mailbox.accounts.first)
            #expect(mailbox.accounts.count == 1)
            #expect(account.subject == "Before")
            #expect(account.mail?.cc == ["eve@fabrikam.com"])
            #expect(account.mail?.bcc == ["pattif@contoso.com"])
            #expect(account.mail?.attachments == .null)
        }
    }
}
