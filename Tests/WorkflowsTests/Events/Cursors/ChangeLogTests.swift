import Foundation
import Testing

@testable import WorkflowHistory
@testable import Workflows

/// What a source of changes has seen, on disk.
@Suite final class ChangeLogTests: Sendable {
    private let folder = PrivateFolder(
        path: FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: "c-\(UUID())").path)
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    deinit { try? FileManager.default.removeItem(atPath: folder.path) }

    private var path: String { folder.path(of: "changes.jsonl") }

    private func open(in folder: PrivateFolder? = nil) throws -> ChangeLog {
        try ChangeLog(in: folder ?? self.folder, of: "/me/mailFolders/inbox/messages", at: now)
    }

    private func event(_ log: ChangeLog, _ number: Int) throws -> CloudEvent {
        try CloudEvent([
            "specversion": "1.0", "id": .string(log.eventID(number)), "source": "/me", "type": "t",
            "data": ["subject": "Größe ‹x›\n\u{2028}\"%\" 😀", "none": nil],
        ])
    }

    /// Three rounds: two items, one of them again with an event, and one that goes.
    private func write(_ log: inout ChangeLog) throws {
        try log.note([("a ‹ä› \"%\" 😀", ItemVersion("1")), ("b", ItemVersion("1"))])
        try log.commit(cursor: "c1", at: now)
        try log.note([("b", ItemVersion("2"))], [event(log, 0)])
        try log.note([], [event(log, 1), event(log, 2)])
        try log.commit(leavingOut: [1], cursor: "c2", at: now.addingTimeInterval(1))
        try log.delivered()
        try log.note([("a ‹ä› \"%\" 😀", nil)], [event(log, 0)])
        try log.commit(cursor: "c3", at: now.addingTimeInterval(2))
    }

    /// What a log knows, in words.
    private func state(of log: ChangeLog) throws -> String {
        let versions = ["a ‹ä› \"%\" 😀", "b"].map { id in
            ["1", "2"].first { log.version(of: id) == ItemVersion($0) } ?? "-"
        }
        return "\(log.cursor ?? "none") \(versions.joined()) \(try log.undelivered.events.count)"
    }

    private func set(_ bytes: Data, in folder: PrivateFolder) throws {
        try folder.makeWithParents()
        let path = folder.path(of: "changes.jsonl")
        try bytes.write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    @Test func `a log that is opened again knows the same`() throws {
        var log = try open()
        #expect(log.cursor == nil && log.writtenAt == nil && log.count == 0)
        try write(&log)
        #expect(try state(of: log) == "c3 -2 1")
        let ids = try log.undelivered.events
        log.close()
        var again = try open()
        #expect(try state(of: again) == "c3 -2 1")
        #expect(try again.undelivered.events == ids)
        #expect(again.count == 1)
        #expect(again.writtenAt == now.addingTimeInterval(2))
        try again.delivered()
        again.close()
        #expect(try state(of: ChangeLog(reading: folder)) == "c3 -2 0")
        // Events of later rounds have other ids.
        #expect(ids.first?.id != again.eventID(0))
        #expect(try ChangeLog(reading: PrivateFolder(path: folder.path + "-none")).cursor == nil)
    }

    @Test func `a file that is cut off anywhere is that of its last whole round, and continues`() throws {
        var log = try open()
        try write(&log)
        log.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let lines = whole.split(separator: UInt8(ascii: "\n"))
        let header = lines[0].count + 1
        var seen: [String] = []
        let place = PrivateFolder(path: folder.path + "/cut")
        for count in 0...whole.count {
            try set(whole.prefix(count), in: place)
            guard count >= header else {
                #expect(throws: JournalError.self, "\(count)") { _ = try open(in: place) }
                continue
            }
            var cut = try open(in: place)
            let state = try state(of: cut)
            if seen.last != state { seen.append(state) }
            // What remains of an unfinished round is no part of the next one.
            try cut.note([("b", ItemVersion("2"))])
            try cut.commit(cursor: "next", at: now)
            let expected = try self.state(of: cut)
            cut.close()
            #expect(try self.state(of: ChangeLog(reading: place)) == expected)
        }
        #expect(seen == ["none -- 0", "c1 11 0", "c2 12 2", "c2 12 0", "c3 -2 1"])
    }

    @Test func `a byte that has changed is an error, or that of an unfinished line`() throws {
        var log = try open()
        try write(&log)
        log.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let last = try #require(whole.dropLast().lastIndex(of: UInt8(ascii: "\n")))
        let place = PrivateFolder(path: folder.path + "/flipped")
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 0x11
            try set(bytes, in: place)
            do {
                var opened = try open(in: place)
                opened.close()
                #expect(index > last, "byte \(index) of \(whole.count)")
                #expect(["c2 12 0", "c3 -2 1"].contains(try state(of: opened)))
            } catch let error as JournalError {
                #expect(error.code == .damaged || error.code == .newerVersion, "\(error)")
                #expect(error.code != .damaged || error.hint?.contains("move it away") == true, "\(error)")
            }
            // What is not the end of a round is cut off.
            let content = try Data(contentsOf: URL(fileURLWithPath: place.path(of: "changes.jsonl")))
            #expect(bytes.starts(with: content), "byte \(index)")
        }
    }

    @Test func `a round that is forgotten leaves nothing`() throws {
        var log = try open()
        try log.note([("x", ItemVersion("1"))])
        #expect(log.hasOpenItems)
        try log.abandon()
        #expect(!log.hasOpenItems)
        try log.note([("y", ItemVersion("1"))])
        try log.commit(cursor: "c", at: now)
        log.close()
        let again = try ChangeLog(reading: folder)
        #expect(again.version(of: "x") == nil && again.version(of: "y") == ItemVersion("1"))
    }

    @Test func `what is superseded is removed, also if every round has events`() throws {
        var log = try open()
        let ids = (0..<20_000).map { "item ‹\($0)› " + String(repeating: "ä", count: 40) }
        for round in 0..<12 {
            try log.note(ids.map { ($0, ItemVersion("\(round)")) } + [("gone \(round)", ItemVersion("1"))])
            try log.note([("gone \(round)", nil)], [event(log, 0)])
            try log.commit(cursor: "c\(round)", at: now)
            try log.delivered()
        }
        let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(size < 18 << 20)
        #expect(log.count == ids.count)
        let id = log.eventID(0)
        #expect(try log.missing(from: Set(ids.dropFirst(2).map(ItemHash.init))).sorted() == ids.prefix(2).sorted())
        log.close()
        var again = try open()
        #expect(again.count == ids.count && again.cursor == "c11" && again.eventID(0) == id)
        #expect(again.version(of: ids[19_999]) == ItemVersion("11"))
        try again.note([("new", ItemVersion("1"))])
        try again.commit(cursor: "c12", at: now)
        again.close()
        #expect(try ChangeLog(reading: folder).count == ids.count + 1)
    }

    @Test func `two processes cannot write at once, and a closed log writes nothing`() throws {
        var log = try open()
        #expect {
            _ = try open()
        } throws: { error in
            (error as? JournalError)?.code == .held && "\(error)".contains("follows the changes of /me/mailFolders")
        }
        // Looking is possible meanwhile.
        _ = try ChangeLog(reading: folder)
        log.close()
        var other = try open()
        #expect(throws: JournalError.self) { try log.note([("x", ItemVersion("1"))]) }
        #expect(throws: JournalError.self) { try log.commit(cursor: "c", at: now) }
        #expect(log.cursor == nil)
        try other.commit(cursor: "d", at: now)
        other.close()
        #expect(try ChangeLog(reading: folder).cursor == "d")
    }

    @Test func `a file of another kind is refused`() throws {
        for text in ["", "\n", "{}\n", "[]\n", "null\n", String(repeating: "[", count: 10_000)] {
            try set(Data(text.utf8), in: folder)
            #expect(throws: JournalError.self, "\(text.prefix(10))") { _ = try open() }
        }
    }
}
