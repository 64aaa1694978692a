import Dispatch
import Foundation
import Testing

@testable import Promises

/// What programs that were written for PromiseKit rely on.
struct FromPromiseKitTests {
    private enum Failure: Error { case first }

    @Test func `when takes guarantees as arguments, as an array and as a tuple`() async {
        let values: [Int] = await when(.value(1), Guarantee.value(2)).value
        #expect(values == [1, 2])
        let waited: Void = await when(Guarantee.value, after(.milliseconds(1)).asVoid()).value
        #expect(waited == ())
        let array: Void = await when(guarantees: [Guarantee(), Guarantee()]).value
        #expect(array == ())
        let (a, b) = await when(guarantees: Guarantee.value(1), Guarantee.value("b")).value
        #expect(a == 1 && b == "b")
        let (c, d, e) = await when(guarantees: Guarantee.value(1), .value("b"), .value(true)).value
        #expect(c == 1 && d == "b" && e)
        let four = await when(guarantees: Guarantee.value(1), .value(2), .value(3), .value(4)).value
        #expect(four == (1, 2, 3, 4))
        let five = await when(guarantees: Guarantee.value(1), .value(2), .value(3), .value(4), .value(5)).value
        #expect(five == (1, 2, 3, 4, 5))
    }

    @Test func `a tuple of guarantees waits for both`() async {
        let (first, resolveFirst) = Guarantee<Int>.pending()
        let (second, resolveSecond) = Guarantee<Int>.pending()
        let both = when(guarantees: first, second)
        resolveSecond(2)
        #expect(both.isPending)
        resolveFirst(1)
        #expect(await both.value == (1, 2))
    }

    @Test func `when takes promises of different types, and promises of nothing`() async throws {
        let thenables: [any Thenable] = [Promise.value(1), Guarantee.value("b")]
        let values = try await when(fulfilled: thenables).value
        #expect(values[0] as? Int == 1 && values[1] as? String == "b")
        let failing: [any Thenable] = [Promise.value(1), Promise<Int>(error: Failure.first)]
        await #expect(throws: Failure.first) { try await when(fulfilled: failing).value }
        let nothing: Promise<Void> = when(fulfilled: [Promise(), Promise()])
        try await nothing.value
    }

    @Test(arguments: [1, 1_000])
    func `when with a limit gives the values of any number of settled promises in order`(limit: Int) async throws {
        let promises = (0..<200_000).lazy.map { Promise.value($0) }.makeIterator()
        let values = try await when(fulfilled: promises, concurrently: limit).value
        #expect(values == Array(0..<200_000))
    }

    @Test func `when with a limit gives every outcome, and never has more than the limit pending`() async throws {
        let pending = Locked(0)
        let outcomes = await when(
            resolved: (0..<50).lazy.map { number in
                let count = pending.withLock {
                    $0 += 1; return $0
                }
                #expect(count <= 4)
                return Promise<Int>(operation: {
                    await Task.yield()
                    pending.withLock { $0 -= 1 }
                    if number % 3 == 0 { throw Failure.first }
                    return number
                })
            }.makeIterator(), concurrently: 4
        ).value
        #expect(outcomes.map { (try? $0.get()) ?? -1 } == (0..<50).map { $0 % 3 == 0 ? -1 : $0 })
        let none = await when(resolved: [Promise.value(1)].makeIterator(), concurrently: 0).value
        #expect(none.count == 1 && none[0].isFulfilled == false)
    }

    @Test func `when with a limit takes nothing more after a rejection`() async {
        let taken = Locked(0)
        let all = when(
            fulfilled: AnyIterator { () -> Promise<Int>? in
                taken.withLock { $0 += 1 }
                return Promise(error: Failure.first)
            }, concurrently: 2)
        await #expect(throws: Failure.first) { try await all.value }
        #expect(taken.withLock { $0 } == 1)
    }

    @Test func `a resolver takes a result whose error has a type`() async {
        let result: Result<Int, Failure> = .failure(.first)
        await #expect(throws: Failure.first) { try await Promise<Int> { $0.resolve(result) }.value }
    }

    @Test func `promises of nothing have a value without arguments`() {
        #expect(Promise<Void>.value.isFulfilled && Guarantee<Void>.value.isResolved)
    }

    @Test func `errors are described as in PromiseKit`() {
        let descriptions: [(PMKError, String)] = [
            (.cancelled, "The asynchronous sequence was cancelled"),
            (
                .invalidCallingConvention,
                "A closure was called with an invalid calling convention, probably (nil, nil)"
            ),
            (.returnedSelf, "A promise handler returned itself"),
            (.badInput, "Bad input was provided to a PromiseKit function"),
            (.compactMap("x", Int.self), "Could not `compactMap<Int>`: x"),
            (.emptySequence, "The first or last element was requested for an empty sequence"),
            (.noWinner, "All thenables passed to race(fulfilled:) were rejected"),
        ]
        for (error, text) in descriptions {
            #expect(error.debugDescription == text)
            #expect(error.errorDescription == text)
        }
    }

    @Test func `promises describe their state`() {
        let (promise, resolver) = Promise<Int>.pending()
        #expect(promise.description == "Promise(…Int)")
        let two = [promise.map { $0 }, promise.map { $0 }]
        #expect(promise.debugDescription == "Promise<Int>.pending(handlers: 2)")
        resolver.fulfill(1)
        #expect("\(promise)" == "Promise(1)")
        #expect(promise.debugDescription == "Promise<Int>.fulfilled(1)")
        #expect(two.count == 2)
        let failed = Promise<Int>(error: Failure.first)
        #expect(failed.description == "Promise(first)")
        #expect(failed.debugDescription == "Promise<Int>.rejected(Failure.first)")
        _ = failed.result
        failed.cauterize()
    }

    @Test func `results say whether they are fulfilled`() {
        #expect(Result<Int, any Error>.success(1).isFulfilled)
        #expect(!Result<Int, Failure>.failure(.first).isFulfilled)
    }

    @Test func `a guarantee's values are sorted by a closure`() async {
        #expect(await Guarantee.value([1, 3, 2]).sortedValues(>).value == [3, 2, 1])
    }

    @Test func `cancellation by the user counts as one`() {
        #expect(CocoaError(.userCancelled).isCancelled)
        #expect(URLError(.cancelled).isCancelled)
        #expect(!CocoaError(.fileNoSuchFile).isCancelled)
    }

    @Test(arguments: [Double.infinity, .nan, 1e300])
    func `a delay without an end is one that does not end`(seconds: Double) {
        let delay = after(seconds: seconds).asPromise()
        #expect(delay.isPending)
        // Its timer would be reported as a leak.
        delay.cancel()
    }

    @Test func `a delay that is over at once has a negative number of seconds`() async {
        await after(seconds: -.infinity).value
    }
}
