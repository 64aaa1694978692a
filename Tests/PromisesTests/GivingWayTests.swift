import Foundation
import Promises
import Synchronization
import Testing

/// Handlers that compute for long.
///
/// A time limit counts from the beginning of all tests, which a busy machine performs at the same time.
@Suite struct GivingWayTests {
    /// Computes in a handler beside others until a promise is settled.
    private func compute(until end: Promise<Void>) -> Promise<Bool> {
        Promise.value(()).map {
            let absence = Absence()
            while end.isPending { Thread.sleep(forTimeInterval: 0.001) }
            absence?.end()
            return end.isFulfilled
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `what was ready and what becomes ready runs beside a handler that gives way`() async throws {
        let (first, second) = (Promise<Void>.pending(), Promise<Void>.pending())
        let computation = compute(until: second.promise)
        // Ready before the computation gives way, or sent to its thread meanwhile.
        Promise.value(()).done { first.resolver.fulfill(()) }.cauterize()
        first.promise.then { after(.milliseconds(1)) }.done { second.resolver.fulfill(()) }.cauterize()
        #expect(try await computation.value)
    }

    @Test(.timeLimit(.minutes(60)))
    func `many handlers compute beside each other, and each one's chain goes on`() async throws {
        let end = Promise<Void>.pending()
        let computations = (0..<40).map { _ in compute(until: end.promise).map { $0 } }
        after(.milliseconds(1)).then { after(.milliseconds(1)) }.done { end.resolver.fulfill(()) }
        #expect(try await when(fulfilled: computations).value == [Bool](repeating: true, count: 40))
    }

    @Test(.timeLimit(.minutes(60)))
    func `handlers run one after another and in order, but for the time in which one gives way`() async throws {
        let isInside = Atomic(false)
        let overlaps = Counter()
        for _ in 0..<50 {
            let (source, end, trace) = (Promise<Void>.pending(), Promise<Void>.pending(), Trace())
            let handled = (0..<20).map { number in
                source.promise.map {
                    if isInside.exchange(true, ordering: .relaxed) { overlaps.next() }
                    trace.add("\(number)")
                    isInside.store(false, ordering: .relaxed)
                }
            }
            // Settled beside the handlers that it lets run, by a handler whose own ones come after these.
            let computation = Promise.value(()).map {
                let absence = Absence()
                source.resolver.fulfill(())
                while end.promise.isPending { Thread.sleep(forTimeInterval: 0.001) }
                absence?.end()
                if isInside.exchange(true, ordering: .relaxed) { overlaps.next() }
                isInside.store(false, ordering: .relaxed)
            }
            let last = computation.map { trace.add("last") }
            when(fulfilled: handled).done { end.resolver.fulfill(()) }.cauterize()
            try await last.value
            #expect(trace.entries == (0..<20).map { "\($0)" } + ["last"])
        }
        #expect(overlaps.count == 0)
    }

    @Test(.timeLimit(.minutes(60)))
    func `a handler that waits lets one give way that runs meanwhile`() async throws {
        let end = Promise<Void>.pending()
        let waiting = Promise.value(()).map { try compute(until: end.promise).wait() }
        Promise.value(()).done { end.resolver.fulfill(()) }.cauterize()
        #expect(try await waiting.value)
    }

    @Test func `what a handler settles while it gives way runs where it was attached`() async throws {
        let (queue, key) = (DispatchQueue(label: "own"), DispatchSpecificKey<Bool>())
        queue.setSpecific(key: key, value: true)
        let (source, resolver) = Promise<Int>.pending()
        let isThere = source.map(on: queue) { _ in DispatchQueue.getSpecific(key: key) == true }
        let hasGivenWay = Promise.value(()).map {
            let absence = Absence()
            resolver.fulfill(1)
            absence?.end()
            return absence != nil
        }
        #expect(try await hasGivenWay.value)
        #expect(try await isThere.value)
    }

    @Test func `outside a handler nothing gives way`() { #expect(Absence() == nil) }
}
