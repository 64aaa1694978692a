import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHistory
@testable import WorkflowModel
@testable import Workflows

/// Changes that a service's runs made themselves.
@Suite struct OwnWritesTests {
    private let users = ChangeSource.testing("/users", .user)
    private let groups = ChangeSource.testing("/groups", .group)

    private func pages(_ source: ChangeSource = .testing(), having items: Value...) throws -> FollowedPages {
        let pages = try FollowedPages(source)
        _ = try pages.round(.last(items, cursor: "1"), .last([], cursor: "1"))
        return pages
    }

    /// The changes that start runs, in a round that begins a second after the last write.
    private func changes(_ pages: FollowedPages, _ items: Value...) throws -> [String] {
        pages.began += 1
        return try pages.round(.last(items, cursor: "1")).changes
    }

    private func user(_ title: String, _ department: String = "Vertrieb", _ more: Object = [:]) -> Value {
        let known: Object = [
            "id": "u", "jobTitle": .string(title), "department": .string(department), "mail": .null,
            "businessPhones": [], "userPrincipalName": "Größe@contoso.com",
        ]
        return .object(known.with(more))
    }

    @Test func `the version that a run wrote is its own, whatever the id's form is`() throws {
        let pages = try pages(having: .mail("a", 1))
        pages.write(.change, ["id": "immutable"], object: ObjectVersion(id: "other form", etag: "W/\"a 2\""))
        #expect(try changes(pages, .mail("a", 2)) == [])
        #expect(try changes(pages, .mail("a", 3)) == ["updated a"])
        #expect(try changes(pages, .mail("a", 2)) == [])
    }

    @Test func `a version of a run on top of another's change is no change of its own`() throws {
        func mail(_ version: Int, _ categories: [Value], isRead: Bool) -> Value {
            [
                "id": "a", "@odata.etag": .string("\(version)"), "categories": .array(categories),
                "isRead": .bool(isRead), "lastModifiedDateTime": .string("\(version)"),
            ]
        }
        let pages = try pages(having: mail(1, [], isRead: false))
        for version in [3, 4] {
            pages.write(
                .change, ["id": "a", "properties": ["categories": ["after": ["x"]]]],
                object: ObjectVersion(id: "a", etag: "\(version)"))
            // Somebody has read it before.
            let isForeign = version == 3
            #expect(try changes(pages, mail(version, ["x"], isRead: true)) == (isForeign ? ["updated a"] : []))
        }
    }

    @Test(arguments: ["u", "größe@CONTOSO.com"])
    func `what was written to an item without a version is its own, and nothing else`(id: String) throws {
        let pages = try pages(users, having: user("Ä"))
        pages.write(.change, ["id": .string(id), "properties": ["jobTitle": ["after": "B ‹50 %›"]]])
        #expect(try changes(pages, user("B ‹50 %›")) == [])
        // Others change it later, to the same values too.
        #expect(try changes(pages, user("Ä")) == ["updated u"])
        #expect(try changes(pages, user("B ‹50 %›")) == ["updated u"])
        // Others change another property, or the same one, in the same round.
        pages.write(.change, ["id": .string(id), "properties": ["jobTitle": ["after": "C"]]])
        #expect(try changes(pages, user("C", "Einkauf")) == ["updated u"])
        pages.write(.change, ["id": .string(id), "properties": ["jobTitle": ["after": "D"]]])
        #expect(try changes(pages, user("E", "Einkauf")) == ["updated u"])
        // They set back what a run wrote.
        let values: Value = ["jobTitle": ["after": "F"], "department": ["after": "G"]]
        pages.write(.change, ["id": .string(id), "properties": values])
        #expect(try changes(pages, user("E", "G")) == ["updated u"])
        // A write that changed nothing explains no later change.
        pages.write(.change, ["id": .string(id), "properties": ["jobTitle": ["after": "E"]]])
        #expect(try changes(pages, user("E", "G")) == [])
        #expect(try changes(pages, user("H", "G")) == ["updated u"])
        #expect(try changes(pages, user("E", "G")) == ["updated u"])
    }

    @Test func `a person that a run created is its own, unless others changed the person since`() throws {
        let given: Object = ["jobTitle": ["after": "Ä"], "department": ["after": "Vertrieb"], "x": ["after": "hidden"]]
        let names: Object = ["userPrincipalName": "n@contoso.com", "createdDateTime": "2026-01-01T00:00:00Z"]
        for (department, expected) in [("Vertrieb", [String]()), ("Einkauf", ["created u"])] {
            let pages = try pages(users)
            pages.write(
                .create,
                [
                    "what": "user", "id": "u",
                    "properties": .object(given.with(["userPrincipalName": ["after": "n@contoso.com"]])),
                ])
            #expect(try changes(pages, user("Ä", department, names)) == expected)
        }
    }

    @Test func `members that a run added are its own, and others' members are not`() throws {
        func group(_ members: Value...) -> Value {
            ["id": "g", "displayName": "Größe", "members@delta": .array(members)]
        }
        let pages = try pages(groups, having: group())
        pages.write(.member, ["group": "g", "member": "m", "added": true])
        #expect(try changes(pages, group(["id": "m"])) == [])
        #expect(try changes(pages, group(.removed("m"))) == ["updated g"])
        pages.write(.member, ["group": "g", "member": "n", "added": true])
        #expect(try changes(pages, group(["id": "n"], ["id": "o"])) == ["updated g"])
        pages.write(.member, ["group": "g", "member": "n", "added": false])
        pages.write(.member, ["group": "g", "member": "p", "added": true])
        // Somebody has removed it again.
        #expect(try changes(pages, group(.removed("n"))) == ["updated g"])
    }

    @Test func `what a run removed is its own, once`() throws {
        let pages = try pages(having: .mail("a", 1), .mail("m", 1))
        pages.write(.delete, ["id": "a"])
        #expect(try changes(pages, .removed("a"), .mail("b", 1)) == ["created b"])
        #expect(try changes(pages, .mail("a", 1)) == ["created a"])
        #expect(try changes(pages, .removed("a")) == ["deleted a"])
        pages.write(.change, ["id": "m", "properties": ["move": [:]]], object: ObjectVersion(id: "m", etag: "5"))
        #expect(try changes(pages, .removed("m")) == [])
        #expect(try changes(pages, ["id": "m", "@odata.etag": "6"]) == ["created m"])
        #expect(try changes(pages, .removed("m")) == ["deleted m"])
    }

    private func mail(_ id: String, _ version: Int, isDraft: Bool = false, _ more: Object = [:]) -> Value {
        let known: Object = [
            "id": .string(id), "@odata.etag": .string("\(id) \(version)"), "internetMessageId": "<1@contoso.com>",
            "isDraft": .bool(isDraft), "subject": "Größe ‹x›", "from": ["emailAddress": ["address": "Me@contoso.com"]],
        ]
        return .object(known.with(more))
    }

    private func send(_ pages: FollowedPages) {
        pages.take(.drafted(id: "draft", internetMessageID: "<1@contoso.com>"))
        pages.write(
            .mail, ["from": "me@contoso.com", "to": ["me@contoso.com"], "subject": "Größe ‹x›", "sent": true], .begun)
    }

    @Test func `a sent mail is its own where it was a draft, where it was sent and where it arrives, once`() throws {
        let drafts = try pages()
        send(drafts)
        #expect(try changes(drafts, mail("draft", 1, isDraft: true)) == [])
        #expect(try changes(drafts, mail("draft", 2, isDraft: true)) == [])
        #expect(try changes(drafts, .removed("draft")) == [])
        let sent = try pages()
        send(sent)
        #expect(try changes(sent, mail("draft", 3)) == [])
        #expect(try changes(sent, mail("draft", 4)) == ["updated draft"])
        #expect(try changes(sent, .removed("draft")) == ["deleted draft"])
        let inbox = try pages()
        send(inbox)
        #expect(try changes(inbox, mail("copy", 1)) == [])
        #expect(try changes(inbox, mail("copy", 2)) == ["updated copy"])
        #expect(try changes(inbox, mail("again", 1)) == ["created again"])
    }

    @Test(
        arguments: [
            ["subject": "Re: Größe ‹x›"], ["from": ["emailAddress": ["address": "other@example.com"]]], ["from": .null],
            ["subject": ""],
        ] as [Object])
    func `a mail of another with the message id of a sent one is a change`(_ more: Object) throws {
        let pages = try pages()
        send(pages)
        #expect(try changes(pages, mail("other", 1, more)) == ["created other"])
        #expect(try changes(pages, mail("copy", 1)) == [])
    }

    @Test func `no order of writes loses a change of others, or starts a run for a run's own`() throws {
        var random = SeededGenerator(seed: 59)
        let texts = ["Ä", "b 'c'", "😀 50 %", ""]
        for _ in 0..<Extent.of(10_000, or: 40) {
            let pages = try pages(users, having: user("", ""))
            var shown = ["", ""]
            for _ in 0..<8 {
                let former = shown
                var own = former
                var hasOthers = false
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    let index = Int.random(in: 0...1, using: &random)
                    let text = texts.randomElement(using: &random) ?? ""
                    shown[index] = text
                    if Bool.random(using: &random) {
                        own[index] = text
                        let name = index == 0 ? "jobTitle" : "department"
                        pages.write(.change, ["id": "u", "properties": .object([name: ["after": .string(text)]])])
                    } else {
                        hasOthers = true
                    }
                }
                let expected = hasOthers && shown != own && shown != former ? ["updated u"] : []
                #expect(try changes(pages, user(shown[0], shown[1])) == expected)
            }
        }
    }

    @Test func `a write during a round is its own in this round or the next`() throws {
        for isSeen in [true, false] {
            let pages = try pages(users, having: user("Ä"))
            pages.began += 1
            let began = pages.began
            pages.write(.change, ["id": "u", "properties": ["jobTitle": ["after": "B"]]], at: began + 1)
            #expect(try pages.round(.last([user(isSeen ? "B" : "Ä")], cursor: "1")).changes == [])
            pages.began += 10
            #expect(try changes(pages, user("B")) == [])
            #expect(try changes(pages, user("Ä")) == ["updated u"])
        }
    }

    @Test func `what a round recognised is recognised again if the round could not be written`() throws {
        let pages = try pages(users, having: user("Ä"))
        pages.write(.change, ["id": "u", "properties": ["jobTitle": ["after": "B"]]])
        let round = OwnWrites.Round(workflow: "tests/w", source: users, began: pages.began + 1, since: .distantPast)
        try pages.log.note([("u", nil)])
        pages.own.end(round, knowing: pages.log)
        pages.own.retract(round)
        try pages.log.abandon()
        #expect(try changes(pages, user("B")) == [])
    }

    @Test func `what an inner run wrote is the outer workflow's`() throws {
        let pages = try pages(having: .mail("a", 1))
        pages.take(.workflowStarted(input: 1, context: [:]), run: "1")
        pages.write(.change, object: ObjectVersion(id: "a", etag: "W/\"a 2\""), run: "2", name: "inner", parent: "1")
        pages.write(.change, object: ObjectVersion(id: "a", etag: "W/\"a 3\""), run: "3", name: "inner")
        #expect(try changes(pages, .mail("a", 2)) == [])
        #expect(try changes(pages, .mail("a", 3)) == ["updated a"])
    }

    @Test func `a round waits for the writes that are in progress, and for no reads or later ones`() async throws {
        let clock = ManualClock()
        let own = OwnWrites(clock: clock)
        let pending = Locked<[Resolver<HTTPResponse>]>([])
        struct Held: HTTPTransport {
            let pending: Locked<[Resolver<HTTPResponse>]>
            func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
                Promise { resolver in pending.withLock { $0.append(resolver) } }
            }
        }
        let transport = own.watching(Held(pending: pending))
        func send(_ method: String) throws -> Promise<HTTPResponse> {
            guard let url = URL(string: "https://graph.microsoft.com/v1.0/me") else { throw CancellationError() }
            return transport.send(
                HTTPRequest(method, url),
                for: HTTPOperation(name: "test", effect: .idempotent, example: HTTPResponse(status: 200)))
        }
        _ = try send("GET")
        #expect(own.settled.isFulfilled)
        let write = try send("PATCH")
        let settled = own.settled
        #expect(!settled.isFulfilled)
        _ = try send("POST")
        pending.withLock { $0[1] }.fulfill(HTTPResponse(status: 200))
        _ = try await write.value
        #expect(!settled.isFulfilled)
        while clock.waitCount == 0 { await pause() }
        clock.advance(by: .seconds(1))
        try await settled.value
        #expect(!own.settled.isFulfilled)
    }
}

extension Object {
    fileprivate func with(_ more: Object) -> Object {
        var all = self
        for (name, value) in more { all[name] = value }
        return all
    }
}
