@testable import Promises
import Testing

/// Each test has a process of its own, because all handlers of a process share the order.
struct RandomOrderTests {
    @Test func `numbers are those of SplitMix64`() async {
        await #expect(processExitsWith: .success) {
            RandomOrder.begin(seed: 1_234_567)
            // Source: https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64
            let published: [UInt64] = [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ]
            for number in published { #expect(RandomOrder.draw(below: .max) == Int(number % UInt64(Int.max))) }
        }
    }

    /// The order in which handlers run: five of each promise, of as many promises as settle in one handler.
    @Sendable private static func order(promises: Int, seed: UInt64?) async throws -> [Int] {
        let ran = Locked<[Int]>([])
        if let seed { RandomOrder.begin(seed: seed) } else { RandomOrder.end() }
        try await Promise.value(()).then {
            let handled = (0..<promises).flatMap { promise in
                let (source, resolver) = Promise<Int>.pending()
                let handled = (0..<5).map { number in
                    source.map { _ in ran.withLock { $0.append(10 * promise + number) } }
                }
                resolver.fulfill(0)
                return handled
            }
            return when(fulfilled: handled)
        }.value
        return ran.withLock { $0 }
    }

    @Test func `handlers run in an order that is drawn, those of one promise in the order of their registration`() async
    {
        await #expect(processExitsWith: .success) {
            let inTurn = (0..<20).flatMap { promise in (0..<5).map { 10 * promise + $0 } }
            #expect(try await Self.order(promises: 20, seed: nil) == inTurn)
            var drawn: Set<[Int]> = []
            for seed in 1...20 as ClosedRange<UInt64> {
                let order = try await Self.order(promises: 20, seed: seed)
                #expect(order.sorted() == inTurn)
                for promise in 0..<20 {
                    #expect(order.filter { $0 / 10 == promise } == (0..<5).map { 10 * promise + $0 })
                }
                #expect(try await Self.order(promises: 20, seed: seed) == order)
                drawn.insert(order)
            }
            #expect(drawn.count == 20)
            RandomOrder.end()
            #expect(try await Self.order(promises: 20, seed: nil) == inTurn)
        }
    }

    @Test(.timeLimit(.minutes(60))) func `what has run in such an order is released`() async {
        await #expect(processExitsWith: .success) {
            RandomOrder.begin(seed: 1)
            let released = Counter()
            for _ in 0..<100 {
                let (source, resolver) = Promise<Token>.pending()
                let handled = (0..<5).map { _ in source.map { $0 } }
                resolver.fulfill(Token(released))
                _ = try await when(fulfilled: handled).value
            }
            while released.count < 100 { await settle() }
            #expect(released.count == 100)
        }
    }
}
