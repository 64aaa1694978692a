import Foundation
import Promises
import TestSupport
import Testing
import MicrosoftGraph

struct GraphClientRequestTests {
    private func body(_ fixture: GraphFixture) throws -> Value {
        try Value(json: try #require(fixture.transport.requests.first?.body))
    }

    @Test func `selecting properties keeps those that make a user`() async throws {
        let fixture = GraphFixture(.json(Sample.user))
        _ = try await fixture.client().me(user: "adelev@contoso.com", select: ["jobTitle", "mail"]).value
        #expect(
            fixture.transport.requests.first?.url.absoluteString
                == "https://graph.microsoft.com/v1.0/users/adelev@contoso.com"
                + "?$select=jobTitle,mail,id,displayName,userPrincipalName")
        #expect(fixture.transport.operations.first?.scopes == ["User.Read.All"])
    }

    @Test func `an upload is its bytes with their type`() async throws {
        let fixture = GraphFixture(.json(Sample.item, status: 201))
        let item = try await fixture.client().upload(Sample.photo, to: "Pictures/my photo.png").value
        #expect(item.id == "item!1")
        let request = try #require(fixture.transport.requests.first)
        #expect(request.method == "PUT")
        #expect(
            request.url.absoluteString
                == "https://graph.microsoft.com/v1.0/me/drive/root:/Pictures/my%20photo.png:/content"
                + "?@microsoft.graph.conflictBehavior=replace")
        #expect(request.headers["Content-Type"] == "image/png")
        #expect(try request.body == Sample.photo.bytes)
        #expect(fixture.transport.operations.first?.effect == .idempotent)
    }

    @Test(arguments: ["../me.jpg", "a:b", "", "x\r\ny"])
    func `an upload to nowhere is refused before anything is sent`(path: String) async {
        let fixture = GraphFixture(.json(Sample.item))
        let error = await graphError(of: fixture.client().upload(Sample.photo, to: path))
        #expect(error?.code == .invalidInput)
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `a content type cannot smuggle a header`() async {
        let fixture = GraphFixture(.json(Sample.item))
        let upload = fixture.client().upload(Sample.photo, to: "a", contentType: "image/png\r\nX-Evil: 1")
        #expect(await graphError(of: upload)?.code == .invalidInput)
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `a link says what was asked for and nothing else`() async throws {
        let fixture = GraphFixture(.json(Sample.link))
        _ = try await fixture.client().createLink(toItem: "item!1").value
        #expect(try body(fixture) == ["type": "view"])
        #expect(
            fixture.transport.requests.first?.url.absoluteString
                == "https://graph.microsoft.com/v1.0/me/drive/items/item!1/createLink")
        let full = GraphFixture(.json(Sample.link))
        _ = try await full.client().createLink(
            toItem: "1", type: .edit, scope: .organization, password: "p\"w", expirationDateTime: "2026-12-31T00:00:00Z"
        ).value
        #expect(
            try body(full) == [
                "type": "edit", "scope": "organization", "password": "p\"w",
                "expirationDateTime": "2026-12-31T00:00:00Z",
            ])
    }

    @Test func `mail is encoded, whatever its parts hold`() async throws {
        let nasty = "\"},\n<CONTENTBYTES>\\' </script> \u{0} é 👩‍💻"
        var mail = Mail(to: ["megan@contoso.com", "adelev@contoso.com"], subject: nasty, body: .html(nasty))
        mail.cc = ["alexw@contoso.com"]
        mail.bcc = ["diegos@contoso.com"]
        mail.importance = .high
        mail.saveToSentItems = false
        mail.attachments = [Mail.Attachment(name: nasty, content: .defaultPhoto)]
        let fixture = GraphFixture(.status(202))
        _ = try await fixture.client().sendMail(mail).value
        let sent = try body(fixture)
        #expect(sent["saveToSentItems"] == false)
        let message = try #require(sent["message"])
        #expect(message["subject"] == .string(nasty))
        #expect(message["body"] == ["contentType": "html", "content": .string(nasty)])
        #expect(
            message["toRecipients"] == [
                ["emailAddress": ["address": "megan@contoso.com"]], ["emailAddress": ["address": "adelev@contoso.com"]],
            ])
        #expect(message["ccRecipients"]?[0]?["emailAddress"]?["address"] == "alexw@contoso.com")
        #expect(message["bccRecipients"]?[0]?["emailAddress"]?["address"] == "diegos@contoso.com")
        #expect(message["importance"] == "high")
        #expect(
            message["attachments"]?[0] == [
                "@odata.type": "#microsoft.graph.fileAttachment", "name": .string(nasty), "contentType": "image/png",
                "contentBytes": .string(try Blob.defaultPhoto.bytes.base64EncodedString()),
            ])
    }

    @Test(arguments: [
        "", "megan", "@contoso.com", "megan@", "a@b@c", "megan @contoso.com", "Megan <megan@contoso.com>",
        "a@x.com,b@x.com", "a@x.com;b@x.com", "a@x.com\r\nBcc: c@x.com", "a..b@x.com", ".a@x.com", "a@x.com.",
        "a\u{0}@x.com", "a@x.com ", "\u{200B}a@x.com", "a\u{AD}@x.com", "a@x.com\u{FEFF}",
        String(repeating: "a", count: 320) + "@x.com",
    ])
    func `what is no address is refused before anything is sent`(address: String) async {
        let fixture = GraphFixture(.status(202))
        for field in [\Mail.to, \Mail.cc, \Mail.bcc] {
            var mail = Sample.mail
            mail[keyPath: field] = [address]
            #expect(await graphError(of: fixture.client().sendMail(mail))?.code == .invalidInput)
        }
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test(arguments: ["megan@contoso.com", "o'brien+tag@sub.contoso.com", "müller@exämple.com"])
    func `an address passes as it is`(address: String) async throws {
        let fixture = GraphFixture(.status(202))
        _ = try await fixture.client().sendMail(to: address, subject: "s", text: "t", delivery: .direct).value
        let sent = try body(fixture)
        #expect(sent["message"]?["toRecipients"]?[0]?["emailAddress"]?["address"] == .string(address))
        #expect(sent["message"]?["body"]?["contentType"] == "text")
    }

    @Test func `mail without recipients and too large attachments are refused before anything is sent`() async {
        let fixture = GraphFixture(.status(202))
        let nobody = Mail(to: [], subject: "", body: .text(""))
        #expect(await graphError(of: fixture.client().sendMail(nobody))?.code == .invalidInput)
        var mail = Sample.mail
        let half = Blob(Data(count: 1_500_101))
        mail.attachments = [Mail.Attachment(name: "a", content: half), Mail.Attachment(name: "b", content: half)]
        #expect(await graphError(of: fixture.client().sendMail(mail))?.code == .invalidInput)
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `HTML in an interpolation is shown, not obeyed`() {
        let name = "<b onclick='x'>\"&amp;"
        #expect("<i>\(html: name)</i>" == "<i>&lt;b onclick=&#39;x&#39;&gt;&quot;&amp;amp;</i>")
    }
}
