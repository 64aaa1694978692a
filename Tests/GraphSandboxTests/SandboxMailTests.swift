import Foundation
import TestSupport
import Testing

@testable import GraphSandbox

@Suite struct SandboxMailTests {
    private static let mail: Value = [
        "message": [
            "subject": "My photo", "body": ["contentType": "html", "content": "<p>Grüße</p>"],
            "toRecipients": [["emailAddress": ["address": "adelev@contoso.com"]]],
            "bccRecipients": [["emailAddress": ["address": "alexw@contoso.com", "name": "Alex Wilber"]]],
            "attachments": [
                [
                    "@odata.type": "#microsoft.graph.fileAttachment", "name": "me.png", "contentType": "image/png",
                    "contentBytes": "iVBORw0KGgo=",
                ]
            ],
        ],
        "saveToSentItems": false,
    ]

    private func changed(_ change: (inout Object) -> Void) -> Value {
        var mail = Self.mail.object ?? [:]
        var message = mail["message"]?.object ?? [:]
        change(&message)
        mail["message"] = .object(message)
        return .object(mail)
    }

    @Test(arguments: SandboxWay.allCases)
    func `a mail is accepted without a body and lies in the outbox`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let answer = try await client.send("POST", "/me/sendMail", json: Self.mail)
            #expect(answer.status == 202)
            #expect(answer.body.isEmpty)
            let mail = try #require(sandbox.outbox.first)
            #expect(sandbox.outbox.count == 1)
            #expect(mail.sender == "megan@contoso.com")
            #expect(mail.to == ["adelev@contoso.com"])
            #expect(mail.bcc == ["alexw@contoso.com"])
            #expect(mail.subject == "My photo")
            #expect(mail.bodyType == "html")
            #expect(mail.body == "<p>Grüße</p>")
            #expect(!mail.isSavedToSentItems)
            #expect(mail.deliveries == 1)
            #expect(mail.attachments.map(\.name) == ["me.png"])
            #expect(mail.attachments.first?.size == 8)
            #expect(mail.attachments.first?.sha256 == SHA256.hex(of: mail.attachments[0].content))
        }
    }

    @Test func `the same mail twice is counted as two deliveries`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            for _ in 0..<2 { _ = try await client.send("POST", "/me/sendMail", json: Self.mail) }
            _ = try await client.send("POST", "/me/sendMail", json: changed { $0["subject"] = "Another" })
            #expect(sandbox.outbox.map(\.deliveries) == [2, 2, 1])
        }
    }

    @Test(
        arguments: [
            ("body", ["contentType": "html", "content": "other"]),
            ("body", ["contentType": "text", "content": "<p>Grüße</p>"]),
            ("toRecipients", [["emailAddress": ["address": "megan@contoso.com"]]]),
            ("ccRecipients", [["emailAddress": ["address": "megan@contoso.com"]]]), ("bccRecipients", []),
            ("attachments", []),
        ] as [(String, Value)])
    func `a mail that differs is another one`(name: String, value: Value) async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            for mail in [Self.mail, changed { $0[name] = value }] {
                _ = try await client.send("POST", "/me/sendMail", json: mail)
            }
            #expect(sandbox.outbox.map(\.deliveries) == [1, 1])
        }
    }

    @Test(arguments: ["/me/sendmail", "/me/microsoft.graph.sendMail", "/users/alexw@contoso.com/sendMail"])
    func `the action has more than one address`(path: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            #expect(try await client.send("POST", path, json: Self.mail).status == 202)
            #expect(
                sandbox.outbox.first?.sender == (path.contains("alexw") ? "alexw@contoso.com" : "megan@contoso.com"))
        }
    }

    @Test func `spellings that the service takes are taken`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let message = changed {
                $0["body"] = ["contentType": "HTML", "content": "x"]
                $0["importance"] = "High"
            }
            let mail: Value = ["Message": message["message"] ?? .null, "SaveToSentItems": "false"]
            #expect(try await client.send("POST", "/me/sendMail", json: mail).status == 202)
            #expect(sandbox.outbox.first?.bodyType == "html")
            #expect(sandbox.outbox.first?.importance == "high")
            #expect(sandbox.outbox.first?.isSavedToSentItems == false)
        }
    }

    @Test(arguments: [
        "", "{", "[]", "null", "{}", #"{"message": 5}"#, #"{"message": {"subject": "x"}}"#,
        #"{"message": {"toRecipients": []}}"#, #"{"message": {"toRecipients": "a@b"}}"#,
        #"{"message": {"toRecipients": [{"emailAddress": {"address": "nobody"}}]}}"#,
        #"{"message": {"toRecipients": [{"emailAddress": {"address": "a@b"}}], "body": {"contentType": "rtf"}}}"#,
        #"{"message": {"toRecipients": [{"emailAddress": {"address": "a@b"}}], "subject": 5}}"#,
        #"{"message": {"toRecipients": [{"emailAddress": {"address": "a@b"}}], "attachments": [{"name": "x"}]}}"#,
        #"{"message": {"toRecipients": [{"emailAddress": {"address": "a@b"}}]}, "saveToSentItems": "maybe"}"#,
        #"{"message": {"toRecipients": [{"emailAddress": {"address": "a@b"}}], "attachments": "#
            + ##"[{"@odata.type": "#microsoft.graph.fileAttachment", "name": "x", "contentBytes": "not base64!"}]}}"##,
    ])
    func `a body that Graph's description does not accept is 400 and nothing is sent`(body: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let answer = try await client.send(
                "POST", "/me/sendMail", headers: ["Content-Type": "application/json"], body: Data(body.utf8))
            #expect(answer.status == 400)
            #expect(answer.errorCode != nil)
            #expect(sandbox.outbox.isEmpty)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a body nested a hundred thousand deep is 400`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
            let answer = try await client.send(
                "POST", "/me/sendMail", headers: ["Content-Type": "application/json"],
                body: Data(#"{"message": \#(deep)}"#.utf8))
            #expect(answer.status == 400)
            #expect(sandbox.requests.count == 1)
        }
    }

    @Test(arguments: [
        (String(repeating: "[", count: 100), false), (String(repeating: "[", count: 101), true),
        (String(repeating: "{", count: 101), true), (String(repeating: "[]", count: 101), false),
        ("\"\(String(repeating: "[", count: 101))\"", false),
        (#""\""# + String(repeating: "[", count: 101), false),
        (#""\\""# + String(repeating: "[", count: 101), true),
    ])
    func `brackets count as levels only outside of texts`(json: String, isTooDeep: Bool) {
        #expect(SandboxBodySchema.isTooDeep(Data(json.utf8)) == isTooDeep)
    }

    @Test(arguments: SandboxWay.allCases)
    func `a mail of more than 4 MB is 413`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let body = changed { $0["body"] = ["content": .string(String(repeating: "x", count: 4_300_000))] }
            #expect(try await client.send("POST", "/me/sendMail", json: body).status == 413)
            #expect(sandbox.outbox.isEmpty)
        }
    }

    @Test func `JSON that says it is something else is 400`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let answer = try await client.send(
                "POST", "/me/sendMail", headers: ["Content-Type": "text/html"], body: Self.mail.jsonData())
            #expect(answer.status == 400)
        }
    }
}
