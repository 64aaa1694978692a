import Dispatch
import Foundation
import Promises
import Testing

/// What PromiseKit's `PromiseTests`, `RegressionTests`, `HangTests` and `AsyncTests` check.
struct PromiseTests {
    @Test(arguments: ["pending", "fulfilled", "rejected"])
    func `a promise says in which state it is`(_ state: String) {
        let promise: Promise<Void> =
            switch state {
            case "pending": Promise.pending().promise
            case "fulfilled": Promise()
            default: Promise(error: Failure())
            }
        #expect(promise.isPending == (state == "pending"))
        #expect(promise.isResolved == (state != "pending"))
        #expect(promise.isFulfilled == (state == "fulfilled"))
        #expect(promise.isRejected == (state == "rejected"))
        promise.cauterize()
    }

    @Test func `a queue promises what a body returns or throws, and runs it on a thread of its own`() async throws {
        let queue = DispatchQueue(label: "work")
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 7)
        let guarantee: Guarantee<Int?> = queue.async(.promise) { DispatchQueue.getSpecific(key: key) }
        #expect(await guarantee.value == 7)
        let promise = queue.async(.promise) { () throws -> Int in throw Failure() }
        await #expect(throws: Failure()) { try await promise.value }
    }

    @Test func `an error may be a value`() async throws {
        #expect(try await Promise { $0.fulfill(Failure()) }.value == Failure())
        #expect(try await Promise.value(Failure()).value == Failure())
        #expect(try await Promise().map { Failure() }.value == Failure())
        #expect(Promise<any Error>.pending().promise.isPending)
    }

    @Test func `an error that a body throws rejects`() async {
        #expect(Promise<Void> { _ in throw Failure() }.error as? Failure == Failure())
        await #expect(throws: Failure()) {
            try await firstly { () throws -> Promise<Int> in throw Failure() }.value
        }
    }

    @Test func `an error in a body has no effect once the promise is settled`() {
        let promise = Promise<Int> { resolver in
            resolver.fulfill(1)
            throw Failure()
        }
        #expect(promise.isFulfilled)
    }

    @Test func `wait and hang block until there is an outcome`() throws {
        let later = after(.milliseconds(1))
        #expect(try later.then(on: nil) { Promise.value(1) }.wait() == 1)
        #expect(later.map(on: nil) { 1 }.wait() == 1)
        #expect(throws: Failure()) { try later.done(on: nil) { throw Failure() }.wait() }
        #expect(try hang(later.then { Promise.value(2) }) == 2)
        #expect(throws: Failure()) { try hang(later.done { throw Failure() }) }
    }

    @Test func `async is another name for value`() async throws {
        let later = after(.milliseconds(1))
        #expect(try await later.then(on: nil) { Promise.value(1) }.async() == 1)
        #expect(await later.then(on: nil) { Guarantee.value(1) }.async() == 1)
        await #expect(throws: Failure()) { try await later.done(on: nil) { throw Failure() }.async() }
    }

    @Test func `all names of a promise of nothing can be combined`() async throws {
        try await when(fulfilled: Promise<Void>.value, Promise<Void>.value(()), Promise()).value
        try await when(fulfilled: Guarantee<Void>.value, Guarantee<Void>.value(()), Guarantee()).value
    }

    @Test func `a handler may return the promise that it is attached to`() async throws {
        let fulfilled = Promise.value(1)
        #expect(try await fulfilled.then { _ in fulfilled }.value == 1)
        #expect(try await fulfilled.then(on: nil) { _ in fulfilled }.value == 1)
        let rejected = Promise<Int>(error: Failure())
        await #expect(throws: Failure()) { try await rejected.recover { _ in rejected }.value }
        await #expect(throws: Failure()) { try await rejected.recover(on: nil) { _ in rejected }.value }
    }

    @Test func `a handler that runs at once may not return the promise that it settles`() {
        let (source, resolver) = Promise<Void>.pending()
        let own = Trace.Slot<Promise<Int>>()
        let promise = source.then(on: nil) { try #require(own.value) }
        own.value = promise
        resolver.fulfill()
        guard case .returnedSelf? = promise.error as? PromiseError else {
            Issue.record("\(promise)")
            return
        }
        own.value = nil
    }

    @Test(arguments: [0, -1, 0.001])
    func `a delay may be zero, negative or positive`(seconds: Double) async {
        await after(seconds: seconds).value
        await after(DispatchTimeInterval.microseconds(Int(seconds * 1_000_000))).value
        await after(Duration.seconds(seconds)).value
    }

    @Test func `a thousand thens that hop to a queue run in order`() async throws {
        let trace = Trace()
        var promise = DispatchQueue.global().async(.promise) { 0 }.asPromise()
        for number in 1..<1_000 {
            promise = promise.then { last in
                trace.add("\(last)")
                return DispatchQueue.global().async(.promise) { number }.asPromise()
            }
        }
        #expect(try await promise.value == 999)
        #expect(trace.entries == (0..<999).map(String.init))
    }
}
