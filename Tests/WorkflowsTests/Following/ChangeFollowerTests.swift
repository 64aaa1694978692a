import Foundation
import Testing

@testable import WorkflowModel
@testable import Workflows

/// Rounds of delta queries against pages that were written by hand.
@Suite struct ChangeFollowerTests {
    /// A source that has the mails a and b in version 1.
    private func followed(_ source: ChangeSource = .testing()) throws -> FollowedPages {
        let pages = try FollowedPages(source)
        let first = try pages.round(.last([.mail("a", 1), .mail("b", 1)], cursor: "1"), .last([], cursor: "1"))
        #expect(first.changes == [] && first.stop == nil)
        return pages
    }

    @Test func `the first round starts nothing, and later ones tell of each change once`() throws {
        let pages = try followed()
        let second = try pages.round(
            .page([.mail("a", 2)], next: "1b"), .page([], next: "1c"),
            .last([.mail("c", 1), .removed("b")], cursor: "2"))
        #expect(second.changes == ["updated a", "created c", "deleted b"])
        #expect(second.asked == ["1", "1b", "1c"])
        #expect(try pages.round(.last([], cursor: "3")).changes == [])
        #expect(try pages.round(.last([.mail("a", 2), .removed("b")], cursor: "4")).changes == [])
        try pages.restart()
        let last = try pages.round(.last([.mail("c", 1), .mail("a", 3)], cursor: "5"))
        #expect(last.changes == ["updated a"])
        #expect(last.asked == ["4"])
    }

    @Test func `a first round that ends early is read to its end, and starts nothing`() throws {
        let pages = try FollowedPages()
        let first = try pages.round(
            .last([.mail("a", 1)], cursor: "1"), .page([.mail("b", 1)], next: "1b"),
            .last([.mail("c", 1)], cursor: "2"),
            .last([], cursor: "3"))
        #expect(first == .init(asked: [nil, "1", "1b", "2"]))
        #expect(pages.log.count == 3)
        #expect(try pages.round(.last([.mail("b", 1), .mail("d", 1)], cursor: "4")).changes == ["created d"])
    }

    @Test func `the first round can have all items, or those since a time`() throws {
        let items: [Value] = [
            .mail("a", 1, received: "2026-01-01T00:00:00Z"), .mail("b", 1, received: "2026-01-01T00:00:00.123Z"),
            .mail("c", 1, received: "2025-12-31T23:59:59Z"), .removed("d"), ["id": "e"],
        ]
        let all = try FollowedPages(.testing(since: .all)).round(.last(items, cursor: "1"), .last([], cursor: "1"))
        #expect(all.changes == ["created a", "created b", "created c", "created e"])
        let some = try FollowedPages(.testing(since: .time("2026-01-01T01:00:00+01:00")))
            .round(.last(items, cursor: "1"), .last([], cursor: "1"))
        #expect(some.changes == ["created a", "created b"])
    }

    @Test func `only the last occurrence of an item in a round counts`() throws {
        let pages = try followed()
        let round = try pages.round(
            .page([.mail("a", 2), .mail("c", 1), .removed("b"), .mail("d", 1)], next: "1b"),
            .last([.mail("a", 3), .mail("a", 1), .mail("b", 2), .removed("d"), .mail("c", 2)], cursor: "2"))
        #expect(round.changes == ["updated b", "created c"])
    }

    @Test func `an item that comes back is created again`() throws {
        let pages = try followed()
        #expect(try pages.round(.last([.removed("a")], cursor: "2")).changes == ["deleted a"])
        #expect(try pages.round(.last([.mail("a", 1)], cursor: "3")).changes == ["created a"])
    }

    @Test func `other kinds start nothing, and are known afterwards`() throws {
        let pages = try followed(.testing(kinds: [.updated]))
        #expect(try pages.round(.last([.mail("c", 1), .removed("b")], cursor: "2")).changes == [])
        #expect(try pages.round(.last([.mail("c", 2), .mail("b", 1)], cursor: "3")).changes == ["updated c"])
    }

    // MARK: Faults

    @Test(arguments: [
        FollowedPages.Answer.status(410), .status(410, "resyncChangesApplyDifferences"),
        .status(410, "resyncChangesUploadDifferences"), .status(410, "syncStateNotFound"),
        .status(404, "SyncStateInvalid"), .status(400, "Request_BadRequest"),
    ])
    func `an expired cursor is replaced by a comparison: only real differences count`(answer: FollowedPages.Answer)
        throws
    {
        let pages = try followed()
        let round = try pages.round(
            answer, .page([.mail("c", 1)], next: "n"), .last([.mail("a", 2)], cursor: "8"), .last([], cursor: "9"))
        #expect(round.changes == ["created c", "updated a", "deleted b"])
        #expect(round.isComparison)
        #expect(round.asked == ["1", nil, "n", "8"])
        #expect(try pages.round(.last([], cursor: "10")).asked == ["9"])
    }

    @Test func `a comparison of what did not change finds nothing`() throws {
        let pages = try followed()
        let round = try pages.round(
            .status(410), .last([.mail("b", 1), .mail("a", 1)], cursor: "2"), .last([], cursor: "3"))
        #expect(round.changes == [] && round.isComparison)
    }

    @Test func `a comparison that ends early takes nothing for removed`() throws {
        let pages = try followed()
        let round = try pages.round(
            .status(410), .last([.mail("b", 1)], cursor: "2"), .last([.mail("a", 1)], cursor: "3"),
            .last([], cursor: "4"))
        #expect(round.changes == [])
    }

    @Test(arguments: [false, true])
    func `a reading of all that expires begins again, and forgets what it had found`(isFirst: Bool) throws {
        let pages = isFirst ? try FollowedPages() : try followed()
        let round = try pages.round(
            (isFirst ? [] : [.status(410)]) + [
                .page([.mail("a", 1), .mail("x", 1)], next: "n"), .status(410, "syncStateNotFound"),
                .last([.mail("a", 1), .mail("b", 1)], cursor: "2"), .last([], cursor: "3"),
            ])
        #expect(round.changes == [])
        #expect(round.pauses == [2])
        #expect(pages.log.count == 2)
        // It was never told that x is there.
        #expect(try pages.round(.last([.removed("x"), .mail("x", 1)], cursor: "4")).changes == ["created x"])
        let again = try pages.round(
            .status(410), .last([.mail("a", 1), .mail("b", 1), .mail("x", 1)], cursor: "5"), .last([], cursor: "6"))
        #expect(again.changes == [])
    }

    @Test(arguments: [429, 500, 502, 503, 504, 404, 408, 409, 423])
    func `a passing failure is waited for, longer each time, and the same page is asked again`(status: Int) throws {
        let pages = try followed()
        let failures = Array(repeating: FollowedPages.Answer.status(status), count: 9)
        let round = try pages.round(
            [.page([.mail("a", 2)], next: "n")] + failures + [.last([.mail("c", 1)], cursor: "2")])
        #expect(round.changes == ["updated a", "created c"])
        #expect(round.pauses == [2, 4, 8, 16, 32, 64, 128, 256, 300])
        #expect(round.asked == ["1"] + Array(repeating: "n", count: 10))
    }

    @Test func `a network failure is waited for`() throws {
        let pages = try followed()
        let failure = GraphError(.network, message: "No answer.")
        #expect(try pages.round(.failure(failure), .last([.mail("a", 2)], cursor: "2")).changes == ["updated a"])
    }

    @Test func `a source that is not found stops, but a cursor that is not found is asked again`() throws {
        #expect(try FollowedPages().round(.status(404)).stop == "No.")
        let pages = try followed()
        let round = try pages.round(.status(404), .status(404), .last([.mail("a", 2)], cursor: "2"))
        #expect(round == .init(changes: ["updated a"], asked: ["1", "1", "1"], pauses: [2, 4]))
    }

    @Test(arguments: [401, 403, 405])
    func `a refusal stops the source and says why`(status: Int) throws {
        let pages = try followed()
        #expect(try pages.round(.status(status)).stop == "No.")
        try pages.restart()
        #expect(try pages.round(.last([.mail("a", 2)], cursor: "2")).asked == ["1"])
    }

    @Test(
        arguments: [
            [:], ["value": 1], ["value": []], ["value": [["subject": "no id"]], "@odata.deltaLink": "2"],
            ["value": [["id": ""]], "@odata.deltaLink": "2"], ["value": [1], "@odata.deltaLink": "2"], nil, [],
            ["value": [["id": "z"]], "@odata.nextLink": 1],
        ] as [Value])
    func `an answer that is none is waited for, and leaves no traces`(page: Value) throws {
        let pages = try followed()
        let round = try pages.round(.value(page), .value(page), .last([.mail("a", 2)], cursor: "2"))
        #expect(round == .init(changes: ["updated a"], asked: ["1", "1", "1"], pauses: [2, 4]))
        #expect(pages.log.count == 2)
    }

    @Test func `a page that leads to itself is asked again, more and more rarely`() throws {
        let pages = try followed()
        let round = try pages.round(
            .page([.mail("a", 2)], next: "n"), .page([.mail("c", 1)], next: "n"), .page([], next: "n"),
            .last([.mail("d", 1)], cursor: "2"))
        #expect(round == .init(changes: ["updated a", "created d"], asked: ["1", "n", "n", "n"], pauses: [2, 4]))
    }

    @Test func `too many changes stop the source, and its cursor is kept`() throws {
        let pages = try followed(.testing(maximum: 2))
        let many = try pages.round(
            .page([.mail("a", 2), .mail("c", 1)], next: "n"), .last([.mail("d", 1)], cursor: "2"))
        #expect(many.stop?.contains("more than 2 changes") == true)
        #expect(many.stop?.contains("--skip") == true)
        try pages.restart()
        let again = try pages.round(.last([.mail("a", 2), .mail("d", 1)], cursor: "2"))
        #expect(again == .init(changes: ["updated a", "created d"], asked: ["1"]))
    }

    @Test func `what a comparison does not find any more counts towards the maximum`() throws {
        let pages = try followed(.testing(maximum: 1))
        let round = try pages.round(.status(410), .last([], cursor: "2"), .last([], cursor: "2"))
        #expect(round.stop?.contains("more than 1 changes") == true)
    }

    // MARK: Items

    @Test func `a drive's root is no item, and a deleted file has a facet`() throws {
        let pages = try FollowedPages(.testing("/me/drive/root", .driveItem))
        let root: Value = ["id": "r", "root": [:], "eTag": "1"]
        let file: Value = ["id": "f", "eTag": "\"{F},1\"", "name": "Größe ‹x› 50 %.txt"]
        #expect(try pages.round(.last([root, file], cursor: "1"), .last([root], cursor: "1")).stop == nil)
        #expect(pages.log.count == 1)
        let gone: Value = ["id": "f", "deleted": ["state": "deleted"]]
        #expect(try pages.round(.last([root, gone], cursor: "2")).changes == ["deleted f"])
    }

    @Test func `an item without a version is compared by what is in it, in any order`() throws {
        let pages = try FollowedPages(.testing("/users", .user))
        let user: Value = ["id": "u", "displayName": "Ä", "jobTitle": nil]
        _ = try pages.round(.last([user], cursor: "1"), .last([], cursor: "1"))
        #expect(try pages.round(.last([["jobTitle": nil, "displayName": "Ä", "id": "u"]], cursor: "2")).changes == [])
        let other: Value = ["jobTitle": "B", "displayName": "Ä", "id": "u"]
        #expect(try pages.round(.last([other], cursor: "3")).changes == ["updated u"])
    }

    // MARK: Groups

    /// A group as a delta query lists it, with the members that came, and with a minus those that went.
    private static func group(_ id: String, _ name: String = "Größe", _ members: String...) -> Value {
        guard !members.isEmpty else { return ["id": .string(id), "displayName": .string(name)] }
        let list = members.map { name -> Value in
            name.hasPrefix("-") ? .removed(String(name.dropFirst())) : ["id": .string(name)]
        }
        return ["id": .string(id), "displayName": .string(name), "members@delta": .array(list)]
    }

    private func followedGroups() throws -> FollowedPages {
        let pages = try FollowedPages(.testing("/groups", .group))
        let all = Self.group("g", "Größe", "a", "b")
        #expect(try pages.round(.last([all, Self.group("h")], cursor: "1"), .last([], cursor: "1")).changes == [])
        return pages
    }

    @Test func `a member that comes or goes is a change of its group, once`() throws {
        let pages = try followedGroups()
        let come = Self.group("g", "Größe", "c")
        #expect(try pages.round(.last([come], cursor: "2")).changes == ["updated g"])
        #expect(try pages.round(.last([come], cursor: "3")).changes == [])
        #expect(try pages.round(.last([Self.group("g", "Größe", "-c")], cursor: "4")).changes == ["updated g"])
        #expect(try pages.round(.last([come, Self.group("h")], cursor: "5")).changes == ["updated g"])
    }

    @Test func `a group that is listed in pieces changes if one of them does`() throws {
        let pages = try followedGroups()
        let round = try pages.round(
            .page([Self.group("g", "Größe", "c")], next: "n"), .last([Self.group("g", "Größe", "a")], cursor: "2"))
        #expect(round.changes == ["updated g"])
    }

    @Test func `a comparison finds only members that came or went, whatever was listed before`() throws {
        let pages = try followedGroups()
        _ = try pages.round(.last([Self.group("g", "Größe", "c")], cursor: "2"))
        let same = Self.group("g", "Größe", "c", "b", "a")
        func compare(_ items: Value...) throws -> [String] {
            try pages.round(.status(410), .last(items, cursor: "3"), .last([], cursor: "3")).changes
        }
        #expect(try compare(same, Self.group("h")) == [])
        #expect(try compare(Self.group("h"), same) == [])
        #expect(try compare(Self.group("g", "Größe", "b", "a"), Self.group("h")) == ["updated g"])
        #expect(try compare(Self.group("g"), Self.group("h", "Größe", "x")) == ["updated h", "updated g"])
        #expect(try compare(Self.group("h", "Größe", "x")) == ["deleted g"])
        #expect(try compare(Self.group("h", "Größe", "x")) == [])
    }

    @Test func `the members of a group that is gone are gone as well`() throws {
        let pages = try followedGroups()
        #expect(try pages.round(.last([.removed("g")], cursor: "2")).changes == ["deleted g"])
        let round = try pages.round(.status(410), .last([Self.group("h")], cursor: "3"), .last([], cursor: "3"))
        #expect(round.changes == [])
        #expect(pages.log.count == 1)
    }
}
