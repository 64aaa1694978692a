import Foundation
import TestSupport
import Testing
import WorkflowHTTP

@testable import Workflows

/// A small file system in memory, which requires root.
private final class SmallDisk: Sendable {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("disk-\(UUID().uuidString)")

    init(bytes: Int) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try #require(Self.run("mount", "-t", "tmpfs", "-o", "size=\(bytes),mode=700", "none", folder.path))
    }

    func resize(to bytes: Int) throws {
        try #require(Self.run("mount", "-o", "remount,size=\(bytes)", folder.path))
    }

    deinit {
        _ = Self.run("umount", "-l", folder.path)
        try? FileManager.default.removeItem(at: folder)
    }

    static let canBeMade: Bool = {
        #if os(Linux)
            guard geteuid() == 0, let disk = try? SmallDisk(bytes: 65_536) else { return false }
            return withExtendedLifetime(disk) { true }
        #else
            return false
        #endif
    }()

    private static func run(_ arguments: String...) -> Bool {
        guard
            let process = try? SystemCall.spawn(
                "/usr/bin/env", ["env"] + arguments, environment: ProcessInfo.processInfo.environment)
        else { return false }
        return SystemCall.awaitEnd(of: process) == 0
    }
}

/// A full disk.
@Suite(.enabled(if: SmallDisk.canBeMade, "only root can make a small file system")) struct FullDiskTests {
    private let run = "01J00000000000000000000001"
    private let task = JSONPointer(["do", "0", "greet"])

    @Test(arguments: [3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20])
    func `what was written before the disk was full is whole, and the run goes on when there is room`(pages: Int) throws
    {
        let disk = try SmallDisk(bytes: pages * 4_096)
        let runs = RunsFolder(disk.folder.appendingPathComponent("runs", isDirectory: true))
        let header = TemporaryRuns.header(run)
        let kinds = (0..<200).map { number -> Event.Kind in
            .taskCompleted(
                task, output: .string(String(repeating: "x", count: number * 7)), context: nil, then: .continue)
        }
        let events = TemporaryRuns.events(kinds, of: header)
        var written = 0
        do throws(JournalError) {
            let journal = try Journal.begin(header, text: TemporaryRuns.text, in: runs)
            for event in events {
                try journal.append(event)
                try journal.flush()
                written += 1
            }
        } catch {
            #expect(error.code == .failed)
            #expect(error.message.contains("No space left on device"), "\(error)")
        }
        #expect(written < events.count)
        try disk.resize(to: 4 << 20)
        guard try runs.names == [run] else {
            // If there was no room for the run's folder, nothing remains of it.
            #expect(try runs.names.isEmpty && written == 0)
            try runs.prune(keeping: 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: disk.folder.path).count <= 1)
            return
        }
        let file = runs.url.appendingPathComponent("\(run)/journal.jsonl")
        #expect(try Data(contentsOf: file).last == 10, "no part of a line stays behind")
        let (journal, read) = try Journal.open(run, in: runs)
        #expect(read.map { $0.record.json() } == events.prefix(written).map { $0.record.json() })
        for event in events.dropFirst(written) { try journal.append(event) }
        #expect(try Journal.read(run, in: runs).events.count == events.count)
    }

    @Test func `bytes for which there is no room make the journal fail, and leave nothing behind`() throws {
        let disk = try SmallDisk(bytes: 64 << 10)
        let runs = RunsFolder(disk.folder.appendingPathComponent("runs", isDirectory: true))
        let journal = try Journal.begin(TemporaryRuns.header(run), text: TemporaryRuns.text, in: runs)
        let value = journal.blobs.keep(Blob(Data(count: 1 << 20)))
        #expect(try journal.blobs.blob(value).size == 1 << 20, "this process still has them")
        let blobs = runs.url.appendingPathComponent("\(run)/blobs").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: blobs).isEmpty)
        for _ in 0..<2 {
            let event = TemporaryRuns.events([.taskStarted(task, input: nil)], of: journal.header)[0]
            let error = try #require(throws: JournalError.self) { try journal.append(event) }
            #expect(error.message.contains("No space left on device"))
        }
        #expect(throws: JournalError.self) { try journal.flush() }
    }

    @Test func `a run with secrets does not begin where there is no room for its key, and leaves nothing`() throws {
        let disk = try SmallDisk(bytes: 64 << 10)
        let runs = RunsFolder(disk.folder.appendingPathComponent("runs", isDirectory: true))
        try runs.folder.makeWithParents()
        let filler = disk.folder.appendingPathComponent("filler")
        #expect(FileManager.default.createFile(atPath: filler.path, contents: nil))
        #expect(throws: (any Error).self) {
            try FileHandle(forWritingTo: filler).write(contentsOf: Data(repeating: 1, count: 1 << 20))
        }
        var runner = Runner.testing { _ in }
        runner.secrets = .values(["key": SecretValue("s3cr3t-k3y")])
        let workflow = try Workflow(tasks: "- keep: { set: '${ $secrets.key }' }", rest: "use: { secrets: [key] }")
        let error = #expect(throws: JournalError.self) { try runner.journal(of: workflow, in: runs) }
        #expect(error?.code == .failed)
        #expect(error?.message.contains("No space left on device") == true, "\(String(describing: error))")
        #expect(try FileManager.default.contentsOfDirectory(atPath: runs.folder.path).isEmpty)
        try disk.resize(to: 4 << 20)
        let journal = try runner.journal(of: workflow, in: runs)
        #expect(try runs.names == [journal.header.run])
    }

    @Test(arguments: [3, 4, 5, 8, 13])
    func `an inbox refuses what does not fit, keeps what it has accepted, and goes on when there is room`(
        pages: Int
    ) throws {
        let disk = try SmallDisk(bytes: pages * 4_096)
        let folder = PrivateFolder(path: disk.folder.appendingPathComponent("inbox").path)
        func event(_ number: Int) throws -> CloudEvent {
            try CloudEvent([
                "specversion": "1.0", "id": .string("e\(number)"), "source": "/test", "type": "t",
                "data": .string(String(repeating: "x", count: number * 7)),
            ])
        }
        var inbox: Inbox? = try Inbox(in: folder)
        var (accepted, refused) = ([Int](), [Int]())
        for number in 0..<200 {
            let events = [try event(number), try event(number + 1_000)]
            do throws(Inbox.Refusal) {
                _ = try inbox?.accept(events)
                accepted.append(number)
            } catch {
                refused.append(number)
            }
        }
        #expect(!refused.isEmpty)
        try disk.resize(to: 4 << 20)
        for number in refused { _ = try inbox?.accept([event(number), event(number + 1_000)]) }
        inbox = nil
        let again = try Inbox(in: folder)
        var reader = InboxReader(again, from: 0)
        var found: [String] = []
        while let event = try reader.next() { found.append(event.id) }
        #expect(found == (accepted + refused).flatMap { ["e\($0)", "e\($0 + 1_000)"] })
    }
}
