import Dispatch
@testable import Promises
import Synchronization
import Testing

/// Many threads on the same promises, for the thread sanitizer.
struct StressTests {
    /// Waits for another thread without leaving the processor, for a while: there may be no other processor.
    private static func wait(until isReady: () -> Bool) {
        var tries = 10_000
        while tries > 0, !isReady() { tries -= 1 }
    }

    @Test func `threads attach to a promise while another settles it`() async {
        for round in 0..<100 {
            let (promise, resolver) = Promise<Int>.pending()
            let calls = Counter()
            let all = Trace.Slot<[Promise<Int>]>()
            all.value = []
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                if thread == 0 { resolver.fulfill(round) }
                let places: [DispatchQueue?] = [nil, .global(), conf.Q.map]
                let mine = (0..<50).map { (index: Int) -> Promise<Int> in
                    promise.map(on: places[index % 3]) { value in
                        calls.next()
                        return value
                    }
                }
                all.append(mine)
            }
            let values = try? await when(fulfilled: all.value ?? []).value
            #expect(values == Array(repeating: round, count: 200))
            #expect(calls.count == 200)
        }
    }

    @Test func `of two threads that settle a promise at the same time, one does`() async {
        let released = Counter()
        let promises = (0..<20_000).map { _ in Promise<Token>.pending() }
        let begun = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            for (number, pair) in promises.enumerated() {
                let token = Token(released)
                begun.wrappingAdd(1, ordering: .relaxed)
                Self.wait { begun.load(ordering: .relaxed) >= 2 * (number + 1) }
                // The one that was waited for learns it first, by a time that differs.
                for _ in 0..<thread * number % 100 { _ = begun.load(ordering: .acquiring) }
                pair.resolver.fulfill(token)
            }
        }
        #expect(released.count == promises.count)
    }

    @Test func `a handler that is attached while others are handed out runs after them`() async throws {
        for round in 0..<1_000 {
            let (promise, resolver) = Promise<Int>.pending()
            let trace = Locked<[Int]>([])
            let early = (0..<20).map { number in promise.map { _ in trace.withLock { $0.append(number) } } }
            // One that runs elsewhere, so that they are handed out one by one.
            let inline = promise.map(on: nil) { $0 }
            let begun = Atomic(false)
            let late = Trace.Slot<Promise<Void>>()
            DispatchQueue.concurrentPerform(iterations: 2) { thread in
                if thread == 0 {
                    Self.wait { begun.load(ordering: .relaxed) }
                    resolver.fulfill(round)
                } else {
                    begun.store(true, ordering: .relaxed)
                    for _ in 0..<round % 200 { _ = begun.load(ordering: .acquiring) }
                    late.value = promise.map { _ in trace.withLock { $0.append(20) } }
                }
            }
            try await when(fulfilled: early + [late.value ?? .value(()), inline.asVoid()]).value
            #expect(trace.withLock { $0 } == Array(0...20))
        }
    }

    @Test func `threads cancel the branches of a tree while it settles`() async {
        for _ in 0..<100 {
            let (promise, resolver) = Promise<Int>.pending()
            let ensured = Counter()
            resolver.onCancel {}
            let leaves = (0..<8).map { _ in
                promise.map { $0 + 1 }.then { Promise.value($0) }.ensure { ensured.next() }
            }
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                if thread == 0 { resolver.fulfill(1) } else { for leaf in leaves { leaf.cancel() } }
            }
            for leaf in leaves {
                do { #expect(try await leaf.value == 2) } catch { #expect(error.isCancelled) }
            }
            await settle()
            #expect(ensured.count == 8)
        }
    }

    @Test func `promises are released while others cancel them`() async {
        conf.ignorePending()
        for _ in 0..<200 {
            let slot = Trace.Slot<Resolver<Int>>()
            let (promise, resolver) = Promise<Int>.pending()
            slot.value = resolver
            let leaves = (0..<4).map { _ in promise.map { $0 }.map { $0 } }
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                if thread == 0 { slot.value = nil } else { for leaf in leaves { leaf.cancel() } }
            }
            for leaf in leaves { #expect(leaf.isRejected) }
        }
    }

    @Test func `tasks await promises that other threads settle`() async {
        await withTaskGroup(of: Int.self) { group in
            for index in 0..<500 {
                let (promise, resolver) = Promise<Int>.pending()
                group.addTask { (try? await promise.map { $0 + 1 }.value) ?? -1 }
                DispatchQueue.global().async { resolver.fulfill(index) }
            }
            var sum = 0
            for await value in group { sum += value }
            #expect(sum == 500 * 501 / 2)
        }
    }

    @Test func `a when is cancelled while others settle and release what it waits for`() async {
        conf.ignorePending()
        for _ in 0..<200 {
            let settled = (0..<4).map { _ in Promise<Int>.pending() }
            let (pending, pendingResolver) = Promise<Int>.pending()
            let (released, releasedResolver) = Promise<Int>.pending()
            let slot = Trace.Slot<Resolver<Int>>()
            slot.value = releasedResolver
            let all = when(fulfilled: settled.map(\.promise) + [pending, released])
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                switch thread {
                case 0: for pair in settled { pair.resolver.fulfill(1) }
                case 1: slot.value = nil
                default: all.cancel()
                }
            }
            #expect(all.isRejected)
            #expect(pending.isRejected)
            pendingResolver.fulfill(1)
        }
    }

    @Test func `a when with a limit keeps to it, whoever settles its promises`() async throws {
        let (pending, most) = (Locked(0), Locked(0))
        let queue = DispatchQueue(label: "settling", attributes: .concurrent)
        var rest = 0..<5_000
        let promises = AnyIterator<Promise<Int>> {
            guard let number = rest.popFirst() else { return nil }
            let now = pending.withLock { count in
                count += 1
                return count
            }
            most.withLock { $0 = max($0, now) }
            return Promise { seal in
                queue.async {
                    pending.withLock { $0 -= 1 }
                    seal.fulfill(number)
                }
            }
        }
        #expect(try await when(fulfilled: promises, concurrently: 3).value == Array(0..<5_000))
        #expect(most.withLock { $0 } <= 3)
    }

    @Test func `races and whens settle once from many threads`() async throws {
        for _ in 0..<100 {
            let pairs = (0..<8).map { _ in Promise<Int>.pending() }
            let first = race(pairs.map(\.promise))
            let all = when(fulfilled: pairs.map(\.promise))
            DispatchQueue.concurrentPerform(iterations: 8) { pairs[$0].resolver.fulfill($0) }
            #expect((0..<8).contains(try await first.value))
            #expect(try await all.value == Array(0..<8))
        }
    }

    @Test func `handlers at the default place never run at the same time`() async {
        let isInside = Atomic(false)
        let overlaps = Counter()
        let chains = Trace.Slot<[Promise<Int>]>()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            let mine = (0..<200).map { index in
                Promise.value(index).map { value in
                    if isInside.exchange(true, ordering: .relaxed) { overlaps.next() }
                    isInside.store(false, ordering: .relaxed)
                    return value
                }
            }
            chains.append(mine)
        }
        _ = try? await when(fulfilled: chains.value ?? []).value
        #expect(overlaps.count == 0)
    }
}
