import Dispatch
import Promises
import Testing

/// An error that may be a cancellation, as in programs that were written for PromiseKit.
enum Stop: CancellableError, CaseIterable {
    case failed, cancelled
    var isCancelled: Bool { self == .cancelled }
}

/// What PromiseKit's `CatchableTests` check.
struct CatchableTests {
    private enum Other: Error { case first }

    @Test(arguments: Stop.allCases, [false, true])
    func `finally runs after catch, on the queue and with the flags that it is given`(
        _ error: Stop, isBarrier: Bool
    ) async {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "end", attributes: .concurrent)
        queue.setSpecific(key: key, value: true)
        let trace = Trace()
        let (ended, end) = Guarantee<Void>.pending()
        Promise<Void>(error: error).catch(policy: .allErrors) { _ in trace.add("catch") }
            .finally(on: queue, flags: isBarrier ? .barrier : nil) {
                if isBarrier { dispatchPrecondition(condition: .onQueueAsBarrier(queue)) }
                trace.add(DispatchQueue.getSpecific(key: key) == true ? "finally" : "elsewhere")
                end(())
            }
        await ended.value
        #expect(trace.entries == ["catch", "finally"])
    }

    @Test func `a promise that is cauterized may be caught as well`() async {
        let (caught, tell) = Guarantee<Bool>.pending()
        let promise = Promise<Int>(error: Failure())
        promise.cauterize()
        promise.catch { tell($0 is Failure) }
        #expect(await caught.value)
    }

    @Test(arguments: Stop.allCases)
    func `a recover that cannot fail takes every error`(_ error: Stop) async {
        await Promise<Void>(error: error).recover { _ in }.value
        #expect(await Promise<Int>(error: error).recover { _ in Guarantee.value(2) }.value == 2)
    }

    @Test func `no recover is called for a value`() async throws {
        let calls = Counter()
        await Promise().recover { _ in calls.next() }.value
        try await Promise().recover { _ in throw Failure() }.value
        #expect(await Promise.value(1).recover { _ in Guarantee.value(calls.next()) }.value == 1)
        #expect(try await Promise.value(1).recover { _ in Promise.value(calls.next()) }.value == 1)
        #expect(try await Promise.value(1).recover(only: Stop.failed) { _ in Promise.value(calls.next()) }.value == 1)
        #expect(try await Promise.value(1).recover(only: Stop.self) { _ in Promise.value(calls.next()) }.value == 1)
        try await Promise().recover(only: Stop.failed) { _ in _ = calls.next() }.value
        try await Promise().recover(only: Stop.self) { _ in _ = calls.next() }.value
        #expect(calls.count == 0)
    }

    @Test(arguments: [CatchPolicy.allErrors, .allErrorsExceptCancellation], Stop.allCases)
    func `recover is called for the errors of its policy`(_ policy: CatchPolicy, _ error: Stop) async throws {
        let nothing = Promise<Void>(error: error).recover(policy: policy) { _ throws in }
        let value = Promise<Int>(error: error).recover(policy: policy) { _ throws in Promise.value(2) }
        if policy == .allErrors || error == .failed {
            try await nothing.value
            #expect(try await value.value == 2)
        } else {
            await #expect(throws: error) { try await nothing.value }
            await #expect(throws: error) { try await value.value }
        }
    }

    @Test(arguments: Stop.allCases)
    func `without a policy, recover is called for cancellations too`(_ error: Stop) async throws {
        #expect(try await Promise<Int>(error: error).recover { _ throws in Promise.value(2) }.value == 2)
        #expect(try await Promise<Int>(error: error).recover(only: Stop.self) { _ in Promise.value(2) }.value == 2)
        try await Promise<Void>(error: error).recover(only: Stop.self) { _ in }.value
    }

    @Test(arguments: [CatchPolicy.allErrors, .allErrorsExceptCancellation], Stop.allCases)
    func `an error that recover throws goes on`(_ policy: CatchPolicy, _ error: Stop) async {
        await #expect(throws: error) {
            try await Promise<Void>(error: error).recover(policy: policy) { throw $0 }.value
        }
        await #expect(throws: error) {
            try await Promise<Int>(error: error).recover(policy: policy) { error -> Promise<Int> in throw error }.value
        }
        await #expect(throws: Failure()) {
            try await Promise<Void>(error: Stop.failed).recover(only: Stop.self) { _ in throw Failure() }.value
        }
    }

    @Test func `ensureThen waits for its guarantee, and passes the outcome on`() async throws {
        let (cleaned, clean) = Guarantee<Void>.pending()
        let value = Promise.value(1).ensureThen { cleaned }
        let failure = Promise.value(1).done { _ in throw Failure() }.ensureThen { cleaned }
        await settle()
        #expect(value.isPending && failure.isPending)
        clean(())
        #expect(try await value.value == 1)
        await #expect(throws: Failure()) { try await failure.value }
    }

    @Test func `an error of the promise that ensureThen waits for replaces the outcome`() async throws {
        #expect(try await Promise.value(1).ensureThen { Promise() }.value == 1)
        await #expect(throws: Failure()) { try await Promise.value(1).ensureThen { Promise(error: Failure()) }.value }
        await #expect(throws: Failure()) {
            try await Promise<Int>(error: Stop.failed).ensureThen { Promise(error: Failure()) }.value
        }
    }
}

extension CatchableTests {
    /// Which handlers of a chain are called for an error: `only` ones by their number, and the last, for all errors.
    private func handlers(
        _ error: any Error, _ chain: (Promise<Int>, @escaping @Sendable (Int) -> Void) -> Promise<Void>
    ) async -> [String] {
        let trace = Trace()
        let ended = chain(Promise(error: error)) { trace.add("only \($0)") }
        await ended.recover { _ in trace.add("catch") }.value
        return trace.entries
    }

    @Test func `catch(only:) takes the one error that it names`() async {
        for (error, expected) in [(Stop.failed, ["only 1"]), (.cancelled, ["catch"])] {
            #expect(await handlers(error) { $0.catch(only: Stop.failed) { [only = $1] _ in only(1) } } == expected)
        }
    }

    @Test func `catch(only:) takes the errors of the type that it names`() async {
        #expect(await handlers(Stop.failed) { $0.catch(only: Stop.self) { [only = $1] _ in only(1) } } == ["only 1"])
        #expect(await handlers(Stop.failed) { $0.catch(only: Other.self) { [only = $1] _ in only(1) } } == ["catch"])
    }

    @Test func `of several catch(only:), the first takes the error that names it`() async {
        let bothWays: [@Sendable (Promise<Int>, @escaping @Sendable (Int) -> Void) -> Promise<Void>] = [
            {
                $0.catch(only: Stop.failed) { [only = $1] _ in only(1) }.catch(only: Stop.cancelled) { [only = $1] _ in
                    only(2)
                }
            },
            {
                $0.catch(only: Stop.cancelled) { [only = $1] _ in only(2) }.catch(only: Stop.failed) { [only = $1] _ in
                    only(1)
                }
            },
            {
                $0.catch(only: Stop.self) { [only = $1] _ in only(1) }.catch(only: Stop.failed) { [only = $1] _ in
                    only(2)
                }
            },
            {
                $0.catch(only: Stop.failed) { [only = $1] _ in only(1) }.catch(only: Stop.self) { [only = $1] _ in
                    only(2)
                }
            },
            {
                $0.catch(only: Other.first) { [only = $1] _ in only(2) }.catch(only: Stop.self) { [only = $1] _ in
                    only(1)
                }
            },
        ]
        for chain in bothWays { #expect(await handlers(Stop.failed, chain) == ["only 1"]) }
    }

    @Test func `catch(only:) takes cancellations of its type only if its policy says so`() async {
        #expect(await handlers(Stop.cancelled) { $0.catch(only: Stop.self) { [only = $1] _ in only(1) } } == ["catch"])
        #expect(
            await handlers(Stop.cancelled) {
                $0.catch(only: Stop.self, policy: .allErrors) { [only = $1] _ in only(1) }
            } == ["only 1"])
    }

    @Test func `recover(only:) takes the one error, or the type of errors, that it names`() async throws {
        let failed = Promise<Int>(error: Stop.failed)
        #expect(try await failed.recover(only: Stop.failed) { _ in Promise.value(1) }.value == 1)
        #expect(try await failed.recover(only: Stop.self) { _ in Promise.value(1) }.value == 1)
        try await failed.asVoid().recover(only: Stop.failed) { _ in }.value
        try await failed.asVoid().recover(only: Stop.self) { _ in }.value
        let fallback = failed.recover(only: Stop.failed) { _ in Promise.value(1) }.recover { _ in Promise.value(2) }
        #expect(try await fallback.value == 1)
    }

    @Test func `recover(only:) passes other errors on`() async throws {
        let failed = Promise<Int>(error: Stop.failed)
        await #expect(throws: Stop.failed) {
            try await failed.recover(only: Stop.cancelled) { _ in Promise.value(1) }.value
        }
        await #expect(throws: Stop.failed) {
            try await failed.recover(only: Other.self) { _ in Promise.value(1) }.value
        }
        await #expect(throws: Stop.failed) { try await failed.asVoid().recover(only: Other.first) { _ in }.value }
        await #expect(throws: Stop.failed) { try await failed.asVoid().recover(only: Other.self) { _ in }.value }
        let second = failed.recover(only: Other.self) { _ in Promise.value(1) }
            .recover(only: Stop.failed) { _ in Promise.value(2) }
        #expect(try await second.value == 2)
    }

    @Test func `recover(only:) takes cancellations of its type unless its policy says otherwise`() async throws {
        let cancelled = Promise<Int>(error: Stop.cancelled)
        #expect(try await cancelled.recover(only: Stop.self, policy: .allErrors) { _ in Promise.value(1) }.value == 1)
        await #expect(throws: Stop.cancelled) {
            try await cancelled.recover(only: Stop.self, policy: .allErrorsExceptCancellation) { _ in
                Promise.value(1)
            }.value
        }
        await #expect(throws: Stop.cancelled) {
            try await cancelled.asVoid().recover(only: Stop.self, policy: .allErrorsExceptCancellation) { _ in }.value
        }
    }

    @Test(arguments: [true, false])
    func `recover(only:) may not return the promise that it makes`(byType: Bool) async {
        let (source, resolver) = Promise<Int>.pending()
        let own = Trace.Slot<Promise<Int>>()
        let body: @Sendable (Stop) throws -> Promise<Int> = { _ in try #require(own.value) }
        let promise = byType ? source.recover(only: Stop.self, body) : source.recover(only: Stop.failed, body)
        own.value = promise
        resolver.reject(Stop.failed)
        guard case .failure(PromiseError.returnedSelf) = await when(resolved: promise).value[0] else {
            Issue.record("\(promise)")
            return
        }
        own.value = nil
    }
}
