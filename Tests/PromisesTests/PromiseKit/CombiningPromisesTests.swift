import Dispatch
import Promises
import Testing

/// What PromiseKit's `WhenTests`, `WhenResolvedTests`, `WhenConcurrentTests` and `RaceTests` check, in addition to ours.
struct CombiningPromisesTests {
    @Test func `when of promises of nothing has no value`() async throws {
        let (pending, resolver) = Promise<Void>.pending()
        let all = when(fulfilled: Promise(), pending, Promise.value(1).done { _ in }, Promise())
        #expect(all.isPending)
        resolver.fulfill()
        try await all.value
    }

    @Test func `when is rejected with the first of several errors, and leaves nothing to report`() async {
        let codes = Array(1...3)
        let all = when(fulfilled: codes.map { Promise<Int>(error: Failure(code: $0)) })
        await #expect(throws: Failure(code: 1)) { try await all.value }
        let both = when(fulfilled: Promise<Int>(error: Failure(code: 1)), Promise<Void>(error: Failure(code: 2)))
        await #expect(throws: Failure(code: 1)) { try await both.value }
    }

    @Test func `when is rejected while others are pending, which go on`() async throws {
        let (slow, resolver) = Promise<Int>.pending()
        let all = when(fulfilled: slow, Promise<Bool>(error: Failure()), Promise.value("a"))
        await #expect(throws: Failure()) { try await all.value }
        let straggler = slow.ensure {}
        resolver.reject(Failure(code: 2))
        await #expect(throws: Failure(code: 2)) { try await straggler.value }
    }

    @Test func `when waits for every outcome, and is over at once if all are there`() {
        let pairs = (0..<3).map { _ in Promise<Void>.pending() }
        let ended = Counter()
        when(resolved: pairs.map(\.promise)).done(on: nil) { _ in ended.next() }
        for pair in pairs {
            #expect(ended.count == 0)
            pair.resolver.fulfill_()
        }
        #expect(ended.count == 1)
        when(resolved: Promise()).done(on: nil) { _ in ended.next() }
        when(resolved: Promise.value(2), Promise(error: Failure()), Promise.value(4)).done(on: nil) { _ in ended.next()
        }
        #expect(ended.count == 3)
    }

    @Test func `when over an iterator that makes nothing is fulfilled`() async throws {
        #expect(try await when(fulfilled: AnyIterator<Promise<Int>> { nil }, concurrently: 5).value == [])
        #expect(await when(resolved: AnyIterator<Promise<Int>> { nil }, concurrently: 5).value.isEmpty)
    }

    @Test func `when over an iterator is rejected with an error that comes later`() async {
        var numbers = (0..<42).makeIterator()
        let iterator = AnyIterator<Promise<Int>> {
            numbers.next().map { number in
                Guarantee.value(number).map { if $0 == 21 { throw Failure(code: 21) } else { $0 } }
            }
        }
        let all = when(fulfilled: iterator, concurrently: 3)
        await #expect(throws: Failure(code: 21)) { try await all.value }
    }

    @Test(arguments: [0, -1])
    func `when over an iterator takes nothing if there is no room for any`(_ limit: Int) {
        let iterator = AnyIterator<Promise<Int>> {
            Issue.record("called")
            return nil
        }
        guard case .badInput? = when(fulfilled: iterator, concurrently: limit).error as? PromiseError else {
            Issue.record("no error")
            return
        }
    }

    @Test func `when over an iterator goes on after an error, if it wants outcomes`() async {
        var rest = [Promise<Void>(), Promise(error: Failure()), Promise()].makeIterator()
        let outcomes = await when(resolved: AnyIterator { rest.next() }, concurrently: 1).value
        #expect(outcomes.map(\.isFulfilled) == [true, false, true])
    }

    @Test(arguments: [0, 1])
    func `race is settled by the faster one, as an argument or in an array`(_ winner: Int) async throws {
        let pairs = (0..<2).map { _ in Promise<Int>.pending() }
        let guarantees = (0..<2).map { _ in Guarantee<Int>.pending() }
        let first = race(pairs[0].promise, pairs[1].promise.map { $0 })
        let listed = race(pairs.map(\.promise))
        let guaranteed: Guarantee<Int> = race(guarantees[0].guarantee, guarantees[1].guarantee)
        pairs[winner].resolver.fulfill(winner)
        guarantees[winner].resolve(winner)
        #expect(try await first.value == winner)
        #expect(try await listed.value == winner)
        #expect(await guaranteed.value == winner)
    }

    @Test func `race(fulfilled:) is settled by the first value, whatever failed before`() async throws {
        let pairs = (0..<4).map { _ in Promise<Int>.pending() }
        let first = race(fulfilled: pairs.map(\.promise))
        pairs[0].resolver.reject(Failure(code: 1))
        pairs[2].resolver.reject(Failure(code: 2))
        #expect(first.isPending)
        pairs[3].resolver.fulfill(3)
        pairs[1].resolver.fulfill(1)
        #expect(try await first.value == 3)
    }

    @Test func `race of nothing is bad input, and one without a winner says so`() async {
        for empty in [race([Promise<Int>]()), race(fulfilled: [Promise<Int>]())] {
            guard case .badInput? = empty.error as? PromiseError else {
                Issue.record("\(empty)")
                return
            }
        }
        let lost = race(fulfilled: [Promise<Int>(error: Failure(code: 1)), Promise(error: Failure(code: 2))])
        await #expect { try await lost.value } throws: {
            ($0 as? PMKError)?.debugDescription == "All thenables passed to race(fulfilled:) were rejected"
        }
    }

    @Test func `a timeout can be a contestant in a race`() async throws {
        let (never, _) = Promise<Void>.pending()
        await #expect { try await race(never, timeout(seconds: 0.001), timeout(seconds: 60)).value } throws: {
            if case .timedOut? = $0 as? PromiseError { true } else { false }
        }
        try await race(Promise.value("a").asVoid(), Promise.value(1).asVoid(), timeout(seconds: 60)).value
    }
}
