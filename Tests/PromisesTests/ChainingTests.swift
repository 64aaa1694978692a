@testable import Promises
import Testing

struct ChainingTests {
    @Test func `a chain passes values on`() async throws {
        let parsed = firstly {
            Promise.value(1)
        }.then { number in
            Promise.value(number + 1)
        }.map { number in
            String(number)
        }.compactMap { (text: String) in
            Int(text)
        }
        let value = try await parsed.get { number in
            #expect(number == 2)
        }.tap { result in
            #expect((try? result.get()) == 2)
        }.value
        #expect(value == 2)
    }

    @Test func `the older form of then returns a plain value`() async throws {
        let value = try await Promise.value(20).then { number in number + 1 }.then { number -> Int in
            let twice = number * 2
            return twice
        }.value
        #expect(value == 42)
    }

    @Test func `an error passes handlers of values and reaches the catch`() async {
        await confirmation { caught in
            await Promise<Int>(error: Failure()).map { _ in Issue.record("called") }.done { Issue.record("called") }
                .recover { error -> Promise<Void> in
                    #expect(error as? Failure == Failure())
                    caught()
                    throw error
                }.finally {}.value
        }
    }

    @Test func `an error that has gone on along a chain is still there for who asks in its middle`() async {
        struct Heavy: Error { let token: Token }
        let released = Counter()
        do {
            let (first, resolver) = Promise<Int>.pending()
            let middle = first.map { $0 }.map { $0 }
            let branches = (0..<3).map { _ in middle.map { $0 }.then { Promise.value($0) }.map { $0 } }
            resolver.reject(Heavy(token: Token(released)))
            for promise in branches + [middle, first] {
                await #expect(throws: Heavy.self) { try await promise.value }
            }
            #expect(released.count == 0)
        }
        await settle()
        #expect(released.count == 1)
    }

    @Test func `handlers of a promise that is settled already run later and in order, whatever their kind`() async {
        let trace = Trace()
        await Guarantee.value(()).done {
            let promise = Promise.value(7)
            promise.done { trace.add("done \($0)") }.cauterize()
            promise.ensure { trace.add("ensure") }.cauterize()
            promise.get { trace.add("get \($0)") }.cauterize()
            let cancelled = promise.map { _ in trace.add("cancelled") }
            cancelled.cancel()
            promise.then { value in Promise.value(trace.add("then \(value)")) }.cauterize()
            trace.add("registered")
            #expect(cancelled.isRejected)
        }.value
        await settle()
        #expect(trace.entries == ["registered", "done 7", "ensure", "get 7", "then 7"])
    }

    @Test func `recovers with a promise, a guarantee and a plain value`() async throws {
        let failed = Promise<Int>(error: Failure())
        #expect(try await failed.recover { _ in Promise.value(1) }.value == 1)
        #expect(await failed.recover { _ in Guarantee.value(2) }.value == 2)
        #expect(try await failed.recover { _ in 3 }.value == 3)
    }

    @Test func `a chain of a million links settles and is released`() async throws {
        let (first, resolver) = Promise<Int>.pending()
        var last = first
        for _ in 0..<1_000_000 { last = last.map { $0 + 1 } }
        resolver.fulfill(0)
        #expect(try await last.value == 1_000_000)
    }

    @Test func `a pending chain of a million links is released`() {
        var last: Promise<Int>? = Promise<Int>.pending().promise
        for _ in 0..<1_000_000 { last = last?.map { $0 + 1 } }
        #expect(last?.isPending == true)
        last = nil
    }

    @Test func `when is fulfilled with all values in order`() async throws {
        let (late, resolver) = Promise<Int>.pending()
        let all = when(fulfilled: [Promise.value(1), late, Promise.value(3)])
        resolver.fulfill(2)
        #expect(try await all.value == [1, 2, 3])
        let (a, b) = try await when(fulfilled: Promise.value(1), Promise.value("x")).value
        #expect(a == 1 && b == "x")
    }

    @Test func `cancelling the end of a chain reaches its beginning`() async {
        await confirmation { cancelled in
            let (first, resolver) = Promise<Int>.pending()
            resolver.onCancel { cancelled() }
            let last = first.then { Promise.value($0) }.map { $0 + 1 }
            last.cancel()
            await #expect(throws: PromiseError.self) { try await first.value }
            await #expect(throws: PromiseError.self) { try await last.value }
        }
    }

    @Test func `cancelling a task cancels the promise that it awaits`() async {
        let (first, resolver) = Promise<Int>.pending()
        let (cancelled, tell) = Guarantee<Void>.pending()
        resolver.onCancel { tell(()) }
        let task = Task { try await first.map { $0 }.value }
        task.cancel()
        await cancelled.value
        await #expect(throws: PromiseError.self) { try await task.value }
    }

    @Test func `an awaited promise that nobody can settle throws`() async {
        await #expect(throws: PromiseError.self) { try await Promise<Int> { _ in }.value }
        await #expect(throws: PromiseError.self) { try await Promise<Int> { _ in }.map { $0 }.value }
    }

    @Test func `a long chain that is released while it is pending needs no deep stack`() {
        let released = Counter()
        do {
            let (first, resolver) = Promise<Int>.pending()
            var last = first
            for _ in 0..<200_000 { last = last.map { $0 } }
            let token = Token(released)
            last.done { _ in withExtendedLifetime(token) {} }.cauterize()
            withExtendedLifetime(resolver) {}
        }
        #expect(released.count == 1)
    }

    @Test func `attempt tries again`() async throws {
        let count = Counter()
        let value = try await attempt(maximumRetryCount: 3, delay: .milliseconds(1)) {
            if count.next() < 3 { throw Failure() }
            return Promise.value(7)
        }.value
        #expect(value == 7)
    }

    @Test func `a timeout cancels what it waited for`() async throws {
        let (first, resolver) = Promise<Int>.pending()
        let (cancelled, tell) = Promise<Void>.pending()
        resolver.onCancel { tell.fulfill(()) }
        // Real time: the limit passes on purpose.
        await #expect(throws: PromiseError.self) { try await first.timeout(.milliseconds(1)).value }
        // The source and the awaiting task are both notified, in an unspecified order.
        try await cancelled.value
    }

    @Test func `a loop of handlers that run at once may have any number of rounds`() async throws {
        @Sendable func rest(of count: Int) -> Promise<Int> {
            Promise.value(count).then(on: nil) { $0 == 0 ? Promise.value(0) : rest(of: $0 - 1) }
        }
        #expect(try await rest(of: 200_000).value == 0)
    }

    @Test func `a handler that runs at once may wait for another one, however deep it is nested`() throws {
        @Sendable func rest(of count: Int) -> Promise<Int> {
            Promise.value(count).then(on: nil) { count in
                if count == 0 { return Promise.value(0) }
                return rest(of: try Promise.value(count).then(on: nil) { Promise.value($0 - 1) }.wait())
            }
        }
        #expect(try rest(of: 1_000).wait() == 0)
    }
}
