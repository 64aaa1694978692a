import Dispatch
@testable import Promises
import Synchronization
import Testing

struct CombiningTests {
    @Test func `when rejects with the first error`() async {
        let (late, _) = Promise<Int>.pending()
        await #expect(throws: Failure(code: 1)) {
            try await when(fulfilled: [late, Promise(error: Failure(code: 1))]).value
        }
    }

    @Test func `when takes what is settled, what is pending and what fails, in any order`() async throws {
        let (early, earlyResolver) = Promise<Int>.pending()
        let (late, lateResolver) = Promise<Int>.pending()
        let all = when(fulfilled: [.value(1), late, .value(3), early])
        let pair = when(fulfilled: late, early.map { String($0) })
        let outcomes = when(resolved: [early, Promise(error: Failure(code: 2)), late])
        earlyResolver.fulfill(4)
        #expect(all.isPending && pair.isPending && outcomes.isPending)
        lateResolver.fulfill(2)
        #expect(try await all.value == [1, 2, 3, 4])
        #expect(try await pair.value == (2, "4"))
        let texts = await outcomes.value.map { outcome in
            switch outcome {
            case .success(let value): "\(value)"
            case .failure(let error): "\(error as? Failure == Failure(code: 2))"
            }
        }
        #expect(texts == ["4", "true", "2"])
    }

    @Test(arguments: ["fulfilled", "rejected", "cancelled"])
    func `what a when has kept is released once, however it ends`(_ ending: String) async {
        let released = Counter()
        do {
            let (first, firstResolver) = Promise<Token>.pending()
            let (second, secondResolver) = Promise<Token>.pending()
            let all = when(fulfilled: [first, second])
            firstResolver.fulfill(Token(released))
            switch ending {
            case "fulfilled": secondResolver.fulfill(Token(released))
            case "rejected": secondResolver.reject(Failure())
            default: all.cancel()
            }
            _ = try? await all.value
        }
        await settle()
        #expect(released.count == (ending == "fulfilled" ? 2 : 1))
    }

    @Test func `what a when has kept is released with it, if a promise can no longer be settled`() async {
        let released = Counter()
        do {
            let (first, firstResolver) = Promise<Token>.pending()
            let all: Promise<[Token]>
            do {
                let second = Promise<Token>.pending()
                all = when(fulfilled: [first, second.promise])
                firstResolver.fulfill(Token(released))
                withExtendedLifetime(second) {}
            }
            #expect(all.isPending)
        }
        await settle()
        #expect(released.count == 1)
    }

    @Test func `when of nothing is fulfilled`() async throws {
        #expect(try await when(fulfilled: [Promise<Int>]()).value == [])
        #expect(await when(resolved: [Promise<Int>]()).value.isEmpty)
    }

    @Test func `when takes tuples of two to five`() async throws {
        let (a, b) = (Promise.value(1), Promise.value("x"))
        #expect(try await when(fulfilled: a, b).value == (1, "x"))
        #expect(try await when(fulfilled: a, b, a).value == (1, "x", 1))
        #expect(try await when(fulfilled: a, b, a, b).value == (1, "x", 1, "x"))
        #expect(try await when(fulfilled: a, b, a, b, a).value == (1, "x", 1, "x", 1))
    }

    @Test(arguments: [1, 2, 7, 100])
    func `when over an iterator never has more under way than allowed`(_ limit: Int) async throws {
        let running = Counter.Gauge()
        var made = 0
        let iterator = AnyIterator<Promise<Int>> {
            guard made < 50 else { return nil }
            made += 1
            let index = made
            running.enter()
            return DispatchQueue.global().async(.promise) { () throws -> Int in
                running.leave()
                return index
            }
        }
        #expect(try await when(fulfilled: iterator, concurrently: limit).value == Array(1...50))
        #expect(running.maximum <= limit)
    }

    @Test func `an iterator may settle an earlier promise while it makes the next`() async throws {
        let (first, resolver) = Promise<Int>.pending()
        var made = 0
        let iterator = AnyIterator<Promise<Int>> {
            made += 1
            switch made {
            case 1: return first
            case 2: resolver.fulfill(1)
            case 3: break
            default: return nil
            }
            return .value(made)
        }
        #expect(try await when(fulfilled: iterator, concurrently: 2).value == [1, 2, 3])
    }

    @Test func `when over an iterator without room for any is rejected`() async {
        await #expect(throws: PromiseError.self) {
            try await when(fulfilled: AnyIterator { Promise.value(1) }, concurrently: 0).value
        }
    }

    @Test func `a race that is over before it begins waits for nobody, and handles what has lost already`() {
        let (pending, lost) = (Promise<Int>.pending(), Promise<Int>(error: Failure()))
        let first = race(pending.promise, .value(1), lost)
        #expect(first.result.map { try? $0.get() } == 1)
        #expect(pending.promise.state.word.load(ordering: .relaxed) & Word.pointer == 0)
        #expect(lost.state.word.load(ordering: .relaxed) & Word.unobserved == 0)
        let second = race(pending.promise, lost, .value(1))
        #expect(second.isRejected)
        second.cauterize()
    }

    @Test func `race takes the first outcome, and the first value where only values count`() async throws {
        let (late, _) = Promise<Int>.pending()
        #expect(try await race(late, Promise.value(2)).value == 2)
        await #expect(throws: Failure()) { try await race(late, Promise(error: Failure())).value }
        #expect(try await race(fulfilled: [Promise(error: Failure()), Promise.value(3)]).value == 3)
        await #expect(throws: PromiseError.self) { try await race(fulfilled: [Promise<Int>(error: Failure())]).value }
        await #expect(throws: PromiseError.self) { try await race([Promise<Int>]()).value }
    }

    @Test func `sequences are mapped, filtered and sorted`() async throws {
        let values = Promise.value([3, 1, 2])
        #expect(try await values.mapValues { $0 * 2 }.value == [6, 2, 4])
        #expect(try await values.flatMapValues { [$0, $0] }.value == [3, 3, 1, 1, 2, 2])
        #expect(try await values.compactMapValues { $0 == 1 ? nil : $0 }.value == [3, 2])
        #expect(try await values.thenMap { Promise.value($0 + 1) }.value == [4, 2, 3])
        #expect(try await values.thenFlatMap { Promise.value([$0]) }.value == [3, 1, 2])
        #expect(try await values.filterValues { $0 > 1 }.value == [3, 2])
        #expect(try await values.firstValue.value == 3)
        #expect(try await values.firstValue { $0 < 3 }.value == 1)
        #expect(try await values.lastValue.value == 2)
        #expect(try await values.sortedValues().value == [1, 2, 3])
        await #expect(throws: PromiseError.self) { try await Promise.value([Int]()).lastValue.value }
    }

    @Test func `a value of any size and kind arrives whole, and is released once`() async throws {
        struct Large: Sendable, Equatable { var a = 1, b = 2, c = 3, d = 4 }
        let released = Counter()
        do {
            let (promise, resolver) = Promise<Token>.pending()
            let next = promise.map { ($0, "text", Large()) }
            resolver.fulfill(Token(released))
            let (_, text, large) = try await next.value
            #expect(text == "text" && large == Large())
        }
        #expect(try await Promise.value(SIMD4<Double>(1, 2, 3, 4)).map { $0 * 2 }.value == SIMD4(2, 4, 6, 8))
        await settle()
        #expect(released.count == 1)
    }

    @Test func `what a handler holds is released when it has run, or cannot run any more`() async throws {
        let released = Counter()
        func chain(_ promise: Promise<Int>) -> Promise<Int> {
            let token = Token(released)
            return promise.map { value in withExtendedLifetime(token) { value } }
        }
        let ran = chain(.value(1))
        _ = try await ran.value
        await settle()
        #expect(released.count == 1)
        let cancelled = chain(Promise<Int>.pending().promise)
        cancelled.cancel()
        #expect(released.count <= 2)
        withExtendedLifetime(ran) {}
    }
}

extension Counter {
    /// Counts the running work and its maximum.
    final class Gauge: Sendable {
        private let state = Trace.Slot<(now: Int, maximum: Int)>()
        func enter() { state.update { $0 = ($0.now + 1, max($0.maximum, $0.now + 1)) } }
        func leave() { state.update { $0.now -= 1 } }
        var maximum: Int { state.value?.maximum ?? 0 }
    }
}

extension Trace.Slot where Value == (now: Int, maximum: Int) {
    func update(_ body: (inout Value) -> Void) {
        locked { value in
            var changed = value ?? (0, 0)
            body(&changed)
            value = changed
        }
    }
}
