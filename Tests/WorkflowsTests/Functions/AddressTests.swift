import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// One rule for the addresses of mails and events, whether the file has them or a run computes them.
struct AddressTests {
    private static let count = Extent.of(10_000, or: 400)

    /// The characters of each category of Unicode.
    private static let categories: [[Unicode.Scalar]] = Array(
        Dictionary(grouping: (UInt32(0)...0x10FFFF).compactMap { Unicode.Scalar($0) }) { $0.properties.generalCategory }
            .values
    ).sorted { $0[0].value < $1[0].value }

    private static func name(_ scalar: Unicode.Scalar) -> String {
        "U+" + String(format: "%04X", scalar.value)
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .format || scalar.properties.isDefaultIgnorableCodePoint
    }

    /// Whether the character can be in the middle of a word of an address (RFC 6531 over RFC 5322, without quotes).
    private static func canBeInWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: false
        default: !isInvisible(scalar) && !"<>()[],;:\\\"@".unicodeScalars.contains(scalar)
        }
    }

    private static func isRefused(_ address: String) -> String? {
        do {
            try MailAddress.check(address)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func `an address may have every character that the grammar allows, and no other`() throws {
        var random = SeededGenerator(seed: 60)
        for number in 0..<Self.count {
            let category = Self.categories[number % Self.categories.count]
            let scalar = try #require(category.randomElement(using: &random))
            let place = Int.random(in: 0...5, using: &random)
            // The points are at the ends of words, where a second one is not allowed.
            var scalars = Array("ab.c@de.f".unicodeScalars)
            scalars.insert(scalar, at: [0, 1, 3, 5, 6, 9][place])
            let address = String(String.UnicodeScalarView(scalars))
            let isAllowed = Self.canBeInWord(scalar) && (scalar != "." || place == 1)
            let message = Self.isRefused(address)
            #expect((message == nil) == isAllowed, "\(Self.name(scalar)) at \(place)")
            if Self.isInvisible(scalar) {
                #expect(message?.contains(Self.name(scalar)) == true, "\(message ?? "")")
            }
        }
    }

    private static let wrong = [
        "Ann <ann@contoso.com>", "not an address", "b@contoso.com; c@contoso.com", "x", "mailto:a@contoso.com",
        "a@contoso.com ", "\ta@contoso.com", "\u{200B}a@contoso.com", "a@contoso\u{AD}.com", "a\u{2060}@contoso.com",
        "a@contoso.com\u{FEFF}", "a\u{3164}@contoso.com", "a@@contoso.com", "", "a@\u{301}contoso.com@",
    ]

    private static let mail: Value = ["to": "a@contoso.com", "subject": "s", "body": "b"]
    private static let event: Value = ["subject": "s", "start": "2026-12-01T09:00", "end": "2026-12-01T10:00"]

    @Test(arguments: wrong)
    func `events refuse what mails refuse, in the file and at run time`(address: String) async throws {
        let fields = [("sendMail", "to"), ("sendMail", "cc"), ("sendMail", "bcc"), ("sendMail", "replyTo")]
        for (name, field) in fields + [("createEvent", "attendees")] {
            let function = try #require(Catalog.default[name])
            for given: Value in [.string(address), ["megan@contoso.com", .string(address)]] {
                let sandbox = Sandbox()
                let with = (name == "sendMail" ? Self.mail : Self.event).setting(given, at: [field])
                let findings = function.check(with, files: WorkflowFiles(folder: nil))
                #expect(findings.map(\.id) == ["mail-address"])
                let problem = await FunctionFixture(sandbox).problem(name, with)
                #expect(problem?["status"] == 400, "\(name) \(field)")
                if !address.isEmpty {
                    let detail = problem?["detail"]?.string ?? ""
                    #expect(detail.contains("'\(PlainText.exact(address))'"), "\(detail)")
                }
                #expect(sandbox.requests.isEmpty)
            }
        }
    }

    @Test(arguments: [
        "megan@contoso.com", "björn@exämple.de", "ユーザー@例え.jp", "用户@例子.公司", "δοκιμή@παράδειγμα.δοκιμή", "अजय@डाटा.भारत",
    ])
    func `letters of all scripts are allowed`(address: String) async throws {
        let sandbox = Sandbox()
        let fixture = FunctionFixture(sandbox)
        _ = try await fixture.call("createEvent", Self.event.setting([.string(address)], at: ["attendees"]))
        _ = try await fixture.call("sendMail", Self.mail.setting(.string(address), at: ["to"]))
        #expect(sandbox.outbox.first?.to == [address])
    }

    @Test(arguments: [
        "call: sendMail, with: { to: a@x.com, subject: s, body: b, user: X }",
        "call: sendMail, with: { to: a@x.com, subject: s, body: b, replyTo: [X] }",
        "call: createEvent, with: { subject: s, start: 2026-12-01, end: 2026-12-02, attendees: X }",
        "call: createEvent, with: { subject: s, start: 2026-12-01, end: 2026-12-02, user: X }",
        "call: photo, with: { user: X }", "call: me, with: { user: X }",
        "call: addToGroup, with: { group: g, user: X }",
        "call: approval, with: { approvers: [a@x.com, X], text: t }",
        "call: graph, with: { path: \"/users/X/events\" }",
        "call: graph, with: { method: POST, path: /me/events, body: { attendees: [ { emailAddress: { address: X } } ] } }",
    ])
    func `an invisible character is found in every field that takes a person`(task: String) throws {
        for (written, name) in [
            (#"\u200Bme@x.com"#, "U+200B"), (#"me\u00AD@x.com"#, "U+00AD"), (#"me@x.com\u200E"#, "U+200E"),
        ] {
            let text =
                task.contains("\"/") ? task.replacing("X", with: written) : task.replacing("X", with: "\"\(written)\"")
            let findings = try Workflow(tasks: "- a: { \(text) }").validate().filter { $0.severity == .error }
            #expect(findings.count == 1, "\(findings)")
            #expect(findings.first?.message.contains(name) == true, "\(findings)")
        }
    }

    @Test(
        arguments: [
            ("photo", ["user": "\u{200B}megan@contoso.com"]), ("me", ["user": "megan@contoso.com\u{2060}"]),
            ("addToGroup", ["group": "g", "user": "me\u{FE0F}gan@contoso.com"]),
            ("graph", ["path": "/users/megan%E2%80%8B@contoso.com"]),
            (
                "graph",
                [
                    "method": "POST", "path": "/me/events",
                    "body": ["attendees": [["emailAddress": ["address": "a\u{200D}@contoso.com"]]]],
                ]
            ),
        ] as [(String, Value)])
    func `an invisible character that was computed is refused before anything is sent`(name: String, with: Value) async
    {
        let sandbox = Sandbox()
        let problem = await FunctionFixture(sandbox).problem(name, with)
        #expect(problem?["status"] == 400)
        #expect(problem?["detail"]?.string?.contains("has the invisible character U+") == true, "\(problem ?? [:])")
        #expect(sandbox.requests.isEmpty)
    }

    @Test func `a followed resource has no invisible character`() throws {
        let text = """
            document:
              dsl: 1.0.3
              namespace: tests
              name: follow
              version: 1.0.0
              metadata: { changes: [ { resource: "/users/megan\\u200B@contoso.com/drive/root" } ] }
            do: [ { done: { set: { a: 1 } } } ]
            """
        let error = #expect(throws: (any Error).self) { try Workflow(text: text) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("U+200B"))
    }

    @Test func `a key of a batch that is an address has no invisible character`() throws {
        let fixture = try ItemFixture()
        let bytes = Array("to\nmegan@contoso.com\n\u{200B}megan@contoso.com\n".utf8)
        let findings = try fixture.findings("a.csv", bytes, key: ".to")
        #expect(
            findings.contains(#"the key '\u200bmegan@contoso.com' has the invisible character U+200B"#), "\(findings)")
        #expect(try fixture.read("b.csv", "to,note\na@x.de,👩‍👩‍👧\n", key: ".note").count == 1)
    }
}
