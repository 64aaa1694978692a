import Foundation
import TestSupport
import Testing
import WorkflowHTTP

@testable import Workflows
@testable import WorkflowHistory

/// The file of lines that journals, ledgers and inboxes are.
@Suite final class AppendOnlyLogTests {
    private let folder = PrivateFolder(
        path: FileManager.default.temporaryDirectory.appending(path: "log-\(UUID().uuidString)").path)

    init() throws { try folder.make() }

    deinit { try? FileManager.default.removeItem(atPath: folder.path) }

    private var url: URL { URL(fileURLWithPath: folder.path(of: "log")) }

    private func line(_ text: String) -> [UInt8] { Array(Value.object(["text": .string(text)]).jsonData()) }

    /// Creates a log whose lines after the first one have these texts.
    private func create(_ texts: [String]) throws -> AppendOnlyLog {
        var log = try AppendOnlyLog(creating: "log", in: folder, line("first"))
        try log.append(texts.map(line))
        return log
    }

    /// The texts of all lines, and where they end.
    private func read(
        _ bytes: Data, losing loss: LogReader.Loss = .lastLine
    ) throws -> (texts: [String], end: AppendOnlyLog.End) {
        let all = Array(bytes)
        var lines = LogReader("log", size: all.count, losing: loss) { offset, count throws(JournalError) in
            Array(all[offset..<min(offset + count, all.count)])
        }
        guard let first = try lines.first() else { return ([], lines.end) }
        var texts = [first]
        while let next = try lines.next() { texts.append(next) }
        return (texts.compactMap { $0["text"]?.string }, lines.end)
    }

    /// The bytes of a log with one line changed.
    private func changed(_ bytes: Data, line number: Int, _ change: (Data) -> Data) -> Data {
        var lines = bytes.split(separator: 10)
        lines[number - 1] = change(lines[number - 1])
        return Data(lines.joined(separator: [10])) + [10]
    }

    private static let hostile = [
        "", "  ", "Grüße aus Zürich", "👩‍👩‍👧 \u{202E}\u{2028}", "\"quotes\" \\ 'and' ‹these›", "100 % {{x}} ${ .y }",
        "a\nb\r\u{0}c",
        String(repeating: "ä", count: 10_000),
    ]

    @Test func `any text is read back as it was`() throws {
        let log = try create(Self.hostile)
        let (texts, end) = try read(try Data(contentsOf: url))
        #expect(texts == ["first"] + Self.hostile)
        #expect(end == log.end)
    }

    @Test func `a log that is cut at any byte continues after its last whole line`() throws {
        _ = try create(["ä", "👍 \"b\"", "c"])
        let bytes = try Data(contentsOf: url)
        let header = try #require(bytes.firstIndex(of: 10)) + 1
        for length in header...bytes.count {
            let file = try FileHandle(forWritingTo: url)
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: bytes.prefix(length))
            try file.close()
            let (texts, end) = try read(bytes.prefix(length))
            let whole = bytes.prefix(length).count { $0 == 10 }
            #expect(texts == Array(["first", "ä", "👍 \"b\"", "c"].prefix(whole)))
            var log = try AppendOnlyLog(try OpenFile(url.path, for: .appending), after: end)
            #expect(try Data(contentsOf: url).count == end.size)
            try log.append([line("next")])
            try log.synchronize()
            let again = try read(try Data(contentsOf: url))
            #expect(again.texts == texts + ["next"])
            #expect(again.end == log.end)
        }
        #expect(try read(bytes.prefix(header - 1)).texts.isEmpty)
    }

    @Test func `a line that is too large to be read back is not written, nor are those with it`() throws {
        var log = try create(["a"])
        let bytes = try Data(contentsOf: url)
        let large = line(String(repeating: "x", count: JournalLine.largest))
        #expect(throws: SystemError.self) { try log.append([self.line("b"), large]) }
        #expect(try Data(contentsOf: url) == bytes)
        try log.append([line("c")])
        #expect(try read(try Data(contentsOf: url)).texts == ["first", "a", "c"])
    }

    @Test func `the first damaged line is named, wherever lines are decoded together`() throws {
        // Groups end after 4,096 lines or 1 MB, and their parts after 512 lines.
        let texts = (2...5_000).map { String(repeating: "x", count: $0 % 1_700 == 0 ? 1 << 20 : 8) }
        _ = try create(texts)
        let bytes = try Data(contentsOf: url)
        #expect(try read(bytes).texts == ["first"] + texts)
        for number in [1, 2, 513, 1_700, 1_701, 4_097, 5_000] {
            var damaged = changed(bytes, line: number) { Data($0.map { $0 == UInt8(ascii: "t") ? 0x75 : $0 }) }
            #expect("\(number)") { try self.read(damaged) } throws: { ($0 as? JournalError)?.line == number }
            guard number == 1_701 || Extent.isWhole else { continue }
            damaged += Data(repeating: UInt8(ascii: "x"), count: JournalLine.largest + 1)
            #expect("\(number)") { try self.read(damaged) } throws: { ($0 as? JournalError)?.line == number }
        }
        let endless = bytes + Data(repeating: UInt8(ascii: "x"), count: JournalLine.largest + 1)
        #expect { try self.read(endless) } throws: { ($0 as? JournalError)?.line == 5_001 }
    }

    @Test(arguments: [2, 10, 4_097, 4_098]) func `blocks that never reached the disk are lost by the rule of the log`(
        count: Int
    ) throws {
        // The last line is the last one of a group, too.
        let log = try create((2...count).map(String.init))
        let bytes = try Data(contentsOf: url)
        let torn = changed(bytes, line: count) { _ in Data(count: 600) }
        for loss in [LogReader.Loss.lastLine, .rest] {
            let (texts, end) = try read(torn, losing: loss)
            #expect(texts.count == count - 1 && end.lineCount == count - 1)
            #expect(end.size == (bytes.dropLast().lastIndex(of: 10) ?? 0) + 1)
            #expect(throws: JournalError.self, "a few zeros are damage") {
                try read(changed(bytes, line: count) { _ in Data(count: 300) }, losing: loss)
            }
        }
        var longer = try AppendOnlyLog(try OpenFile(url.path, for: .appending), after: log.end)
        try longer.append([line("more")])
        let middle = changed(try Data(contentsOf: url), line: count) { _ in Data(count: 600) }
        #expect { try self.read(middle) } throws: { ($0 as? JournalError)?.line == count }
        #expect(try read(middle, losing: .rest).texts.count == count - 1)
        #expect(throws: JournalError.self, "the first line is never lost") {
            try read(changed(bytes, line: 1) { _ in Data(count: 600) }, losing: .rest)
        }
    }
}
