import Promises
import TestSupport
import Testing

@testable import Workflows

/// Which run begins next.
struct RunQueueTests {
    private let begun = Locked<[String]>([])
    private let ends = Locked<[String: Resolver<Void>]>([:])

    private func add(_ runs: [String], to queue: RunQueue) {
        for run in runs {
            queue.add(String(run.prefix(1))) { [begun, ends] in
                let (end, resolver) = Promise<Void>.pending()
                ends.withLock { $0[run] = resolver }
                begun.withLock { $0.append(run) }
                return end
            }
        }
    }

    /// The runs that have begun, when there are so many.
    private func begun(_ count: Int) async -> [String] {
        while begun.withLock({ $0.count }) < count { await pause() }
        return begun.withLock { $0 }
    }

    private func end(_ run: String) { ends.withLock { $0[run] }?.fulfill(()) }

    @Test func `workflows take turns, and the runs of one begin in their order`() async {
        let queue = RunQueue(limit: 1, limitPerWorkflow: 1)
        add(["a1", "a2", "a3", "a4", "b1", "c1", "b2"], to: queue)
        let order = ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]
        for (index, run) in order.enumerated() {
            #expect(await begun(index + 1) == Array(order.prefix(index + 1)))
            #expect(queue.activeCount == 1)
            end(run)
        }
        try? await queue.noneLeft.value
        #expect(queue.activeCount == 0)
    }

    @Test func `a workflow has no more runs at work than its share`() async {
        let queue = RunQueue(limit: 3, limitPerWorkflow: 2)
        add(["a1", "a2", "a3", "b1", "b2"], to: queue)
        #expect(Set(await begun(3)) == ["a1", "a2", "b1"])
        end("b1")
        #expect(await begun(4).last == "b2")
        end("a1")
        #expect(await begun(5).last == "a3")
        for run in ["a2", "a3", "b2"] { end(run) }
        try? await queue.noneLeft.value
    }

    @Test func `a closed queue begins nothing more`() async {
        let queue = RunQueue(limit: 1, limitPerWorkflow: 1)
        add(["a1", "a2"], to: queue)
        _ = await begun(1)
        queue.close()
        add(["a3"], to: queue)
        end("a1")
        try? await queue.noneLeft.value
        #expect(begun.withLock { $0 } == ["a1"])
    }
}
