import Foundation
import TestSupport
import Testing

@testable import Workflows
@testable import WorkflowHistory

/// Journals and folders that graphflow has not written.
@Suite struct HostileJournalTests {
    private let runs = TemporaryRuns()
    private let run = "01J00000000000000000000001"
    private let task = JSONPointer(["do", "0", "greet"])
    private var url: URL { URL(fileURLWithPath: runs.path(run)) }

    private func code(_ body: () throws -> Void) throws -> JournalError.Code? {
        do {
            try body()
            return nil
        } catch let error as JournalError {
            return error.code
        }
    }

    private func opened() throws -> JournalError.Code? {
        let codes = [
            try code { _ = try Journal.open(run, in: runs.folder) },
            try code { _ = try Journal.read(run, in: runs.folder) },
        ]
        #expect(codes[0] == codes[1])
        return codes[0]
    }

    @Test(
        arguments: [
            "", "\n", "x", "\n\n\n", "{}\n", "[]\n", "null\n", "{\"format\":\"graphflow-journal\"}\n",
            "{\"format\":\"graphflow-journal\",\"version\":0}\n",
            "{\"format\":\"graphflow-journal\",\"version\":\"1\"}\n",
            String(repeating: "[", count: 200_000) + "\n", "{\"a\":" + String(repeating: "[", count: 20_000),
            "\u{FEFF}{}\n",
            "{\"format\":\"graphflow-journal\",\"version\":1,\"line\":1,\"checksum\":\"0000000000000000\"}\n",
        ])
    func `a file that is no journal is refused`(text: String) throws {
        try runs.record([])
        try JournalTests.overwrite(url, Data(text.utf8))
        #expect(try opened() == .damaged)
    }

    @Test func `bytes that are no UTF-8 are refused`() throws {
        try runs.record([.taskStarted(task, input: nil), .taskStarted(task, input: nil)])
        var bytes = try Data(contentsOf: url)
        bytes[bytes.count / 2] = 0xFF
        try JournalTests.overwrite(url, bytes)
        #expect(try opened() == .damaged)
        try JournalTests.overwrite(url, Data((0...255).map { UInt8($0) }))
        #expect(try opened() == .damaged)
    }

    @Test func `a line without end is refused, and not taken for one that was being written`() throws {
        try runs.record([.taskStarted(task, input: nil)])
        let bytes = try Data(contentsOf: url)
        try JournalTests.overwrite(url, bytes + Data(repeating: UInt8(ascii: "a"), count: JournalLine.largest + 1))
        #expect(try opened() == .damaged)
        let error = #expect(throws: JournalError.self) { try Journal.read(run, in: runs.folder) }
        #expect(error?.line == 3)
        #expect(error?.message == "line 3 of the journal is damaged: it is too long")
        #expect(try Data(contentsOf: url).count > JournalLine.largest, "what is not understood is left alone")
    }

    @Test func `blocks that a loss of power left empty are dropped at the end`() throws {
        try runs.record([
            .taskStarted(task, input: nil),
            .taskCompleted(task, output: .string(String(repeating: "x", count: 3_000)), context: nil, then: .continue),
        ])
        let bytes = try Data(contentsOf: url)
        var torn = bytes
        torn.replaceSubrange(bytes.count - 2_000..<bytes.count - 1_000, with: Data(count: 1_000))
        let dropped = try WholeJournal(torn)
        #expect(dropped.events.count == 1)
        #expect(dropped.wholeSize == bytes.dropLast().lastIndex(of: 10).map { $0 + 1 })
        #expect(try WholeJournal(bytes + Data(count: 4_096)).events.count == 2)
        // In the middle it is damage, since later lines follow.
        torn = bytes
        torn.replaceSubrange(100..<1_000, with: Data(count: 900))
        #expect(throws: JournalError.self) { try WholeJournal(torn) }
    }

    @Test func `a journal of a newer version is refused with that word, whatever its lines look like`() throws {
        try runs.record([])
        let newer = "{\"format\":\"graphflow-journal\",\"version\":\(Journal.Header.version + 1)}\n(binary)\n"
        try JournalTests.overwrite(url, Data(newer.utf8))
        #expect(try opened() == .newerVersion)
    }

    @Test(arguments: ["..", ".", "", "a/b", "../01J", ".new-x", "a\u{0}b", "é", String(repeating: "A", count: 200)])
    func `what cannot be a run's name names none`(name: String) throws {
        #expect(try code { _ = try Journal.open(name, in: runs.folder) } == .notFound)
        #expect(
            try code { _ = try Journal.begin(TemporaryRuns.header(name), text: Data(), in: runs.folder) } == .refused)
    }

    @Test func `a run that is not there is not found, and nothing is made for it`() throws {
        #expect(try opened() == .notFound)
        #expect(!FileManager.default.fileExists(atPath: runs.home.path))
    }

    @Test func `a run is begun once`() throws {
        try runs.record([.taskStarted(task, input: nil)])
        #expect(throws: JournalError.self) { try runs.record([]) }
        #expect(try Journal.read(run, in: runs.folder).events.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: runs.folder.url.path) == [run])
    }

    @Test func `symbolic links stand for nothing`() throws {
        let manager = FileManager.default
        try runs.record([])
        try manager.createSymbolicLink(atPath: runs.folder.url.path + "/LINK", withDestinationPath: runs.path(run, ""))
        #expect(try code { _ = try Journal.open("LINK", in: runs.folder) } == .failed)
        try manager.moveItem(atPath: runs.path(run), toPath: runs.path(run, "other"))
        try manager.createSymbolicLink(atPath: runs.path(run), withDestinationPath: "other")
        #expect(try opened() == .failed)
        let away = runs.home.appendingPathComponent("away").path
        try manager.moveItem(atPath: runs.folder.url.path, toPath: away)
        try manager.createSymbolicLink(atPath: runs.folder.url.path, withDestinationPath: away)
        #expect(try opened() == .failed)
        #expect(try code { try runs.record([], as: "01J00000000000000000000009") } == .failed)
    }

    @Test func `what others can read or change is refused, and what to do is said`() throws {
        let manager = FileManager.default
        try runs.record([])
        for (path, mode) in [(runs.path(run), 0o644), (runs.path(run, ""), 0o755), (runs.folder.url.path, 0o750)] {
            let old = try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let error = try #require(throws: JournalError.self) { try Journal.open(run, in: runs.folder) }
            #expect(error.code == .refused)
            #expect(error.message.contains("chmod \(mode == 0o644 ? "600" : "700")"))
            try manager.setAttributes([.posixPermissions: old ?? 0], ofItemAtPath: path)
        }
        #expect(try opened() == nil)
    }

    @Test func `a pipe in the journal's place keeps nobody waiting`() throws {
        try runs.record([])
        try FileManager.default.removeItem(atPath: runs.path(run))
        #expect(unsafe mkfifo(runs.path(run), 0o600) == 0)
        #expect(try opened() == .refused)
    }

    @Test func `a run is opened by one at a time, and by the next when that one lets go`() throws {
        try runs.record([])
        do {
            let (journal, _) = try Journal.open(run, in: runs.folder)
            #expect(try code { _ = try Journal.open(run, in: runs.folder) } == .held)
            #expect(try Journal.read(run, in: runs.folder).header == journal.header)
        }
        #expect(try opened() == nil)
    }
}
