import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows
@testable import WorkflowHistory

/// What a run writes to disk, and how it is read back.
@Suite struct JournalTests {
    private let runs = TemporaryRuns()
    private let run = "01J00000000000000000000001"
    private let task = JSONPointer(["do", "0", "greet"])

    private var kinds: [Event.Kind] {
        [
            .workflowStarted(input: ["to": "x"], context: ["to": "x"]), .taskCreated(task),
            .taskStarted(task, input: nil),
            .taskCompleted(task, output: ["greeting": "hello"], context: nil, then: .continue),
            .workflowCompleted(output: ["a": 1]),
        ]
    }

    @Test func `the format is the one that was agreed on`() throws {
        let snapshot = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Snapshots/journal.jsonl")
        let journal = try Journal.begin(TemporaryRuns.header(run), text: TemporaryRuns.text, in: runs.folder)
        for event in try EventDecodingTests.all.get() { try journal.append(event) }
        let actual = try Data(contentsOf: URL(fileURLWithPath: runs.path(run)))
        if ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1" { try actual.write(to: snapshot) }
        let expected = try Data(contentsOf: snapshot)
        for (actual, expected) in zip(actual.split(separator: 10), expected.split(separator: 10)) {
            #expect(String(decoding: actual, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
        }
        #expect(actual == expected)
        let read = try Journal.read(run, in: runs.folder)
        #expect(read.header == TemporaryRuns.header(run))
        #expect(read.events.count == (try EventDecodingTests.all.get().count))
    }

    @Test func `events that wait for others are written soon, before others, when flushed and at the end`() throws {
        let header = TemporaryRuns.header(run)
        let events = TemporaryRuns.events(kinds, of: header)
        func written() throws -> [Int] { try Journal.read(run, in: runs.folder).events.map(\.number) }
        do {
            let journal = try Journal.begin(header, text: TemporaryRuns.text, in: runs.folder)
            try journal.append(events[0], .later)
            while try written().isEmpty { Thread.sleep(forTimeInterval: 0) }
            try journal.append(events[1], .later)
            try journal.append(events[2], .atOnce)
            #expect(try written() == [1, 2, 3])
            try journal.append(events[3], .later)
            #expect(try journal.flush())
            #expect(try written() == [1, 2, 3, 4])
            try journal.append(events[4], .later)
        }
        #expect(try written() == [1, 2, 3, 4, 5])
    }

    @Test func `events that the thread of flushes writes are in order among others, and none is left behind`() throws {
        let header = TemporaryRuns.header(run)
        let kinds = (0..<3_000).map { Event.Kind.taskCreated(JSONPointer(["do", "\($0)", "greet"])) }
        let events = TemporaryRuns.events(kinds, of: header)
        var flushes: [Promise<Void>] = []
        do {
            let journal = try Journal.begin(header, text: TemporaryRuns.text, in: runs.folder)
            try journal.append(events[0], .soon)
            while try Journal.read(run, in: runs.folder).events.isEmpty { Thread.sleep(forTimeInterval: 0) }
            for (index, event) in events.enumerated().dropFirst() {
                try journal.append(event, [.soon, .later, .soon, .atOnce][index % 4])
                if index % 100 == 0 { flushes.append(journal.flushed()) }
            }
        }
        for flush in flushes { try flush.wait() }
        // The thread of flushes may be the last that holds the journal.
        while try Journal.read(run, in: runs.folder).events.count < 3_000 { Thread.sleep(forTimeInterval: 0.001) }
        #expect(try Journal.read(run, in: runs.folder).events.map(\.number) == Array(1...3_000))
    }

    @Test(arguments: [("", true), ("use: { secrets: [key] }", false)])
    func `a journal of the first version is resumed if its workflow has no secrets`(use: String, isResumed: Bool)
        async throws
    {
        let text =
            "document: { dsl: 1.0.3, namespace: tests, name: journal, version: 1.0.0 }\n\(use)\ndo: [{ a: { set: { b: 1 } } }]\n"
        var header = TemporaryRuns.header(run)
        header.version = 1
        header.formerKey = Data(repeating: 7, count: 32)
        let workflow = try Workflow(text: text)
        let written = try Journal.begin(header, text: Data(text.utf8), in: runs.folder)
        try written.append(
            Event(
                number: 1, run: run, workflow: header.workflow, time: header.startedAt,
                kind: .workflowStarted(input: [:], context: ["a": "‹secrets.key·0123456789abcdef0123456789abcdef›"])))
        withExtendedLifetime(written) {}
        let read = try Journal.read(run, in: runs.folder)
        #expect(read.header.version == 1)
        #expect(read.events.count == 1)
        let runner = Runner.testing { _ in }
        do {
            #expect(try await runner.resume(workflow, written, from: read.events).value == ["b": 1])
            #expect(isResumed)
        } catch let error as JournalError {
            #expect(!isResumed)
            #expect(error.description.contains("version 1, which kept secrets in another way"))
        }
    }

    @Test func `a journal is gone on with where it ended`() throws {
        let events = try runs.record(Array(kinds.prefix(2)))
        do {
            let (journal, read) = try Journal.open(run, in: runs.folder)
            #expect(read.map { $0.record } == events.map { $0.record })
            #expect(try journal.workflowText == TemporaryRuns.text)
            for event in TemporaryRuns.events(kinds, of: journal.header).dropFirst(2) { try journal.append(event) }
            #expect(try journal.flush())
            #expect(try !journal.flush(), "nothing was written since")
            try journal.finish(output: ["a": 1])
        }
        let (_, read) = try Journal.open(run, in: runs.folder)
        #expect(read.map { $0.record } == TemporaryRuns.events(kinds, of: TemporaryRuns.header(run)).map { $0.record })
        #expect(try String(contentsOfFile: runs.path(run, "output.json"), encoding: .utf8) == "{\n  \"a\": 1\n}\n")
    }

    @Test(arguments: [
        ("a", true), (String(repeating: "a", count: 100), true), (String(repeating: "a", count: 101), false),
        ("", false),
        (".a", false), ("a.b-c_D9", true), ("a/b", false), ("ä", false),
    ])
    func `a run's name is up to a hundred letters, digits and marks that a folder can have`(name: String, isName: Bool)
    {
        #expect(RunsFolder.isName(name) == isName)
    }

    @Test func `what a run leaves is for its owner only`() throws {
        try runs.record(kinds)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        for name in ["", "blobs"] { #expect(try mode(runs.path(run, name)) == 0o700) }
        #expect(try mode(runs.folder.url.path) == 0o700)
        for name in ["journal.jsonl", "workflow", "lock"] { #expect(try mode(runs.path(run, name)) == 0o600) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: runs.folder.url.path) == [run])
    }

    @Test func `a run that is held is not removed with those that are over, and not named as removed`() throws {
        try runs.record(kinds)
        do {
            let (journal, _) = try Journal.open(run, in: runs.folder)
            #expect(try runs.folder.prune(keeping: 0) == [])
            #expect(try runs.folder.prune(endedBefore: .distantFuture) == [])
            #expect(try runs.folder.names == [run])
            _ = journal
        }
        #expect(try runs.folder.prune(keeping: 0) == [run])
        #expect(try runs.folder.names == [])
    }

    @Test func `events of a run inside of the run have its workflow`() throws {
        let journal = try Journal.begin(TemporaryRuns.header(run), text: TemporaryRuns.text, in: runs.folder)
        var inner = TemporaryRuns.workflow
        inner.name = "inner"
        for (number, kind) in [Event.Kind.workflowStarted(input: 1, context: 1), .taskStarted(task, input: nil)]
            .enumerated()
        {
            try journal.append(
                Event(
                    number: number + 1, run: "01J00000000000000000000002", workflow: inner,
                    time: journal.header.startedAt, kind: kind,
                    parent: Event.Parent(run: run, task: task)))
        }
        #expect(try Journal.read(run, in: runs.folder).events.map(\.workflow.name) == ["inner", "inner"])
    }

    @Test func `a journal that is cut at any byte is read up to its last whole line`() throws {
        let events = try runs.record(kinds)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: runs.path(run)))
        let header = try #require(bytes.firstIndex(of: 10)) + 1
        for length in 0...bytes.count {
            let cut = bytes.prefix(length)
            guard length >= header else {
                #expect(throws: JournalError.self) { try WholeJournal(cut) }
                continue
            }
            let text = try WholeJournal(cut)
            let whole = cut.count { $0 == 10 } - 1
            #expect(text.events.map { $0.record.json() } == events.prefix(whole).map { $0.record.json() })
            #expect(text.wholeSize == (cut.lastIndex(of: 10) ?? 0) + 1)
        }
    }

    @Test func `whoever opens a cut journal drops the torn line and goes on`() throws {
        try runs.record(kinds)
        let url = URL(fileURLWithPath: runs.path(run))
        let bytes = try Data(contentsOf: url)
        for cut in stride(from: 1, through: 200, by: 7) {
            try Self.overwrite(url, bytes.dropLast(cut))
            do {
                let (_, read) = try Journal.read(run, in: runs.folder)
                #expect(try Data(contentsOf: url) == bytes.dropLast(cut), "reading changes nothing")
                let (journal, events) = try Journal.open(run, in: runs.folder)
                #expect(events.count == read.count)
                for event in TemporaryRuns.events(kinds, of: journal.header).dropFirst(events.count) {
                    try journal.append(event)
                }
            }
            #expect(try Data(contentsOf: url) == bytes)
        }
    }

    @Test func `no bit of a journal can change without being noticed`() throws {
        let events = try runs.record(Array(kinds.dropFirst(2).prefix(2)))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: runs.path(run)))
        let last = try #require(bytes.dropLast().lastIndex(of: 10)) + 1
        for place in bytes.indices {
            for bit in Extent.of([0, 1, 2, 3, 4, 5, 6, 7], or: [place % 8]) {
                var flipped = bytes
                flipped[place] ^= 1 << UInt8(bit)
                guard let text = try? WholeJournal(flipped) else { continue }
                // The last line is cut and thus incomplete.
                #expect(place == bytes.count - 1 && text.wholeSize == last && text.events.count == events.count - 1)
            }
        }
    }

    @Test func `lines that were swapped, left out, put in twice or changed are found, and the first one is named`()
        throws
    {
        try runs.record(kinds)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: runs.path(run)))
        let lines = bytes.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
        func line(_ change: (inout [String]) -> Void) throws -> Int? {
            var changed = lines
            change(&changed)
            let text = Data(changed.map { $0 + "\n" }.joined().utf8)
            return try #require(throws: JournalError.self) { try WholeJournal(text) }.line
        }
        #expect(try line { $0.swapAt(2, 3) } == 3)
        #expect(try line { $0.remove(at: 3) } == 4)
        #expect(try line { $0.remove(at: 0) } == 1)
        #expect(try line { $0.insert($0[2], at: 3) } == 4)
        #expect(try line { $0.append($0[1]) } == 7)
        #expect(try line { $0[4] = $0[4].replacing("hello", with: "hullo") } == 5)
        #expect(try line { $0[5] = $0[5].replacing(#""a":1"#, with: #""a":2"#) } == 6)
        #expect(try line { $0[2] = "" } == 3)
    }

    @Test func `a line with another number than its place is found, though its checksum is right`() throws {
        var bytes: [UInt8] = []
        _ = JournalLine.append(Array("{\"a\":1}".utf8), to: &bytes, number: 3, after: "")
        let line = Data(bytes)
        #expect(try JournalLine.decode(line.dropLast(), number: 3, after: "").members["a"] == 1)
        let error = #expect(throws: JournalError.self) {
            try JournalLine.decode(line.dropLast(), number: 2, after: "")
        }
        #expect(error?.message == "line 2 of the journal is damaged: line 3 is in its place")
        let other = #expect(throws: JournalError.self) {
            try JournalLine.decode(line.dropLast(), number: 3, after: "x")
        }
        #expect(other?.message == "line 3 of the journal is damaged: its checksum is wrong")
    }

    static func overwrite(_ url: URL, _ bytes: Data) throws {
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    // MARK: What a kill leaves

    @Test(arguments: ["listed", "read"], ["none", "older"])
    func `the output that a kill kept from being written is derived from the journal`(
        reading: String, output: String
    ) throws {
        let value: Value = ["ü": "‹a› 🙂 \"%\"", "long": .string(String(repeating: "ä", count: 10_000)), "none": nil]
        let header = TemporaryRuns.header(run)
        let folder = try runs.folder.folder(of: run).folder
        let left = folder.path(of: ".output.json.4711.1234567.tmp")
        do {
            let journal = try Journal.begin(header, text: TemporaryRuns.text, in: runs.folder)
            if output == "older" { try journal.finish(output: ["former": true]) }
            let events = TemporaryRuns.events(kinds.dropLast() + [.workflowCompleted(output: value)], of: header)
            for event in events { try journal.append(event) }
            try Data("{".utf8).write(to: URL(fileURLWithPath: left))
            // A process works on it, and may be writing.
            _ = try runs.folder.summary(of: run)
            #expect(FileManager.default.fileExists(atPath: left))
        }
        if output == "older" {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: folder.path(of: "output.json"))
        }
        if reading == "listed" {
            #expect(try runs.folder.summaries().map(\.state) == [.completed])
        } else {
            _ = try Journal.read(run, in: runs.folder)
        }
        let path = folder.path(of: "output.json")
        #expect(try Value(json: Data(contentsOf: URL(fileURLWithPath: path))) == value)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(!FileManager.default.fileExists(atPath: left))
    }

    @Test func `of several processes that begin a run of one name, one does, and the others say so`() throws {
        let header = TemporaryRuns.header(run)
        let results = Locked<[Result<Journal, JournalError>]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let result = Result { () throws(JournalError) in
                try Journal.begin(header, text: TemporaryRuns.text, in: runs.folder)
            }
            results.withLock { $0.append(result) }
        }
        let all = results.withLock { $0 }
        #expect(all.count { if case .success = $0 { true } else { false } } == 1)
        for case .failure(let error) in all {
            #expect(error.code == .held)
            #expect(
                error.description == "the run \(run) was begun by another process a moment ago; repeat the command "
                    + "when that process has ended")
        }
        #expect(try runs.folder.folder.names().filter { $0.hasPrefix(".new-") } == [])
    }
}
