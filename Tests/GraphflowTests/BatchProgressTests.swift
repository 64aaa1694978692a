import Foundation
import Promises
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// What is shown of a batch while it goes on.
@Suite struct BatchProgressTests {
    private typealias Item = TemporaryBatches.Item
    private let start = TemporaryBatches.start

    private func status(isVerbose: Bool = false) -> BatchStatus {
        BatchStatus("newsletter", isVerbose: isVerbose, startedAt: start)
    }

    private func counts(_ total: Int, completed: Int = 0, faulted: Int = 0) -> BatchCounts {
        var counts = BatchCounts(total: total)
        (counts.completed, counts.faulted) = (completed, faulted)
        return counts
    }

    private func ended(_ item: Item) -> BatchEvent {
        .itemEnded(TemporaryBatches.entry(item, of: "newsletter"), output: nil)
    }

    private func lines(_ status: BatchStatus, width: Int = 100, height: Int = 20, after seconds: Double) -> [String] {
        status.lines(width: width, height: height, now: start.addingTimeInterval(seconds), colour: false)
    }

    /// A batch of 2,000 items, of which 500 were over before and 100 ended in 10 seconds.
    private var halfway: BatchStatus {
        var status = status()
        _ = status.apply(.began(counts(2_000, completed: 500)), at: start)
        for number in 1...150 { _ = status.apply(.itemBegan(item: "\(number)"), at: start) }
        for number in 1...100 {
            let item = Item(number: number, state: number <= 3 ? .faulted : number == 4 ? .unknown : .completed)
            _ = status.apply(ended(item), at: start.addingTimeInterval(Double(number) / 10))
        }
        return status
    }

    @Test func `the lines say how far it is, how fast, what failed, and how long it will take`() {
        #expect(
            lines(halfway, after: 10) == [
                "… newsletter           600/2,000 · 10/s · 2 min left  ███████░░░░░░░░░░░░░░░░░",
                "✗ 3 faulted, 1 unknown 3 × 404 Not Found · 1 × 404 Not Found",
                "  … in flight          50",
            ])
        #expect(
            halfway.line(now: start.addingTimeInterval(10)).text(width: nil, colour: false)
                == "… newsletter           600/2,000 · 10/s · 2 min left · 50 in flight · 3 faulted, 1 unknown")
    }

    @Test func `what failed before a batch goes on counts when it ends again`() {
        var status = status()
        _ = status.apply(.began(counts(3, completed: 1, faulted: 2)), at: start)
        #expect(lines(status, after: 0)[0].hasPrefix("… newsletter           1/3 · "))
        _ = status.apply(ended(Item(number: 2)), at: start)
        _ = status.apply(ended(Item(number: 3, state: .faulted)), at: start)
        #expect(status.counts == counts(3, completed: 2, faulted: 1))
    }

    @Test func `the time for which the service holds requests is shown, and summed up`() {
        var status = halfway
        _ = status.apply(.held(until: start.addingTimeInterval(30)), at: start.addingTimeInterval(10))
        _ = status.apply(.held(until: start.addingTimeInterval(25)), at: start.addingTimeInterval(12))
        let held = lines(status, after: 15)
        #expect(held[1] == "‖ held by the service, 15 s left", "\(held)")
        #expect(held[3] == "  … in flight          50 · waited 5.0 s for throttling", "\(held)")
        _ = status.apply(.released, at: start.addingTimeInterval(40))
        #expect(lines(status, after: 50).last == "  … in flight          50 · waited 20.0 s for throttling")
        #expect(lines(status, after: 50).count == 3)
    }

    @Test(arguments: [(1, 100), (2, 100), (20, 40), (20, 10), (1, 3), (5, 1)])
    func `the lines fit into any window`(height: Int, width: Int) {
        var status = halfway
        _ = status.apply(.held(until: start.addingTimeInterval(30)), at: start.addingTimeInterval(10))
        _ = status.apply(.stopping(.failures), at: start.addingTimeInterval(10))
        let lines = lines(status, width: width, height: height, after: 11)
        #expect(lines.count <= height && !lines.isEmpty)
        #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
        #expect(lines[0].hasPrefix("…"))
    }

    @Test func `the first item of each kind of error has a line, or each item`() {
        var brief = status()
        var verbose = status(isVerbose: true)
        let items = [
            Item(number: 1), Item(number: 2, state: .faulted), Item(number: 3, state: .faulted),
            Item(number: 4, state: .unknown, status: 504, title: "Gateway\u{1B}[2J Timeout"),
        ]
        func texts(_ status: inout BatchStatus) -> [String] {
            items.compactMap { status.apply(ended($0), at: start)?.text(width: nil, colour: false) }
        }
        #expect(
            texts(&brief) == [
                "✗ user2@contoso.com    404 Not Found: item 2 was refused",
                "✗ user4@contoso.com    unknown, 504 Gateway [2J Timeout: item 4 was refused",
            ])
        #expect(texts(&verbose).map { String($0.prefix(1)) } == ["✓", "✗", "✗", "✗"])
        for number in 1...100 {
            _ = brief.apply(ended(Item(number: number, state: .faulted, title: "title \(number)")), at: start)
        }
        #expect(brief.apply(ended(Item(number: 999, state: .faulted, title: "new")), at: start) == nil)
    }

    @Test func `the end says how many completed, and what failed`() {
        var status = halfway
        _ = status.apply(.ended(counts(2_000, completed: 1_990, faulted: 8)), at: start.addingTimeInterval(90))
        let lines = status.summary(now: start.addingTimeInterval(90)).map { $0.text(width: nil, colour: false) }
        #expect(lines[0] == "✗ 1,990 of 2,000 completed, 8 faulted, 2 not ended, in 1 min 30 s", "\(lines)")
        #expect(lines[1] == "  ✗ 3 × 404 Not Found: user3@contoso.com, user2@contoso.com, user1@contoso.com")
        #expect(lines[2] == "  ✗ 1 × unknown, 404 Not Found: user4@contoso.com")
        var whole = self.status()
        _ = whole.apply(.ended(counts(2, completed: 2)), at: start)
        #expect(whole.summary(now: start).map { $0.text(width: nil, colour: false) } == ["✓ 2 of 2 completed, in 0 ms"])
    }

    @Test(
        arguments: [
            (ConsoleRecorder.Detail.usual, true, 3), (.usual, false, 1), (.quiet, true, 2), (.quiet, false, 0),
            (.verbose, true, 4), (.verbose, false, 2),
        ])
    func `in a pipe there is a line for what failed, and the end`(
        detail: ConsoleRecorder.Detail, fails: Bool, count: Int
    ) {
        let console = TestConsole()
        let progress = BatchProgress(console.console, "newsletter", detail)
        progress.take(.began(counts(2)))
        progress.take(ended(Item(number: 1)))
        if fails { progress.take(ended(Item(number: 2, state: .faulted))) }
        progress.take(.ended(counts(2, completed: fails ? 1 : 2, faulted: fails ? 1 : 0)))
        progress.end()
        let lines = console.standardError.split(separator: "\n")
        #expect(lines.count == count, "\(lines)")
        #expect(!console.standardError.contains("\u{1B}"))
    }
}
