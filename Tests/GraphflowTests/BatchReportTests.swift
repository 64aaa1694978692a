import Foundation
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// `graphflow batch --report`: the shards of a batch as one.
@Suite struct BatchReportTests {
    private typealias Item = TemporaryBatches.Item
    private let batches = TemporaryBatches()

    private func report(_ paths: [String], name: String? = nil) throws -> (status: Int32, text: String) {
        let console = batches.console()
        let status = try BatchReport.print(folders: paths, name: name, json: false, on: console.console)
        return (status.rawValue, console.standardOutput)
    }

    private func json(_ paths: [String], name: String? = nil) throws -> Value {
        let console = batches.console()
        _ = try BatchReport.print(folders: paths, name: name, json: true, on: console.console)
        return try Value(json: console.standardOutput)
    }

    private func record(_ index: Int, of count: Int, total: Int = 2, _ items: [Item]? = nil) throws {
        try batches.record(
            "news-\(index)-of-\(count)", name: "news", shard: [index, count], total: total,
            items ?? (1...total).map { Item(number: index * 100 + $0) })
    }

    @Test func `shards that are complete are one complete batch`() throws {
        for index in 1...3 { try record(index, of: 3) }
        for place in [[batches.home], [batches.folder.url.path], (1...3).map { batches.path("news-\($0)-of-3", "") }] {
            let (status, text) = try report(place)
            #expect(status == 0)
            #expect(text.hasPrefix("batch    news, 3 shards\nitems    6, 6 completed\n"), "\(text)")
        }
    }

    @Test func `a shard that is missing is said, and the whole has failed`() throws {
        for index in [1, 2, 4] { try record(index, of: 4) }
        let (status, text) = try report([batches.home])
        #expect(status == 1)
        #expect(text.contains("\nmissing  shard 3\n"), "\(text)")
        #expect(try json([batches.home])["missing"] == [3])
        #expect(try json([batches.home])["complete"] == false)
    }

    @Test(
        arguments: [
            ([BatchEntry.State.completed, .faulted], 1), ([.faulted, .unknown], 4),
            ([.completed], 1), ([.completed, .completed], 0),
        ])
    func `the exit status is that of the whole`(states: [BatchEntry.State], status: Int) throws {
        try record(1, of: 2)
        try record(2, of: 2, states.enumerated().map { Item(number: 200 + $0.offset, state: $0.element) })
        let result = try report([batches.home])
        #expect(result.status == Int32(status))
        #expect(result.text.contains("shard 2  1 of 2 not finished") == (states.count == 1), "\(result.text)")
    }

    @Test func `a shard that was begun on two machines counts once, as far as it came`() throws {
        let other = TemporaryBatches()
        try batches.record(
            "news-1-of-1", name: "news", shard: [1, 1], total: 4,
            [Item(number: 1), Item(number: 2, state: .unknown), Item(number: 3, state: .faulted)])
        try other.record(
            "news-1-of-1", name: "news", shard: [1, 1], total: 4,
            [Item(number: 1, state: .faulted), Item(number: 2), Item(number: 3), Item(number: 4)])
        for homes in [[batches.home, other.home], [other.home, batches.home]] {
            let (status, text) = try report(homes)
            #expect(status == 0)
            #expect(text.contains("items    4, 4 completed\n"), "\(text)")
            #expect(text.contains("overlap  3 items are in more than one ledger, counted once"), "\(text)")
            #expect(!text.contains("✗"))
        }
    }

    @Test func `ledgers that others may read, and lines that were printed, are merged as well`() throws {
        try record(1, of: 2)
        let ledger = batches.home + "/copy.jsonl"
        try FileManager.default.copyItem(atPath: batches.path("news-1-of-2"), toPath: ledger)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: ledger)
        let results = batches.home + "/results.jsonl"
        let name = TemporaryBatches.name(201)
        try Data(
            """
            {"key":"a","state":"faulted","error":{"type":"t","status":404,"title":"Not Found"},"run":"news-2-of-2.\(name)"}
            {"key":"a","state":"completed","output":1,"run":"news-2-of-2.\(name)"}
            {"key":"b","sta
            """.utf8
        ).write(to: URL(fileURLWithPath: results))
        let (status, text) = try report([ledger, results])
        #expect(status == 0)
        #expect(text.contains("items    3, 3 completed\n"), "\(text)")
        #expect(text.contains("files of results do not say whether there are more"), "\(text)")
    }

    @Test func `other batches, other divisions and other files are refused`() throws {
        try record(1, of: 2)
        try batches.record("other", name: "other", total: 1, [Item(number: 1)])
        func message(_ body: () throws -> Void) -> String {
            do { try body() } catch { return Failure(error).text(colour: false) }
            return ""
        }
        #expect(message { _ = try report([batches.home]) }.contains("there are 2 batches there: news, other"))
        #expect(try report([batches.home], name: "other").status == 0)
        #expect(message { _ = try report([batches.home], name: "third") }.contains("there is no batch 'third' there"))
        try record(1, of: 4)
        #expect(message { _ = try report([batches.home], name: "news") }.contains("some are of 2, some of 4"))
        #expect(message { _ = try report([batches.home + "/nowhere"]) }.contains("nowhere cannot be read"))
        let text = batches.home + "/text"
        try Data("hello\n".utf8).write(to: URL(fileURLWithPath: text))
        #expect(message { _ = try report([text]) }.contains("line 1 is not the result of an item"))
        let url = URL(fileURLWithPath: batches.path("other"))
        let changed = try String(contentsOf: url, encoding: .utf8).replacingOccurrences(of: "user1@", with: "user2@")
        try Data(changed.utf8).write(to: url)
        #expect(message { _ = try report([batches.path("other", "")]) }.contains("is damaged"))
    }
}
