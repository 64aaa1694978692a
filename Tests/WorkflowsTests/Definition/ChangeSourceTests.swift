import Foundation
import TestSupport
import Testing

@testable import WorkflowModel
@testable import Workflows

/// Sources of changes, as they are in a file.
@Suite struct ChangeSourceTests {
    /// The sources, and what is found in them.
    private func read(_ changes: Value) -> (sources: [ChangeSource], findings: [String]) {
        let document: Value = [
            "dsl": "1.0.3", "namespace": "tests", "name": "w", "version": "1.0.0", "metadata": ["changes": changes],
        ]
        let file: Value = [
            "document": document, "schedule": ["on": ["one": ["with": ["type": "t"]]]],
            "do": [["a": ["set": ["b": 1]]]],
        ]
        do { return (try Workflow(text: file.json()).changes, []) } catch {
            return ([], error.diagnostics.map(\.message))
        }
    }

    private func source(_ members: Object) -> (source: ChangeSource?, finding: String?) {
        var source: Object = ["resource": "/me/mailFolders/inbox/messages"]
        for (name, value) in members { source[name] = value }
        let (sources, findings) = read([.object(source)])
        #expect(sources.count + findings.count == 1, "\(findings)")
        return (sources.first, findings.first)
    }

    @Test(arguments: [
        ("/me/mailFolders/inbox/messages", ChangeSource.Item.message, "/me/mailFolders/inbox/messages/delta"),
        (
            "/users/ada@contoso.com/mailFolders/Größe ‹x› 'y'/messages", .message,
            "/users/ada%40contoso.com/mailFolders/Gr%C3%B6%C3%9Fe%20%E2%80%B9x%E2%80%BA%20%27y%27/messages/delta"
        ), ("/me/mailFolders/a%20b/messages", .message, "/me/mailFolders/a%20b/messages/delta"),
        ("/me/mailFolders/😀#x/messages", .message, "/me/mailFolders/%F0%9F%98%80%23x/messages/delta"),
        ("/users/1/drive/root", .driveItem, "/users/1/drive/root/delta"),
        ("/me/drive/root", .driveItem, "/me/drive/root/delta"),
        ("/users", .user, "/users/delta"), ("/groups", .group, "/groups/delta"),
        (
            "/me/calendarView?startDateTime=2026-01-01T00:00:00Z&endDateTime=2027-01-01T00:00:00Z", .event,
            "/me/calendarView/delta?startDateTime=2026-01-01T00:00:00Z&endDateTime=2027-01-01T00:00:00Z"
        ),
    ])
    func `what can be followed`(resource: String, item: ChangeSource.Item, path: String) {
        let (source, finding) = source(["resource": .string(resource)])
        #expect(finding == nil)
        #expect(source?.item == item)
        #expect(source?.deltaPath == path)
        #expect(source?.kinds.count == 3 && source?.every == .seconds(60) && source?.since == .now)
        #expect(source != nil && source?.maximum == nil)
    }

    @Test(arguments: [
        "", "/", "//", "/me", "/me/messages", "me/mailFolders/inbox/messages", "/me/mailFolders/inbox/messages/",
        "/me/mailFolders//messages", "/me/mailFolders/../messages", "/me/mailFolders/%2e%2E/messages",
        "/me/mailFolders/./messages", "/me/mailFolders/a%2Fb/messages", "/me/mailFolders/a\nb/messages",
        "/me/mailFolders/a%0D%0Ab/messages", "/me/mailFolders/%/messages", "/me/mailFolders/%ff/messages",
        "/me/mailFolders/${ .x }/messages", "/me/mailFolders/inbox/messages?$filter=x",
        "/me/mailFolders/inbox/messages?",
        "/users/a/b/drive/root", "/users//drive/root", "/users?$top=5", "/groups/1", "/groups/1/members",
        "/sites/1/drive/root",
        "/me/drive/root/children", "/drives/1/root", "/me/calendarView", "/me/calendarView?startDateTime=1",
        "/me/calendarView?startDateTime=1&endDateTime=2&$top=5", "/me/events", "https://graph.microsoft.com/v1.0/users",
        "/beta/users", "/ME/mailFolders/inbox/messages ", "\u{0}",
        "/me/mailFolders/" + String(repeating: "x/", count: 5_000),
        "/me/calendarView?startDateTime=1\r\nX: y&endDateTime=2",
    ])
    func `what cannot be followed is a finding`(resource: String) {
        let (source, finding) = source(["resource": .string(resource)])
        #expect(source == nil)
        #expect(finding?.hasSuffix("cannot be followed") == true, "\(finding ?? "none")")
        #expect((finding ?? "").utf8.count < 500 && finding?.contains("\n") != true)
    }

    @Test(
        arguments: [
            ("kinds", [] as Value, "'kinds' must be a list"), ("kinds", "created", "'kinds' must be a list"),
            ("kinds", ["made"], "made"), ("every", "PT4S", "at least 5 seconds"),
            ("every", "PT0S", "at least 5 seconds"),
            ("every", "soon", "not a duration"), ("every", "${ \"PT1M\" }", "without expressions"),
            ("since", "yesterday", "'since' cannot be"),
            ("since", "2026-01-31", "'since' cannot be"), ("since", "", "'since' cannot be"),
            ("since", 5, "must be a string"),
            ("since", .string(String(repeating: "Ä", count: 10_000)), "'since' cannot be"),
            ("select", "subject", "'select' must be a list"), ("select", ["a,b"], "not the name of a property"),
            ("select", ["a&$top=1"], "not the name of a property"), ("select", [""], "not the name of a property"),
            ("select", ["Größe ‹x›"], "not the name of a property"), ("maximum", 0, "'maximum' must be"),
            ("maximum", -1, "'maximum' must be"), ("maximum", 1.5, "'maximum' must be"),
            ("maximum", "5", "'maximum' must be"),
            ("maximum", nil, "'maximum' must be"), ("filter", "x", "filter"),
        ] as [(String, Value, String)])
    func `what a source cannot have is one finding`(name: String, value: Value, message: String) {
        let (source, finding) = source([name: value])
        #expect(source == nil)
        #expect(finding?.contains(message) == true, "\(finding ?? "none")")
        #expect((finding ?? "").utf8.count < 500)
    }

    @Test func `a list that is none, and a source twice, are findings`() {
        #expect(read(5).findings == ["'changes' must be a list of sources, but this is a number"])
        #expect(read([nil]).findings.count == 1)
        let twice: Value = [["resource": "/users"], ["resource": "/users", "every": "PT5M"]]
        #expect(read(twice).findings == ["the changes of '/users' are followed twice"])
        #expect(read([]).findings == [])
    }

    @Test func `people and groups do not say when they changed`() {
        for resource in ["/users", "/groups"] as [Value] {
            #expect(
                source(["resource": resource, "since": "2026-01-31T12:00:00Z"]).finding?.contains("cannot be a time")
                    == true)
            #expect(source(["resource": resource, "since": "all"]).source?.since == .all)
        }
        #expect(source(["since": "2026-01-31T12:00:00+01:00"]).source?.since == .time("2026-01-31T12:00:00+01:00"))
    }

    @Test func `what recognises a mail is read, and is no part of the event`() throws {
        let source = try #require(
            source(["select": ["subject", "isDraft"], "kinds": ["created"], "every": "PT5S"]).source)
        let read = "subject,isDraft,internetMessageId,from,toRecipients,ccRecipients"
        #expect(source.deltaPath.hasSuffix("/delta?$select=\(read)"))
        #expect(source.kinds == [.created] && source.every == .seconds(5))
        let item: Value = ["id": "1", "subject": "Ä", "isDraft": true, "internetMessageId": "<1@contoso.com>"]
        let change = try #require(ItemChange(.created, of: item, from: source))
        let event = try #require(change.event("e", of: source, for: "tests/w", at: .distantPast))
        #expect(event.data == ["id": "1", "subject": "Ä", "isDraft": true])
        #expect(change.internetMessageID == "<1@contoso.com>" && change.isDraft)
    }
}
