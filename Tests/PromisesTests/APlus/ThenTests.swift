import Dispatch
import Promises
import Testing

/// Promises/A+ 2.2: the `then` method.
///
/// The compiler proves 2.2.1 (handlers that are not functions are ignored).
struct ThenTests {
    enum Moment: CaseIterable, Sendable { case settledBefore, settledAfter, settledElsewhere }

    static func promise(_ moment: Moment, _ outcome: Result<Int, any Error>) -> (Promise<Int>, () -> Void) {
        let (promise, resolver) = Promise<Int>.pending()
        switch moment {
        case .settledBefore:
            resolver.resolve(outcome)
            return (promise, {})
        case .settledAfter: return (promise, { resolver.resolve(outcome) })
        case .settledElsewhere: return (promise, { DispatchQueue.global().async { resolver.resolve(outcome) } })
        }
    }

    @Test(arguments: Moment.allCases)
    func `2.2.2 the handler is called once, after fulfilment, with the value`(_ moment: Moment) async throws {
        let calls = Counter()
        let (promise, settlePromise) = Self.promise(moment, .success(7))
        let handled = promise.then { value -> Promise<Int> in
            calls.next()
            #expect(promise.isFulfilled)
            return .value(value)
        }
        if moment != .settledBefore { #expect(calls.count == 0) }
        settlePromise()
        #expect(try await handled.value == 7)
        await settle()
        #expect(calls.count == 1)
    }

    @Test(arguments: Moment.allCases)
    func `2.2.3 the error handler is called once, after rejection, with the reason`(_ moment: Moment) async throws {
        let calls = Counter()
        let (promise, settlePromise) = Self.promise(moment, .failure(Failure(code: 7)))
        let handled = promise.recover { error -> Promise<Int> in
            calls.next()
            #expect(promise.isRejected)
            #expect(error as? Failure == Failure(code: 7))
            return .value(1)
        }
        settlePromise()
        #expect(try await handled.value == 1)
        await settle()
        #expect(calls.count == 1)
    }

    @Test func `2.2.4 no handler runs inside the call that registers it`() async {
        let trace = Trace()
        let done = DispatchQueue(label: "caller").sync { () -> Promise<Void> in
            Promise.value(1).then { value -> Promise<Int> in
                let inner = Promise.value(value).done { _ in trace.add("inner") }
                trace.add("outer")
                return inner.map { 1 }
            }.asVoid()
        }
        _ = try? await done.value
        #expect(trace.entries == ["outer", "inner"])
    }

    @Test func `2.2.4 no handler runs inside the call that settles`() async throws {
        let trace = Trace()
        let (promise, resolver) = Promise<Int>.pending()
        let seen = promise.done { _ in trace.add("handler") }
        try await Guarantee.value(()).done {
            resolver.fulfill(1)
            trace.add("settled")
        }.asPromise().value
        try await seen.value
        #expect(trace.entries == ["settled", "handler"])
    }

    @Test func `2.2.4 on nil, handlers run at once`() {
        let trace = Trace()
        Promise.value(1).done(on: nil) { _ in trace.add("settled") }.cauterize()
        let (promise, resolver) = Promise<Int>.pending()
        promise.map(on: nil) { $0 + 1 }.done(on: nil) { trace.add("\($0)") }.cauterize()
        resolver.fulfill(1)
        #expect(trace.entries == ["settled", "2"])
    }

    @Test func `2.2.4 on a queue, handlers run on that queue, also of a promise in the middle of a chain`() async throws
    {
        let key = DispatchSpecificKey<Int>()
        let queue = DispatchQueue(label: "handlers")
        queue.setSpecific(key: key, value: 5)
        for count in 1...3 {
            let (first, resolver) = Promise<Int>.pending()
            let promise = first.map { $0 }
            let places = (0..<count).map { _ in
                promise.map(on: queue) { _ in DispatchQueue.getSpecific(key: key) }
            }
            let elsewhere = promise.map { _ in DispatchQueue.getSpecific(key: key) }
            resolver.fulfill(1)
            for place in places { #expect(try await place.value == 5) }
            #expect(try await elsewhere.value == nil)
        }
    }

    @Test func `2.2.4 on a queue, handlers run on that queue`() async throws {
        let key = DispatchSpecificKey<Int>()
        let queue = DispatchQueue(label: "handlers")
        queue.setSpecific(key: key, value: 5)
        #expect(try await Promise.value(1).map(on: queue) { _ in DispatchQueue.getSpecific(key: key) }.value == 5)
        #expect(
            try await Promise.value(1).map(on: queue, flags: .barrier) { _ in
                DispatchQueue.getSpecific(key: key)
            }.value == 5)
    }

    @Test(arguments: Moment.allCases)
    func `2.2.6 handlers of one promise run in order of registration`(_ moment: Moment) async throws {
        let trace = Trace()
        let (promise, settlePromise) = Self.promise(moment, .success(1))
        let handled = (0..<100).map { index in promise.done { _ in trace.add("\(index)") } }
        settlePromise()
        _ = try await when(fulfilled: handled).value
        #expect(trace.entries == (0..<100).map(String.init))
    }

    @Test(arguments: Moment.allCases)
    func `2.2.6 error handlers of one promise run in order of registration`(_ moment: Moment) async throws {
        let trace = Trace()
        let (promise, settlePromise) = Self.promise(moment, .failure(Failure()))
        let handled = (0..<100).map { index in
            promise.asVoid().recover { _ in trace.add("\(index)") } as Guarantee<Void>
        }
        settlePromise()
        for guarantee in handled { await guarantee.value }
        #expect(trace.entries == (0..<100).map(String.init))
    }

    @Test(arguments: Moment.allCases)
    func `2.2.7.1 a returned promise is adopted`(_ moment: Moment) async throws {
        let (inner, settlePromise) = Self.promise(moment, .success(3))
        let outer = Promise.value(1).then { _ in inner }
        settlePromise()
        #expect(try await outer.value == 3)
    }

    @Test func `2.2.7.2 what a handler throws rejects the next promise`() async {
        await #expect(throws: Failure(code: 3)) {
            try await Promise.value(1).map { _ -> Int in throw Failure(code: 3) }.value
        }
        await #expect(throws: Failure(code: 4)) {
            try await Promise<Int>(error: Failure()).recover { _ -> Promise<Int> in throw Failure(code: 4) }.value
        }
    }

    @Test(arguments: Moment.allCases)
    func `2.2.7.3 without a handler for it, a value goes on`(_ moment: Moment) async throws {
        let (promise, settlePromise) = Self.promise(moment, .success(9))
        let next = promise.recover { _ in Promise.value(0) }.ensure {}
        settlePromise()
        #expect(try await next.value == 9)
    }

    @Test(arguments: Moment.allCases)
    func `2.2.7.4 without a handler for it, an error goes on`(_ moment: Moment) async {
        let (promise, settlePromise) = Self.promise(moment, .failure(Failure(code: 9)))
        let next = promise.map { $0 }.then { Promise.value($0) }.get { _ in }.compactMap { $0 }
        settlePromise()
        await #expect(throws: Failure(code: 9)) { try await next.value }
    }
}
