import Dispatch
import Promises
import Testing

/// What PromiseKit's suite of cancellation checks about errors, combinations and threads.
struct CancelledRecoveryTests {
    /// A promise that is rejected because it was cancelled.
    private func cancelled<T>(_ type: T.Type) -> CancellablePromise<T> {
        let (promise, _) = CancellablePromise<T>.pending()
        promise.cancel()
        return promise
    }

    @Test func `every recover covers the cancellation of its promise, unless its policy says otherwise`() async throws {
        await cancelled(Void.self).recover { _ in }.value
        try await cancelled(Void.self).recover(policy: .allErrors) { _ throws in }.value
        #expect(try await cancelled(Int.self).recover { _ in Promise.value(2).cancellize() }.value == 2)
        #expect(try await cancelled(Int.self).recover(only: PMKError.self) { _ in Promise.value(2) }.value == 2)
        await #expect(throws: PromiseError.self) {
            try await cancelled(Void.self).recover(policy: .allErrorsExceptCancellation) { _ in
                Issue.record("called")
            }.value
        }
    }

    @Test func `a chain that is cancelled after its recover is not recovered`() async {
        let (promise, resolver) = CancellablePromise<Int>.pending()
        let end = promise.recover(policy: .allErrors) { _ in Promise.value(2) }.done { _ in Issue.record("called") }
        end.cancel()
        resolver.reject(Failure())
        await #expect(throws: PromiseError.self) { try await end.value }
        #expect(end.isCancelled)
    }

    @Test func `a chain that recovers from an error was not cancelled`() async throws {
        let end = Promise<Int>(error: PMKError.emptySequence).cancellize().recover { _ in Promise.value(1) }
        let finalizer = end.catch(policy: .allErrors) { _ in Issue.record("called") }
        #expect(try await end.value == 1)
        #expect(end.isFulfilled && !finalizer.isCancelled && finalizer.cancelledError == nil)
    }

    @Test(arguments: [true, false])
    func `ensureThen cleans up after a cancellation, which goes on`(isCancelled: Bool) async throws {
        let (promise, resolver) = CancellablePromise<Int>.pending()
        let cleaned = Counter()
        let end = promise.ensureThen { after(.milliseconds(1)).map { _ in _ = cleaned.next() }.cancellize() }
        let (ended, tell) = Guarantee<Void>.pending()
        end.done { #expect($0 == 1) }.catch(policy: .allErrors) { #expect($0.isCancelled) }.finally { tell(()) }
        if isCancelled { promise.cancel() } else { resolver.fulfill(1) }
        await ended.value
        #expect(cleaned.count == 1)
        #expect(end.isCancelled == isCancelled)
    }

    @Test func `a cauterized promise that is cancelled can be caught as well`() async {
        let (promise, _) = CancellablePromise<Int>.pending()
        let (caught, tell) = Guarantee<Bool>.pending()
        promise.cauterize()
        promise.catch(policy: .allErrors) { tell($0.isCancelled) }
        promise.cancel()
        #expect(await caught.value)
    }

    @Test func `race stops waiting when it is cancelled, and when one of its promises is`() async {
        let pairs = (0..<2).map { _ in Guarantee<Void>.pending() }
        let delays = pairs.map { $0.guarantee.cancellize() }
        let first = race(delays[0].then { Promise.value(1).cancellize() }, delays[1].map { 2 })
        first.catch(policy: .allErrors) { #expect($0.isCancelled) }.cancel()
        #expect(delays.allSatisfy { $0.isCancelled && $0.cancelAttempted })

        let (inner, _) = CancellablePromise<Int>.pending()
        let (never, _) = CancellablePromise<Int>.pending()
        let second = race(inner.map { $0 }, never)
        inner.cancel()
        await #expect(throws: PromiseError.self) { try await second.value }
        #expect(second.isCancelled)
    }

    @Test func `a race that timed out is no cancellation, and its other promises go on`() async {
        let (slow, resolver) = Promise<Void>.pending()
        let promise = slow.cancellize()
        let first = race(promise, timeout(seconds: 0.001), timeout(seconds: 0.001))
        await #expect(throws: PromiseError.self) { try await first.value }
        #expect(first.error?.isCancelled == false && promise.isPending)
        resolver.fulfill()
        #expect(promise.isFulfilled)
    }

    @Test func `a race that is cancelled before its time is up is cancelled`() async {
        let (slow, _) = Promise<Void>.pending()
        let first = race(slow, timeout(seconds: 60)).then { Promise.value(1) }
        first.catch(policy: .allErrors) { #expect($0.isCancelled) }.cancelContext.cancel()
        #expect(first.isCancelled && slow.isCancelled)
    }

    /// A form of `when`: it makes the promise that is cancelled from two promises.
    struct Form: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable (Promise<Void>, Promise<Void>) -> Promise<Void>

        static let all: [Form] = [
            Form(testDescription: "two") { when(fulfilled: $0.map { 1 }, $1.map { "a" }).done { _, _ in } },
            Form(testDescription: "three") { when(fulfilled: $0, $1.map { 1 }, $1.map { 2 }).done { _, _, _ in } },
            Form(testDescription: "four") {
                when(fulfilled: $0, $1.map { 1 }, $1, $0.map { 2 }).done { _, _, _, _ in }
            },
            Form(testDescription: "five") {
                when(fulfilled: $0, $1.map { 1 }, $1, $0.map { 2 }, $1).done { _, _, _, _, _ in }
            },
            Form(testDescription: "nothing") { when(fulfilled: $0, $1, $0, $1) },
            Form(testDescription: "an array") { when(fulfilled: [$0.map { 1 }, $1.map { 2 }]).asVoid() },
            Form(testDescription: "outcomes") { when(resolved: $0, $1).asPromise().asVoid() },
            Form(testDescription: "an array of outcomes") { when(resolved: [$0, $1]).done { _ in } as Promise<Void> },
            Form(testDescription: "an iterator") {
                var rest = [$0, $1].makeIterator()
                return when(fulfilled: AnyIterator { rest.next() }, concurrently: 5).asVoid()
            },
        ]
    }

    @Test(arguments: Form.all)
    func `a when of any form that is cancelled leaves its promises`(_ form: Form) async {
        let pairs = (0..<2).map { _ in CancellablePromise<Void>.pending() }
        let all = form.make(pairs[0].promise, pairs[1].promise)
        let trace = Trace()
        for pair in pairs { pair.promise.ensure { trace.add("ensure") }.cancel() }
        #expect(pairs.allSatisfy { $0.promise.isPending })
        all.cancel()
        #expect(pairs.allSatisfy { $0.promise.isCancelled })
        for pair in pairs { pair.resolver.fulfill() }
        await #expect(throws: PromiseError.self) { try await all.value }
        await settle()
        #expect(trace.entries == ["ensure", "ensure"])
    }

    @Test(arguments: Form.all)
    func `a when of any form that is not cancelled waits for its promises`(_ form: Form) async throws {
        let pairs = (0..<2).map { _ in CancellablePromise<Void>.pending() }
        let all = form.make(pairs[0].promise, pairs[1].promise)
        pairs[1].resolver.fulfill()
        #expect(all.isPending)
        pairs[0].resolver.fulfill()
        try await all.value
        #expect(!all.isCancelled)
    }

    @Test func `a when of outcomes counts a promise that is cancelled as one of them`() async {
        let (promise, _) = CancellablePromise<Int>.pending()
        let all = when(resolved: promise, Promise.value(1))
        promise.cancel()
        let outcomes = await all.value
        #expect(outcomes.map(\.isFulfilled) == [false, true])
    }

    @Test func `a when over an iterator takes nothing more once it is cancelled`() async {
        let taken = Counter()
        let pairs = (0..<10).map { _ in CancellablePromise<Int>.pending() }
        let iterator = AnyIterator<CancellablePromise<Int>> { pairs[taken.next() - 1].promise }
        let all = when(fulfilled: iterator, concurrently: 3)
        all.cancel()
        #expect(taken.count == 3 && pairs[..<3].allSatisfy { $0.promise.isCancelled })
        for pair in pairs { pair.resolver.fulfill(1) }
        await #expect(throws: PromiseError.self) { try await all.value }
        #expect(taken.count == 3)
    }

    @Test func `of many threads that cancel, settle and ask, one wins`() async {
        for _ in 0..<100 {
            let (promise, resolver) = CancellablePromise<String>.pending()
            let context = promise.cancelContext
            let ends = (0..<10).map { $0 % 2 == 0 ? promise.done { _ in } : promise.done(on: nil) { _ in } }
            let asked = Counter()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                switch thread {
                case 0: resolver.fulfill("ok")
                case 1: context.cancel()
                case 2: for end in ends { end.cancel() }
                default: if context.cancelledError?.isCancelled == true { asked.next() }
                }
            }
            #expect(promise.isResolved && (asked.count == 0 || context.isCancelled))
            for end in ends { #expect(end.isFulfilled || end.isCancelled || end.isPending) }
        }
    }
}

extension CancelledRecoveryTests {
    /// An operator that handles errors: attached to a promise, it calls the body when its handler runs.
    ///
    /// It gives the guarantee or promise that it makes, if there is one.
    struct Handler: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var isGuarantee = false
        let attach: @Sendable (Promise<Int>, @escaping @Sendable () -> Void) -> Promise<Void>?

        static let all: [Handler] = [
            Handler(testDescription: "recover to a value", isGuarantee: true) {
                $0.recover { [ran = $1] _ in
                    ran()
                    return Guarantee.value(1)
                }.asVoid().asPromise()
            },
            Handler(testDescription: "recover to nothing", isGuarantee: true) {
                let guarantee: Guarantee<Void> = $0.asVoid().recover { [ran = $1] _ in ran() }
                return guarantee.asPromise()
            },
            Handler(testDescription: "finally", isGuarantee: true) { $0.finally($1).asPromise() },
            Handler(testDescription: "finally with the outcome") {
                $0.finally { [ran = $1] (_: Result<Int, any Error>) in ran() }
                return nil
            },
            Handler(testDescription: "catch") {
                $0.catch(policy: .allErrors) { [ran = $1] _ in ran() }
                return nil
            },
            Handler(testDescription: "ensure") { $0.ensure($1).asVoid() },
            Handler(testDescription: "ensureThen with a guarantee") {
                $0.ensureThen { [ran = $1] in
                    ran()
                    return Guarantee()
                }.asVoid()
            },
            Handler(testDescription: "ensureThen with a promise") {
                $0.ensureThen { [ran = $1] in
                    ran()
                    return Promise()
                }.asVoid()
            },
        ]
    }

    @Test(arguments: Handler.all)
    func `what handles an error needs its promise when others leave it`(_ handler: Handler) async {
        let calls = Counter()
        let (promise, resolver) = Promise<Int>.pending()
        let handled = handler.attach(promise) { calls.next() }
        promise.map { $0 }.cancel()
        #expect(promise.isPending)
        resolver.reject(Failure())
        await settle()
        #expect(calls.count == 1)
        handled?.cauterize()
    }

    @Test(arguments: Handler.all)
    func `what handles an error runs if it is cancelled itself, and a guarantee is resolved`(
        _ handler: Handler
    ) async {
        let calls = Counter()
        let (promise, resolver) = Promise<Int>.pending()
        let handled = handler.attach(promise) { calls.next() }
        if let handled { handled.cancel() } else { promise.cancel() }
        await settle()
        #expect(promise.isCancelled && calls.count == 1)
        if let handled { #expect(handled.isFulfilled == handler.isGuarantee) }
        withExtendedLifetime(resolver) {}
    }
}
