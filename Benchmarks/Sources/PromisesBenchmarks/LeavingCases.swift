import Dispatch
import Promises

/// What is no longer needed: cancelled consumers, the losers of races, the rounds of a loop that are over.
enum LeavingCases {
    private static let many = 1_000_000
    private static let some = 100_000

    static func cancelledWhen() -> Double {
        median(operations: many, runs: 3) {
            let pairs = (0..<many).map { _ in Promise<Int>.pending() }
            let all = when(fulfilled: pairs.map(\.promise))
            let duration = time { all.cancel() }
            keep(pairs)
            return duration
        }
    }

    static func cancelledChain() -> Double {
        median(operations: many, runs: 3) {
            let (first, resolver) = Promise<Int>.pending()
            var last = first
            for _ in 0..<many { last = last.map { $0 + 1 } }
            let duration = time { last.cancel() }
            keep(resolver)
            return duration
        }
    }

    static func newestFirst() -> Double { left { $0.reversed() } }

    static func oldestFirst() -> Double { left { $0 } }

    private static func left(_ order: ([Promise<Int>]) -> [Promise<Int>]) -> Double {
        median(operations: some) {
            let (promise, resolver) = Promise<Int>.pending()
            let staying = promise.map { $0 }
            let leaving = order((0..<some).map { _ in promise.map { $0 } })
            let duration = time { for each in leaving { each.cancel() } }
            keep((staying, resolver))
            return duration
        }
    }

    static func wideRace() -> Double {
        median(operations: some) {
            let pairs = (0..<some).map { _ in Promise<Int>.pending() }
            return time {
                let first = race(pairs.map(\.promise))
                pairs[some / 2].resolver.fulfill(1)
                keep(first)
            }
        }
    }

    static func manyRaces() -> Double {
        let (never, resolver) = Promise<Int>.pending()
        defer { keep(resolver) }
        return median(operations: some) {
            time { for number in 0..<some { keep(race(never, Promise.value(number))) } }
        }
    }

    static func round(_ rest: Int, isInline: Bool, _ last: Promise<Int>) -> Promise<Int> {
        if rest == 0 { return last }
        let promise = Promise.value(rest - 1)
        return isInline
            ? promise.then(on: nil) { round($0, isInline: true, last) }
            : promise.then { round($0, isInline: false, last) }
    }

    static func loop(isInline: Bool) -> Double {
        median(operations: many, runs: 3) {
            time { keep(try? round(many, isInline: isInline, .value(0)).wait()) }
        }
    }
}

/// Threads that make chains of ten links and settle them.
enum ThreadCases {
    static func chains(threads: Int, isInline: Bool) -> Double {
        let (links, count) = (10, 40_000 / threads)
        return median(operations: threads * count * links) {
            let gate = Gate()
            return time {
                DispatchQueue.concurrentPerform(iterations: threads) { _ in
                    for number in 1...count {
                        let (first, resolver) = Promise<Int>.pending()
                        var last = first
                        for _ in 0..<links { last = isInline ? last.map(on: nil) { $0 + 1 } : last.map { $0 + 1 } }
                        if number == count { last.done(on: nil) { _ in gate.open() }.cauterize() } else { keep(last) }
                        resolver.fulfill(number)
                    }
                }
                for _ in 0..<threads { gate.wait() }
            }
        }
    }
}
