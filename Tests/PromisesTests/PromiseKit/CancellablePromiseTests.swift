import Dispatch
import Foundation
import Promises
import Testing

/// What PromiseKit's suite of cancellation checks about chains.
struct CancellablePromiseTests {
    /// An operator with its handler: attached to a promise, it calls the body when its handler runs.
    struct Operator: CustomTestStringConvertible, Sendable {
        let name: String
        let attach: @Sendable (Promise<[Int]>, @escaping @Sendable () -> Void) -> Promise<Void>
        var testDescription: String { name }

        static let all: [Operator] = [
            Operator(name: "then") {
                $0.then { [ran = $1] in
                    ran(); return Promise.value($0)
                }.asVoid()
            },
            Operator(name: "then to a promise that can be cancelled") {
                $0.then { [ran = $1] in
                    ran(); return Promise.value($0).cancellize()
                }.asVoid()
            },
            Operator(name: "map") {
                $0.map { [ran = $1] in
                    ran(); return $0
                }.asVoid()
            },
            Operator(name: "compactMap") {
                $0.compactMap { [ran = $1] in
                    ran(); return $0
                }.asVoid()
            },
            Operator(name: "done") { $0.done { [ran = $1] _ in ran() } },
            Operator(name: "get") { $0.get { [ran = $1] _ in ran() }.asVoid() },
            Operator(name: "mapValues") {
                $0.mapValues { [ran = $1] in
                    ran(); return $0
                }.asVoid()
            },
            Operator(name: "compactMapValues") {
                $0.compactMapValues { [ran = $1] in
                    ran(); return $0
                }.asVoid()
            },
            Operator(name: "flatMapValues") {
                $0.flatMapValues { [ran = $1] in
                    ran(); return [$0]
                }.asVoid()
            },
            Operator(name: "thenMap") {
                $0.thenMap { [ran = $1] in
                    ran(); return Promise.value($0)
                }.asVoid()
            },
            Operator(name: "thenFlatMap") {
                $0.thenFlatMap { [ran = $1] in
                    ran(); return Promise.value([$0])
                }.asVoid()
            },
            Operator(name: "filterValues") {
                $0.filterValues { [ran = $1] _ in
                    ran(); return true
                }.asVoid()
            },
            Operator(name: "firstValue") {
                $0.firstValue { [ran = $1] _ in
                    ran(); return true
                }.asVoid()
            },
        ]
    }

    @Test(arguments: Operator.all)
    func `no operator calls its handler after the end of its chain was cancelled`(_ step: Operator) async {
        let calls = Counter()
        let (promise, resolver) = CancellablePromise<[Int]>.pending()
        let (caught, tell) = Guarantee<Bool>.pending()
        let end = step.attach(promise.cancellize()) { calls.next() }
            .catch(policy: .allErrors) { tell($0.isCancelled) }
        end.cancel()
        resolver.fulfill([1])
        #expect(await caught.value)
        #expect(calls.count == 0)
        #expect(end.isCancelled && end.cancelAttempted && end.cancelledError?.isCancelled == true)
        #expect(promise.isCancelled)
    }

    @Test(arguments: Operator.all)
    func `no operator calls its handler if the chain is cancelled while that waits for its queue`(
        _ step: Operator
    ) async throws {
        let calls = Counter()
        let queue = DispatchQueue(label: "handlers")
        queue.suspend()
        let start = Promise.value([1]).cancellize().map(on: queue) { $0 }
        let end = step.attach(start) { calls.next() }
        end.cancel()
        queue.resume()
        await #expect(throws: PromiseError.self) { try await end.value }
        await settle()
        #expect(calls.count == 0 && end.isCancelled)
    }

    @Test(arguments: Operator.all)
    func `every operator calls its handler in a chain that is not cancelled`(_ step: Operator) async throws {
        let calls = Counter()
        let end = step.attach(firstly { Promise.value([1]).cancellize() }) { calls.next() }
        try await end.value
        #expect(calls.count == 1)
        #expect(!end.isCancelled && !end.cancelAttempted && end.cancelledError == nil)
    }

    @Test func `cancelling what has an outcome changes nothing, and its handlers run`() async throws {
        let promise = CancellablePromise { $0.fulfill(1) }
        promise.cancel()
        #expect(promise.isFulfilled && !promise.isCancelled)
        #expect(try await promise.map { $0 + 1 }.value == 2)
        #expect(try await promise.then(on: nil) { _ in promise }.value == 1)
        let failed = CancellablePromise<Int>(error: Failure())
        failed.cancel()
        await #expect(throws: Failure()) { try await failed.recover(on: nil) { _ in failed }.value }
        #expect(!failed.isCancelled && failed.cancelledError == nil)
    }

    @Test func `cancelling the beginning of a chain rejects all of it`() async {
        let (promise, resolver) = CancellablePromise<Int>.pending()
        let middle = promise.then { Promise.value($0).cancellize() }
        let end = middle.done { _ in Issue.record("called") }
        promise.cancel()
        resolver.fulfill(3)
        await #expect(throws: PromiseError.self) { try await end.value }
        #expect(promise.isCancelled && middle.isCancelled && end.isCancelled)
        #expect(promise.cancelledError?.isCancelled == true && end.cancelledError?.isCancelled == true)
    }

    @Test(arguments: 0..<5)
    func `cancelling the end of a chain stops it at any stage`(_ stage: Int) async {
        let trace = Trace()
        let pairs = (0..<5).map { _ in Promise<Int>.pending() }
        let (reached, reach) = Guarantee<Void>.pending()
        let end = (0..<5).reduce(Promise.value(0)) { chain, index in
            chain.then { _ -> CancellablePromise<Int> in
                trace.add("\(index)")
                if index == stage { reach(()) }
                return pairs[index].promise
            }
        }
        for pair in pairs[..<stage] { pair.resolver.fulfill(1) }
        await reached.value
        // The handler has ended, and its promise is awaited.
        await settle()
        end.cancel()
        #expect(end.isCancelled && pairs[stage].promise.isCancelled)
        for pair in pairs { pair.resolver.fulfill(1) }
        await settle()
        #expect(trace.entries == (0...stage).map(String.init))
    }

    @Test func `a promise of its own leaves the promise that it follows to others`() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let other = promise.map { $0 + 1 }
        promise.cancellize().done { _ in Issue.record("called") }.cancel()
        cancellize(promise).cancel()
        #expect(promise.isPending)
        resolver.fulfill(1)
        #expect(try await other.value == 2)
    }

    @Test func `a guarantee as a promise can be cancelled`() async {
        let calls = Counter()
        let (guarantee, resolve) = Guarantee<Int>.pending()
        guarantee.setCancellable(Work(calls))
        let promise = guarantee.cancellize()
        let chain = promise.map(on: nil) { $0 }
        promise.cancel()
        #expect(promise.isCancelled && chain.isCancelled && calls.count == 1)
        #expect(throws: PromiseError.self) { try chain.wait() }
        #expect(throws: PromiseError.self) { try hang(chain) }
        resolve(1)
        #expect(guarantee.isFulfilled)
    }

    @Test(arguments: [0, -1, 60])
    func `a delay that is cancelled is never over`(seconds: Double) async {
        let queue = DispatchQueue(label: "handlers")
        queue.suspend()
        let end = after(seconds: seconds).cancellize().done(on: queue) { Issue.record("called") }
        let finalizer = end.catch { _ in Issue.record("called") }
        finalizer.cancel()
        queue.resume()
        await #expect(throws: PromiseError.self) { try await end.value }
        #expect(finalizer.isCancelled)
    }

    @Test func `finally gives what cancels its chain`() async {
        let (promise, resolver) = Promise<Int>.pending()
        let (ended, end) = Guarantee<Void>.pending()
        let trace = Trace()
        let context: CancelContext = promise.catch(policy: .allErrors) { _ in trace.add("catch") }.finally {
            trace.add("finally")
            end(())
        }
        #expect(!context.isCancelled && context.cancelledError == nil)
        context.cancel()
        await ended.value
        #expect(context.isCancelled && context.cancelAttempted)
        #expect(trace.entries == ["catch", "finally"])
        withExtendedLifetime(resolver) {}
    }

    @Test(arguments: [Stop.cancelled, Stop.failed, URLError(.cancelled)] as [any Error])
    @available(*, deprecated, message: "The error is not kept.")
    func `an error to cancel with is not kept`(_ error: any Error) {
        let (first, _) = Promise<Int>.pending()
        first.cancel(with: error)
        let (second, _) = Promise<Int>.pending()
        second.catch { _ in Issue.record("called") }.cancel(with: error)
        let (third, _) = Promise<Int>.pending()
        third.cancelContext.cancel(with: error)
        for promise in [first, second, third] {
            guard case .cancelled? = promise.error as? PromiseError else {
                Issue.record("\(promise)")
                return
            }
        }
    }

    @Test func `cancelling a promise cancels its work, once and only if it is pending`() {
        let calls = Counter()
        let work = Work(calls)
        let made = Promise<Int>(cancellable: work) { _ in }
        made.cancel()
        #expect(calls.count == 1 && made.isCancelled)
        let (pending, resolver) = Promise<Int>.pending()
        let joined = CancellablePromise(cancellable: work, promise: pending, resolver: resolver)
        joined.map { $0 }.cancel()
        #expect(calls.count == 2 && pending.isCancelled)
        let (other, _) = Promise<Int>.pending()
        other.setCancellable(work, reject: nil)
        other.cancel()
        #expect(calls.count == 3)
        let fulfilled = CancellablePromise(cancellable: work)
        fulfilled.cancel()
        let rejected = Promise<Int>(cancellable: work) { _ in throw Failure() }
        rejected.cancel()
        #expect(rejected.error as? Failure == Failure())
        #expect(calls.count == 3)
    }

    @Test func `cancelling what waits for a guarantee cancels its work`() {
        let calls = Counter()
        let guarantee = Guarantee<Int>(cancellable: Work(calls)) { _ in }
        let (one, other) = (guarantee.asPromise().map { $0 }, guarantee.asPromise().map { $0 })
        one.cancel()
        #expect(calls.count == 0)
        other.cancel()
        #expect(calls.count == 1)
    }

    @Test(arguments: [true, false])
    func `what a cancellation handler holds is released when the promise is settled`(isCancelled: Bool) async {
        let released = Counter()
        let (promise, resolver) = Promise<Int>.pending()
        do {
            let token = Token(released)
            resolver.onCancel { withExtendedLifetime(token) {} }
        }
        #expect(released.count == 0)
        if isCancelled { promise.cancel() } else { resolver.fulfill(1) }
        await settle()
        #expect(released.count == 1)
        withExtendedLifetime(promise) {}
    }

    @Test func `a callback that comes after a cancellation has no effect`() async {
        let (promise, resolver) = CancellablePromise<Int>.pending()
        promise.cancel()
        resolver.resolve(1, nil)
        resolver.resolve(nil, Failure())
        resolver.resolve(nil as Int?, nil)
        #expect(promise.isCancelled)
    }
}
