import Foundation
import TestSupport
import Testing
import GraphSandbox

@Suite struct SandboxMIMETests {
    private func send(_ client: SandboxClient, _ mime: String, to path: String = "/me/sendMail") async throws
        -> HTTPResponse
    {
        let body = Data(Data(mime.replacing("\n", with: "\r\n").utf8).base64EncodedString().utf8)
        return try await client.send("POST", path, headers: ["Content-Type": "text/plain"], body: body)
    }

    @Test(arguments: SandboxWay.allCases)
    func `a mail in MIME is sent`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let answer = try await send(
                client,
                """
                From: Megan Bowen <megan@contoso.com>
                To: "Adele Vance" <adelev@contoso.com>, alexw@contoso.com
                Cc: leeg@contoso.com
                Subject: =?utf-8?B?R3LDvMOfZQ==?= and =?utf-8?Q?caf=C3=A9_two?=
                Message-ID: <run-1@contoso.com>
                X-Run: 7
                MIME-Version: 1.0
                Content-Type: multipart/mixed; boundary="b1"

                --b1
                Content-Type: multipart/alternative; boundary=b2

                --b2
                Content-Type: text/plain; charset=utf-8

                plain
                --b2
                Content-Type: text/html; charset=utf-8
                Content-Transfer-Encoding: quoted-printable

                <p class=3D"x">caf=C3=A9=
                 au lait</p>
                --b2--
                --b1
                Content-Type: image/png; name="me.png"
                Content-Transfer-Encoding: base64
                Content-Disposition: attachment; filename="me.png"

                iVBORw0KGgo=
                --b1--
                """)
            #expect(answer.status == 202)
            let mail = try #require(sandbox.outbox.first)
            #expect(mail.to == ["adelev@contoso.com", "alexw@contoso.com"])
            #expect(mail.cc == ["leeg@contoso.com"])
            #expect(mail.subject == "Grüße and café two")
            #expect(mail.bodyType == "html")
            #expect(mail.body == "<p class=\"x\">café au lait</p>")
            #expect(mail.attachments.map(\.name) == ["me.png"])
            #expect(mail.attachments.map(\.size) == [8])
            #expect(mail.internetMessageID == "<run-1@contoso.com>")
        }
    }

    @Test(arguments: [
        "Subject: one\n two\n\tthree\nTo: adelev@contoso.com", "To: adelev@contoso.com\nSubject: one\n two\n\t three",
        "To: adelev@contoso.com\nSubject: one two\n three\nX-Run: 7\n 8",
    ])
    func `a field that goes on in the next line is one field`(head: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let made = try await send(client, head + "\n\nthe text\n", to: "/me/messages")
            #expect(made.status == 201)
            #expect(try made.json["subject"] == "one two three")
            #expect(try made.json["toRecipients"]?[0]?["emailAddress"]?["address"] == "adelev@contoso.com")
        }
    }

    @Test func `a draft in MIME is a draft`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let made = try await send(
                client, "To: adelev@contoso.com\nSubject: Hello\nX-Run: 7\n\nthe text\n", to: "/me/messages")
            #expect(made.status == 201)
            #expect(try made.json["subject"] == "Hello")
            #expect(try made.json["isDraft"] == true)
            #expect(try made.json["body"]?["contentType"] == "text")
        }
    }

    @Test(arguments: ["", "not base64!", "aGVsbG8=", "Og==", "PT8/PQ=="])
    func `what is no MIME in base64 is 400`(body: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            for path in ["/me/sendMail", "/me/messages"] {
                let answer = try await client.send(
                    "POST", path, headers: ["Content-Type": "text/plain"], body: Data(body.utf8))
                #expect(answer.status == 400)
                #expect(answer.errorCode == "ErrorMimeContentInvalidBase64String")
            }
            #expect(sandbox.outbox.isEmpty)
        }
    }

    @Test func `parts inside of parts inside of parts end somewhere`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let head = (0..<50).map { "Content-Type: multipart/mixed; boundary=b\($0)\n\n--b\($0)\n" }.joined()
            #expect(try await send(client, "To: a@contoso.com\n" + head + "\nx").status < 500)
        }
    }
}
