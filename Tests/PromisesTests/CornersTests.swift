import Dispatch
@testable import Promises
import Synchronization
import Testing

/// Guarantees that are cancelled, orders that are drawn, and other corners.
struct CornersTests {
    typealias Step = @Sendable (Guarantee<Int>) -> Guarantee<Int>

    static let steps: [Step] = [
        { $0.then { Guarantee.value($0) } },
        { $0.then(on: .global()) { Guarantee.value($0) } },
        { $0.map { $0 } },
        { $0.map(on: .global()) { $0 } },
        { $0.get { _ in } },
        { $0.get(on: .global()) { _ in } },
        { when(resolved: [$0.asPromise()].makeIterator(), concurrently: 1).map { _ in 1 } },
        { guarantee in guarantee.done { _ in }.map { 1 } },
        { guarantee in guarantee.done(on: .global()) { _ in }.map { 1 } },
        { $0.asVoid().map { 1 } },
        { race($0, Guarantee<Int> { _ in }) },
        { when(guarantees: [$0, .value(2)]).map { $0[0] } },
        { $0.asPromise().recover { _ in .value(2) } },
    ]

    @Test(arguments: steps.indices)
    func `a guarantee that is cancelled still has its value`(_ index: Int) async {
        let (guarantee, resolve) = Guarantee<Int>.pending()
        let last = Self.steps[index](guarantee)
        last.asPromise().cancel()
        #expect(last.isPending && guarantee.isPending)
        resolve(1)
        #expect(await last.value == 1)
    }

    @Test func `a when with a limit that is cancelled takes no more, and has the outcomes of what it took`() async {
        let (pairs, taken) = ((0..<5).map { _ in Promise<Int>.pending() }, Counter())
        let needed = pairs[1].promise.map { $0 }
        let promises = AnyIterator { pairs[taken.next() - 1].promise }
        let all = when(resolved: promises, concurrently: 3)
        pairs[0].resolver.fulfill(1)
        all.asPromise().cancel()
        #expect(pairs[2].promise.error?.isCancelled == true && pairs[3].promise.error?.isCancelled == true)
        #expect(needed.isPending && all.isPending)
        pairs[1].resolver.fulfill(2)
        let outcomes = await all.value
        #expect(taken.count == 4)
        #expect(outcomes.map { try? $0.get() } == [1, 2, nil, nil])
    }

    @Test func `any number of handlers run at once, one after another, inside one that does`() async {
        let (outer, calls) = (Counter(), Counter())
        Promise.value(1).tap(on: nil) { _ in
            for number in 1...100 {
                Promise.value(1).tap(on: nil) { _ in calls.next() }.cauterize()
                if calls.count == number { outer.next() }
            }
        }.cauterize()
        #expect(outer.count == 100)
    }

    @Test(.timeLimit(.minutes(60)))
    func `handlers are idle while none is ready, runs, or computes beside others`() async {
        // In a process of its own, because handlers of other tests run here.
        await #expect(processExitsWith: .success) {
            #expect(Handlers.areIdle)
            let (begun, begin) = Guarantee<Void>.pending()
            let (end, endIt) = Guarantee<Void>.pending()
            let computation = Promise.value(()).map {
                #expect(!Handlers.areIdle)
                let absence = Absence()
                begin(())
                while end.isPending { SystemThread.sleep(seconds: 0.001) }
                absence?.end()
            }
            while begun.isPending { SystemThread.sleep(seconds: 0.001) }
            // Real time: it is long enough for all others to be idle; if it is not, less is tried.
            for _ in 0..<100 {
                #expect(!Handlers.areIdle)
                SystemThread.sleep(seconds: 0.001)
            }
            endIt(())
            try await computation.value
            // The thread that it kept is counted until it has ended.
            while !Handlers.areIdle { SystemThread.sleep(seconds: 0.001) }
            // More than can compute beside others, each of which waits for one more to begin.
            let (count, last) = (Counter(), Guarantee<Void>.pending())
            let many = (1...70).map { _ in
                Promise.value(()).map {
                    let absence = Absence()
                    if count.next() == 65 { last.resolve(()) }
                    while absence != nil, last.guarantee.isPending { SystemThread.sleep(seconds: 0.001) }
                    absence?.end()
                    return absence != nil
                }
            }
            #expect(try await when(fulfilled: many).value.filter { $0 }.count >= 64)
            while !Handlers.areIdle { SystemThread.sleep(seconds: 0.001) }
        }
    }

    @Test func `a handler at the default place runs there, wherever the one before it ran`() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let isThere: @Sendable (Int) -> Bool = { _ in SerialPlace.standard.isCurrent }
        let before = [promise, promise.map(on: nil) { $0 }, promise.map(on: .global()) { $0 }]
        let there = before.map { $0.map(isThere) } + before.map { $0.map { $0 }.map(isThere) }
        resolver.fulfill(1)
        #expect(try await when(fulfilled: there).value == [Bool](repeating: true, count: 6))
    }

    @Test func `an arrival leaves its slot once no canceller reads it`() {
        let gather = unsafe Gather(Slots(count: 0), Origin(#fileID, #line)) { _, _ in }
        let slots = Slots(count: 1)
        let arrival = unsafe Arrival(gather, 0) { _, _, _ in false }
        unsafe slots.words[0].store(arrival.address | Slots.locked, ordering: .releasing)
        let hasLeft = Locked(false)
        let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        SystemThread.start {
            begun.signal()
            slots.leave(0, arrival)
            hasLeft.withLock { $0 = true }
            ended.signal()
        }
        begun.wait()
        // Real time: the other thread must still wait, however long that takes.
        for _ in 0..<10_000 { Promises.Thread.yield() }
        #expect(hasLeft.withLock { $0 } == false)
        unsafe slots.words[0].store(arrival.address, ordering: .releasing)
        ended.wait()
        #expect(unsafe slots.words[0].load(ordering: .acquiring) == 0)
    }

    @Test func `only what is settled is fulfilled or rejected, and only the same promise is identical`() {
        let (promise, resolver) = Promise<Int>.pending()
        let other = Promise.value(1)
        #expect(promise.isPending && !promise.isResolved && !promise.isFulfilled && !promise.isRejected)
        #expect(promise === promise && promise !== other)
        #expect(!(promise !== promise) && !(promise === other))
        resolver.reject(Failure())
        #expect(promise.isResolved && promise.isRejected && !promise.isFulfilled && !promise.isPending)
        #expect(other.isFulfilled && !other.isRejected)
        #expect(promise.error is Failure)
        promise.catch { _ in }
    }
}
