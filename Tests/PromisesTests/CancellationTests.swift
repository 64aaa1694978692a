@testable import Promises
import Testing

struct CancellationTests {
    @Test func `cancelling a promise rejects it and tells its source, once`() {
        let calls = Counter()
        let (promise, resolver) = Promise<Int>.pending()
        resolver.onCancel { calls.next() }
        promise.cancel()
        promise.cancel()
        #expect(promise.error?.isCancelled == true)
        #expect(calls.count == 1)
        resolver.onCancel { calls.next() }
        #expect(calls.count == 2)
    }

    @Test func `a settled promise is not cancelled`() {
        let (promise, resolver) = Promise<Int>.pending()
        resolver.onCancel { Issue.record("called") }
        resolver.fulfill(1)
        promise.cancel()
        #expect(promise.isFulfilled)
    }

    @Test func `while somebody else waits, the source goes on`() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        resolver.onCancel { Issue.record("called") }
        let (one, other) = (promise.map { $0 }, promise.map { $0 + 1 })
        one.cancel()
        #expect(one.isRejected && promise.isPending)
        resolver.fulfill(1)
        #expect(try await other.value == 2)
    }

    @Test func `when the last one that waits is cancelled, so is the source`() {
        let calls = Counter()
        let (promise, resolver) = Promise<Int>.pending()
        resolver.onCancel { calls.next() }
        let leaves = (0..<3).map { _ in promise.map { $0 }.then { Promise.value($0) } }
        for leaf in leaves {
            #expect(promise.isPending)
            leaf.cancel()
        }
        #expect(promise.isRejected)
        #expect(calls.count == 1)
    }

    @Test func `somebody who comes later keeps a source that was about to go`() {
        let (promise, resolver) = Promise<Int>.pending()
        let (first, second) = (promise.map { $0 }, promise.map { $0 })
        first.map { $0 }.cancel()
        let late = first.map { $0 }
        second.cancel()
        #expect(promise.isPending)
        resolver.fulfill(1)
        withExtendedLifetime(late) {}
    }

    @Test func `what only listens keeps no source`() {
        let (promise, resolver) = Promise<Int>.pending()
        let (first, second) = (promise.map { $0 }, promise.map { $0 })
        first.map { $0 }.cancel()
        Resolver<Int>(state: first.state).onCancel {}
        second.cancel()
        #expect(promise.isRejected)
        resolver.fulfill(1)
    }

    @Test func `cancelling what cannot be rejected rejects the promise that only it needs`() async {
        let (promise, resolver) = Promise<Int>.pending()
        let recovered = promise.recover { _ in Guarantee.value(1) }
        recovered.asPromise().cancel()
        #expect(promise.isRejected)
        #expect(await recovered.value == 1)
        resolver.fulfill(2)
    }

    @Test func `what cannot be rejected has a value after its cancellation if its source goes on`() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let (other, third) = (promise.map { $0 }, promise.map { $0 })
        let recovered = promise.recover { _ in Guarantee.value(1) }
        recovered.asPromise().cancel()
        third.cancel()
        resolver.fulfill(2)
        #expect(try await other.value == 2)
        #expect(await recovered.value == 2)
    }

    @Test(arguments: [true, false])
    func `a when that ends early releases the values that had arrived`(isCancelled: Bool) async {
        let released = Counter()
        do {
            let (pending, resolver) = Promise<Token>.pending()
            let all = when(fulfilled: [pending, .value(Token(released)), .value(Token(released))])
            if isCancelled { all.cancel() } else { resolver.reject(Failure()) }
            _ = try? await all.value
        }
        while released.count < 2 { await settle() }
    }

    @Test func `cancelling reaches the promise that a handler returned`() async {
        let calls = Counter()
        let (inner, resolver) = Promise<Int>.pending()
        resolver.onCancel { calls.next() }
        let outer = Promise.value(1).then { _ in inner }.map { $0 }
        await settle()
        outer.cancel()
        #expect(inner.isRejected)
        #expect(calls.count == 1)
    }

    @Test func `a promise that its own handler cancels is released`() async {
        weak var state: State?
        do {
            let (inner, innerResolver) = Promise<Int>.pending()
            let (source, resolver) = Promise<Int>.pending()
            let slot = Trace.Slot<Promise<Int>>()
            let promise = source.then { _ in
                slot.value?.cancel()
                return inner
            }
            slot.value = promise
            state = promise.state
            resolver.fulfill(1)
            _ = try? await promise.value
            await settle()
            slot.value = nil
            #expect(inner.isRejected)
            withExtendedLifetime(innerResolver) {}
        }
        await settle()
        let isReleased = state == nil
        #expect(isReleased)
    }

    @Test func `a link that follows a promise too late keeps no function, so that its error is released`() {
        let released = Counter()
        do {
            struct Kept: Error { let token: Token }
            let link = Link.forward(Int.self, Origin(#fileID, #line))
            // As when it runs.
            _ = unsafe link.takeFunction()
            let isWaiting = unsafe link.follow(State(fulfilled: 1, origin: link.origin), Link.forwarding(Int.self))
            #expect(!isWaiting)
            #expect(link.pendingSources().isEmpty)
            unsafe WorkList.run { work in _ = unsafe link.fail(with: Kept(token: Token(released)), work) }
            link.observe()
        }
        #expect(released.count == 1)
    }

    @Test func `cancelling reaches everything that a when or a race waits for`() {
        let calls = Counter()
        let pairs = (0..<3).map { _ in Promise<Int>.pending() }
        for pair in pairs { pair.resolver.onCancel { calls.next() } }
        let all = when(fulfilled: pairs.map(\.promise)).map { $0.count }
        let first = race(pairs.map(\.promise))
        all.cancel()
        #expect(calls.count == 0)
        first.cancel()
        #expect(calls.count == 3)
        #expect(pairs.allSatisfy { $0.promise.isRejected })
    }

    @Test func `ensure runs in a chain that is cancelled, a catch only if it asks for cancellations`() async {
        let trace = Trace()
        let (promise, resolver) = Promise<Int>.pending()
        let last = promise.ensure { trace.add("middle") }.map { $0 }.ensure { trace.add("end") }
        last.catch { _ in trace.add("catch") }
        last.catch(policy: .allErrors) { _ in trace.add("all") }
        last.cancel()
        await settle()
        #expect(Set(trace.entries) == ["middle", "end", "all"])
        withExtendedLifetime(resolver) {}
    }

    @Test func `cancelling a delay stops its timer`() {
        let clock = ManualClock()
        let promise = after(.seconds(1), clock: clock).then { Promise.value(1) }
        #expect(clock.pendingCount == 1)
        promise.cancel()
        #expect(clock.pendingCount == 0)
        #expect(promise.isRejected)
    }

    @Test func `cancelling a promise cancels the task behind it`() async {
        let (reached, reach) = Guarantee<Bool>.pending()
        let (started, start) = Guarantee<Void>.pending()
        let promise = Promise<Int> {
            start(())
            while !Task.isCancelled { await Task.yield() }
            reach(true)
            return 1
        }
        await started.value
        promise.cancel()
        #expect(await reached.value)
        #expect(promise.error?.isCancelled == true)
    }

    @Test func `cancellations of other kinds are recognised`() {
        #expect(CancellationError().isCancelled)
        #expect(PromiseError.cancelled.isCancelled)
        #expect(!PromiseError.timedOut.isCancelled)
        #expect(!Failure().isCancelled)
    }
}

extension CancellationTests {
    @Test func `a cancelled task that awaits a guarantee still gets its value`() async {
        let clock = ManualClock()
        let task = Task { await after(.seconds(1), clock: clock).map { 5 }.value }
        while clock.pendingCount == 0 { await Task.yield() }
        task.cancel()
        await settle()
        #expect(clock.pendingCount == 1)
        clock.advance(by: .seconds(1))
        #expect(await task.value == 5)
    }

    @Test func `a cancelled task that awaits a promise leaves it to others that wait for it`() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let other = promise.map { $0 + 1 }
        let task = Task { try await promise.value }
        task.cancel()
        await #expect(throws: PromiseError.self) { try await task.value }
        #expect(promise.isPending && promise.state.waitingCount == 1)
        resolver.fulfill(1)
        #expect(try await other.value == 2)
        #expect(promise.state.waitingCount == 0)
    }

    @Test func `what cannot be rejected leaves its cancellation to the first promise after it`() async {
        let (guarantee, resolve) = Guarantee<Int>.pending()
        let first = guarantee.map { $0 }.then { Promise.value($0) }
        let last = first.map { $0 }
        last.cancel()
        #expect(last.isRejected && first.isRejected && guarantee.isPending)
        resolve(1)
        #expect(guarantee.isFulfilled)
    }

    @Test func `a when with a limit that is cancelled is no longer listed at promises that others need`() async throws {
        let pairs = (0..<3).map { _ in Promise<Int>.pending() }
        let needed = pairs.map { $0.promise.map { $0 + 1 } }
        let all = when(fulfilled: pairs.map(\.promise).makeIterator(), concurrently: 2)
        all.cancel()
        #expect(pairs.allSatisfy { $0.promise.isPending && $0.promise.state.waitingCount == 1 })
        for pair in pairs { pair.resolver.fulfill(1) }
        #expect(try await when(fulfilled: needed).value == [2, 2, 2])
    }

    @Test func `a promise that nobody waits for any more has the outcome of its source`() async {
        let (source, resolver) = Promise<Int>.pending()
        let (kept, other) = (source.map { $0 }, source.map { $0 })
        kept.map { $0 }.cancel()
        resolver.reject(Failure(code: 5))
        await #expect(throws: Failure(code: 5)) { try await kept.value }
        await #expect(throws: Failure(code: 5)) { try await other.value }
    }

    @Test func `what a task that awaits throws tells whether it was cancelled or the promise was lost`() async {
        conf.ignorePending()
        let (promise, resolver) = Promise<Int>.pending()
        let cancelled = Task { try await promise.value }
        while promise.state.waitingCount == 0 { await Task.yield() }
        cancelled.cancel()
        await #expect { try await cancelled.value } throws: {
            if case .cancelled? = $0 as? PromiseError { true } else { false }
        }
        let slot = Trace.Slot<(promise: Promise<Int>, resolver: Resolver<Int>)>()
        slot.value = Promise<Int>.pending()
        let lost = Task { try await slot.value?.promise.value }
        while slot.value?.promise.state.waitingCount == 0 { await Task.yield() }
        slot.value = nil
        await #expect { try await lost.value } throws: {
            if case .abandoned? = $0 as? PromiseError { true } else { false }
        }
        withExtendedLifetime(resolver) {}
    }

    typealias Step = @Sendable (Promise<Int>, @escaping @Sendable () -> Void) -> Promise<Int>

    /// Operators with what they do first.
    static let steps: [Step] = [
        { source, act in
            source.map { value in
                act()
                return value
            }
        },
        { source, act in
            source.then { value in
                act()
                return Promise.value(value)
            }
        },
        { source, act in source.get { _ in act() } },
        { source, act in source.tap { _ in act() } },
        { source, act in
            source.recover { error in
                act()
                return Promise<Int>(error: error)
            }
        },
        { source, act in
            source.recover(policy: .allErrors) { _ in
                act()
                return Promise.value(1)
            }
        },
    ]

    @Test(arguments: steps.indices, [true, false])
    func `a handler whose promise is cancelled before its turn does not run, and is released`(
        _ index: Int, isFulfilled: Bool
    ) async throws {
        weak var state: State?
        let calls = Counter()
        do {
            let (source, resolver) = Promise<Int>.pending()
            let slot = Trace.Slot<Promise<Int>>()
            let first = source.tap { _ in slot.value?.cancel() }
            let promise = Self.steps[index](source) { calls.next() }
            state = promise.state
            slot.value = promise
            if isFulfilled { resolver.fulfill(1) } else { resolver.reject(Failure()) }
            _ = try? await first.value
            await #expect { try await promise.value } throws: { $0.isCancelled }
            slot.value = nil
        }
        while state != nil { await settle() }
        #expect(calls.count == 0)
    }

    @Test func `a timeout of a promise leaves it to others that wait for it`() async throws {
        let clock = ManualClock()
        let (promise, resolver) = Promise<Int>.pending()
        let other = promise.map { $0 + 1 }
        let limited = promise.timeout(.seconds(1), clock: clock)
        clock.advance(by: .seconds(2))
        await #expect(throws: PromiseError.self) { try await limited.value }
        resolver.fulfill(1)
        #expect(try await other.value == 2)
    }

    @Test(arguments: [true, false], [true, false])
    func `what has left a promise is no longer listed, in whatever order it leaves`(
        newestLeavesFirst: Bool, newestStays: Bool
    ) async throws {
        let (promise, resolver) = Promise<Int>.pending()
        var staying = newestStays ? [] : [promise.map { $0 }]
        let leaving = (0..<1_000).map { _ in promise.map { $0 } }
        if newestStays { staying.append(promise.map { $0 }) }
        for each in newestLeavesFirst ? leaving.reversed() : leaving { each.cancel() }
        #expect(promise.state.waitingCount == 1)
        resolver.fulfill(1)
        #expect(try await staying[0].value == 1)
    }

    @Test func `a race that is over is no longer listed where it waited`() async throws {
        let (never, resolver) = Promise<Int>.pending()
        for number in 0..<100 {
            let (winner, seal) = Promise<Int>.pending()
            let (both, all) = (
                race(never, winner), when(fulfilled: [never, winner.map { _ in throw Failure(code: 1) }])
            )
            let last = race(winner, never)
            seal.fulfill(number)
            #expect(try await both.value == number)
            #expect(try await last.value == number)
            await #expect(throws: Failure.self) { try await all.value }
        }
        #expect(never.state.waitingCount == 0)
        resolver.fulfill(1)
    }

    @Test(arguments: 0..<3) func `a race that is over is no longer listed, wherever it waited`(_ place: Int)
        async throws
    {
        let (pairs, winner) = ((0..<2).map { _ in Promise<Int>.pending() }, Promise<Int>.pending())
        var all = pairs.map(\.promise)
        all.insert(winner.promise, at: place)
        let first = race(all)
        winner.resolver.fulfill(1)
        #expect(try await first.value == 1)
        for pair in pairs { #expect(pair.promise.state.waitingCount == 0) }
        for pair in pairs { pair.resolver.fulfill(2) }
    }

    @Test func `a when that is cancelled is no longer listed at promises that others need`() async throws {
        let pairs = (0..<3).map { _ in Promise<Int>.pending() }
        let needed = pairs.map { $0.promise.map { $0 + 1 } }
        let all = when(fulfilled: pairs.map(\.promise))
        all.cancel()
        #expect(pairs.allSatisfy { $0.promise.isPending && $0.promise.state.waitingCount == 1 })
        for pair in pairs { pair.resolver.fulfill(1) }
        #expect(try await when(fulfilled: needed).value == [2, 2, 2])
    }

    @Test func `a when that nothing waits for any more goes on with promises that others need`() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let (other, all) = (promise.map { $0 }, when(fulfilled: [promise]))
        all.map { $0 }.cancel()
        #expect(all.isPending && promise.isPending)
        resolver.fulfill(1)
        #expect(try await other.value == 1)
        #expect(try await all.value == [1])
    }

    @Test func `a cancellation goes up a long chain, through gathers, to what nobody else needs`() {
        let calls = Counter()
        let (first, resolver) = Promise<Int>.pending()
        let (other, otherResolver) = Promise<Int>.pending()
        for each in [resolver, otherResolver] { each.onCancel { calls.next() } }
        var last = first
        for _ in 0..<10_000 { last = last.map { $0 } }
        for _ in 0..<10 { last = race(when(fulfilled: [last, last]).map { $0.count }, other) }
        let needed = first.map { $0 }
        last.cancel()
        #expect(other.isRejected && first.isPending)
        #expect(calls.count == 1)
        needed.cancel()
        #expect(first.isRejected)
        #expect(calls.count == 2)
    }

    @Test func `what decides at once leaves the promises after it alone`() async throws {
        let (pending, resolver) = Promise<Int>.pending()
        for _ in 0..<100 {
            let all = when(fulfilled: [Promise(error: Failure(code: 1)), pending, pending, pending])
            await #expect(throws: Failure.self) { try await all.value }
            #expect(try await race([.value(1), pending, pending]).value == 1)
        }
        #expect(pending.state.waitingCount == 0)
        resolver.fulfill(1)
    }

    @Test func `a wait that was cancelled ends once, also if its promise is lost later`() async {
        conf.ignorePending()
        let slot = Trace.Slot<(promise: Promise<Int>, resolver: Resolver<Int>)>()
        slot.value = Promise<Int>.pending()
        let task = Task { try await slot.value?.promise.value }
        while slot.value?.promise.state.waitingCount == 0 { await Task.yield() }
        // These are before the wait in the list, where a cancellation does not look for it.
        let others = (0..<3).compactMap { _ in slot.value?.promise.map { $0 } }
        task.cancel()
        await #expect(throws: PromiseError.self) { try await task.value }
        slot.value = nil
        for other in others { #expect(other.isPending) }
    }

    @Test func `a when with a limit keeps no promise that is lost`() async {
        conf.ignorePending()
        let released = Counter()
        do {
            let token = Token(released)
            var rest = (0..<3).map { _ in Promise<Int>.pending().promise }
            let all = when(fulfilled: AnyIterator { rest.popLast() }, concurrently: 5)
            all.done { _ in withExtendedLifetime(token) {} }.cauterize()
        }
        #expect(released.count == 1)
    }

    enum Recovery: CaseIterable { case handler, promise, when }

    @Test(arguments: Recovery.allCases)
    func `cancelling the end of a chain calls no handler after what recovers from it`(_ recovery: Recovery) async throws
    {
        let calls = Counter()
        let (promise, resolver) = Promise<Int>.pending()
        let recovered =
            switch recovery {
            case .handler: promise.recover { _ in Guarantee.value(1) }.asPromise()
            case .promise: promise.recover(policy: .allErrors) { _ in Promise.value(1) }
            case .when: when(resolved: promise).map { $0.count }.asPromise()
            }
        let next = recovered.get { _ in calls.next() }.then { value in
            calls.next()
            return Promise.value(value)
        }
        next.map { $0 }.cancel()
        #expect(promise.isRejected)
        #expect(try await recovered.value == 1)
        await #expect(throws: PromiseError.self) { try await next.value }
        #expect(calls.count == 0)
        resolver.fulfill(2)
    }

    @Test(arguments: [true, false])
    func `while somebody else waits, only the handlers for them are called`(isLate: Bool) async throws {
        let calls = Counter()
        let (promise, resolver) = Promise<Int>.pending()
        let other = promise.map { $0 + 1 }
        let handled = promise.map { _ in calls.next() }
        handled.map { $0 }.cancel()
        // What needs it now makes up for what was cancelled.
        let late = isLate ? handled.map { $0 } : nil
        resolver.fulfill(1)
        #expect(try await other.value == 2)
        await settle()
        #expect(calls.count == (isLate ? 1 : 0))
        #expect(handled.isFulfilled == isLate)
        if let late { #expect(try await late.value == 1) }
    }

    @Test func `a promise whose consumer was cancelled is rejected with its own handler's error`() async {
        let (promise, resolver) = Promise<Int>.pending()
        let next = promise.recover(policy: .allErrors) { _ -> Promise<Int> in throw Failure() }
        next.map { $0 }.cancel()
        // What waits for it now would need it again.
        while next.isPending { await settle() }
        await #expect(throws: Failure.self) { try await next.value }
        resolver.fulfill(1)
    }

    @Test func `a when that lost a promise is not fulfilled by those that arrive later`() async {
        conf.ignorePending()
        let (last, resolver) = Promise<Int>.pending()
        let all = when(fulfilled: [Promise<Int>.pending().promise, last])
        resolver.fulfill(1)
        await settle()
        #expect(!all.isFulfilled)
    }
}
