import Foundation
import TestSupport
import Testing

@testable import Workflows

/// What the ledger of a batch holds, and how it is read back.
@Suite struct BatchLedgerTests {
    private let batches = TemporaryRuns()
    private let batch = "welcome-2-of-8"
    private var folder: BatchFolder { get throws { try batches.folder.batch(batch) } }

    private var header: BatchLedger.Header {
        var header = BatchLedger.Header(
            batch: batch, name: "welcome", source: "/data/users.csv", sourceDigest: "sha256:00", key: ".mail",
            shard: [2, 8], total: 3, startedAt: Date(timeIntervalSince1970: 1_000_000_000.25))
        header.allowsDuplicates = true
        header.concurrency = 16
        header.rate = 12.5
        header.maxFailures = "5%"
        return header
    }

    private func entry(_ number: Int, _ state: BatchEntry.State = .completed) -> BatchEntry {
        BatchEntry(
            item: "item\(number)", key: ["mail": .string("\(number)@contoso.com")], state: state,
            run: "\(batch).item\(number)", place: number + 1,
            error: state == .completed ? nil : ["type": "urn:x", "status": 500, "title": "T", "detail": "d"],
            startedAt: Date(timeIntervalSince1970: 1_000_000_000),
            endedAt: Date(timeIntervalSince1970: 1_000_000_001.5))
    }

    private func begin() throws -> (Journal, BatchLedger) {
        let journal = try Journal.begin(
            TemporaryRuns.header(batch), text: TemporaryRuns.text, in: batches.folder)
        return (journal, try BatchLedger.create(header, in: try folder))
    }

    private func read() throws -> (header: BatchLedger.Header, lines: [BatchLedger.Line]) {
        var lines: [BatchLedger.Line] = []
        let header = try BatchLedger.read(try folder) { lines.append($0) }
        return (header, lines)
    }

    private var text: Data {
        get throws { try Data(contentsOf: URL(fileURLWithPath: try folder.ledger)) }
    }

    private func write(_ text: Data) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: try folder.ledger))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: text)
        try file.close()
    }

    @Test func `what is written is read back`() throws {
        let (journal, ledger) = try begin()
        let resumption = BatchLedger.Resumption(
            time: Date(timeIntervalSince1970: 1_000_000_002), sourceDigest: "sha256:01", total: 4)
        let lines: [BatchLedger.Line] = [
            .entry(entry(0)), .entry(entry(1, .faulted)), .resumed(resumption), .entry(entry(1, .unknown)),
        ]
        for line in lines { try ledger.append(line) }
        let read = try read()
        #expect(read.header == header)
        #expect(read.lines == lines)
        let isAtWork = try folder.isAtWork
        withExtendedLifetime(journal) { #expect(isAtWork) }
    }

    @Test func `the format is the one that was agreed on`() throws {
        let (_, ledger) = try begin()
        try ledger.append(.entry(entry(0, .faulted)))
        let lines = String(decoding: try text, as: UTF8.self).split(separator: "\n").map { line in
            String(line.prefix(upTo: line.firstRange(of: #","checksum""#)?.lowerBound ?? line.endIndex))
        }
        #expect(
            lines == [
                #"{"format":"graphflow-batch","version":1,"batch":"welcome-2-of-8","name":"welcome","#
                    + #""source":"/data/users.csv","sourceDigest":"sha256:00","key":".mail","shard":[2,8],"total":3,"#
                    + #""startedAt":"2001-09-09T01:46:40.250Z","allowDuplicates":true,"concurrency":16,"rate":12.5,"#
                    + #""maxFailures":"5%","line":1"#,
                #"{"item":"item0","key":{"mail":"0@contoso.com"},"state":"faulted","run":"welcome-2-of-8.item0","#
                    + #""place":1,"error":{"type":"urn:x","status":500,"title":"T","detail":"d"},"#
                    + #""startedAt":"2001-09-09T01:46:40.000Z","endedAt":"2001-09-09T01:46:41.500Z","line":2"#,
            ])
    }

    @Test func `a line that was being written is dropped, and the next one takes its place`() throws {
        do {
            let (_, ledger) = try begin()
            try ledger.append(.entry(entry(0)))
            try ledger.append(.entry(entry(1)))
        }
        try write(try text.dropLast(10))
        #expect(try read().lines == [.entry(entry(0))])
        var lines: [BatchLedger.Line] = []
        let ledger = try BatchLedger.open(try folder) { lines.append($0) }
        #expect(lines == [.entry(entry(0))])
        try ledger.append(.entry(entry(2, .unknown)))
        #expect(try read().lines == [.entry(entry(0)), .entry(entry(2, .unknown))])
    }

    @Test func `blocks that a power failure kept from the disk are dropped with all after them`() throws {
        let (_, ledger) = try begin()
        for number in 0..<20 { try ledger.append(.entry(entry(number))) }
        var bytes = Array(try text)
        for index in 2_048..<3_072 { bytes[index] = 0 }
        try write(Data(bytes))
        let kept = try read().lines
        #expect(!kept.isEmpty && kept == (0..<kept.count).map { .entry(entry($0)) })
        _ = try BatchLedger.open(try folder) { _ in }
        #expect(try read().lines == kept)
    }

    @Test func `a changed line is refused`() throws {
        let (_, ledger) = try begin()
        for number in 0..<3 { try ledger.append(.entry(entry(number))) }
        let changed = String(decoding: try text, as: UTF8.self)
            .replacingOccurrences(of: #""item":"item1""#, with: #""item":"item7""#)
        try write(Data(changed.utf8))
        let error = #expect(throws: JournalError.self) { try read() }
        #expect(error?.code == .damaged)
        #expect(error?.line == 3)
        #expect(error?.message == "line 3 of the ledger is damaged: its checksum is wrong")
    }

    @Test func `lines after one that never reached the disk are written again`() throws {
        let (journal, ledger) = try begin()
        for number in 1...20 { try ledger.append(.entry(entry(number))) }
        withExtendedLifetime(journal) {}
        var lines = try text.split(separator: 10)
        lines[9] = Data(repeating: 0, count: 600)
        try write(Data(lines.joined(separator: [10])) + [10])
        #expect(try read().lines.count == 8)
        let reopened = try BatchLedger.open(try folder) { _ in }
        try reopened.append(.entry(entry(1)))
        #expect(try read().lines.count == 9)
    }

    @Test func `a ledger of a newer version, of another format or without a first line is refused`() throws {
        _ = try begin()
        let whole = String(decoding: try text, as: UTF8.self)
        try write(Data(whole.replacingOccurrences(of: #""version":1"#, with: #""version":2"#).utf8))
        #expect(#expect(throws: JournalError.self) { try read() }?.code == .newerVersion)
        try write(Data(whole.replacingOccurrences(of: "graphflow-batch", with: "graphflow-other").utf8))
        #expect(#expect(throws: JournalError.self) { try read() }?.code == .damaged)
        try write(Data(whole.utf8.dropLast(3)))
        #expect(#expect(throws: JournalError.self) { try read() }?.line == 1)
    }

    @Test func `a batch that is not there is not found`() throws {
        #expect(#expect(throws: JournalError.self) { try read() }?.code == .notFound)
        #expect(#expect(throws: JournalError.self) { try batches.folder.batch("../x") }?.code == .notFound)
    }

    @Test func `counts know what is pending`() {
        var counts = BatchCounts(total: 5)
        counts[.completed] += 2
        counts[.faulted] += 1
        counts[.unknown] += 1
        #expect(counts.pending == 1)
        #expect(counts.over == 4)
        #expect(BatchEntry.State.allCases.map { counts[$0] } == [2, 1, 1])
    }
}
