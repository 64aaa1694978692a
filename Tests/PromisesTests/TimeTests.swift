import Dispatch
@testable import Promises
import Testing

struct TimeTests {
    @Test func `after resolves when its time has come`() async {
        let clock = ManualClock()
        let guarantee = after(.seconds(2), clock: clock)
        clock.advance(by: .seconds(1))
        #expect(guarantee.isPending)
        clock.advance(by: .seconds(1))
        #expect(guarantee.isFulfilled)
    }

    @Test func `timeout rejects late promises and cancels them`() {
        let clock = ManualClock()
        let calls = Counter()
        let (promise, resolver) = Promise<Int>.pending()
        resolver.onCancel { calls.next() }
        let limited = promise.timeout(.seconds(1), clock: clock)
        clock.advance(by: .seconds(1))
        guard case .timedOut? = limited.error as? PromiseError else {
            Issue.record("\(String(describing: limited.error))")
            return
        }
        #expect(calls.count == 1)
        #expect(limited.error?.isCancelled == false)
    }

    @Test func `timeout lets promises pass that are in time, and drops its timer`() {
        let clock = ManualClock()
        let (promise, resolver) = Promise<Int>.pending()
        let limited = promise.timeout(.seconds(1), clock: clock)
        resolver.fulfill(1)
        #expect(limited.isFulfilled)
        #expect(clock.pendingCount == 0)
    }

    @Test func `attempt waits between attempts and gives up in the end`() async {
        let clock = ManualClock()
        let calls = Counter()
        let promise = attempt(maximumRetryCount: 2, delay: .exponential(from: .seconds(1)), clock: clock) {
            Promise<Int>(error: Failure(code: calls.next()))
        }
        for delay in [1, 2] {
            while clock.pendingCount == 0 { await settle() }
            #expect(clock.nextDelay == .seconds(delay))
            clock.advance(by: .seconds(delay))
        }
        await #expect(throws: Failure(code: 3)) { try await promise.value }
        #expect(calls.count == 3)
    }

    @Test func `attempt does not try again what is not worth it`() async {
        let calls = Counter()
        let promise = attempt(delay: .seconds(1), clock: ManualClock(), while: { _ in false }) {
            Promise<Int>(error: Failure(code: calls.next()))
        }
        await #expect(throws: Failure(code: 1)) { try await promise.value }
    }

    @Test func `cancelling an attempt stops the delay between two tries`() async {
        let clock = ManualClock()
        let promise = attempt(delay: .seconds(1), clock: clock) { Promise<Int>(error: Failure()) }
        while clock.pendingCount == 0 { await settle() }
        promise.cancel()
        #expect(clock.pendingCount == 0)
    }

    @Test func `an exponential backoff doubles up to its limit, and jitter takes a part of it`() {
        let backoff = Backoff.exponential(from: .seconds(1), factor: 2, limit: .seconds(5))
        #expect((1...5).map { backoff(retry: $0, after: Failure()) } == [1, 2, 4, 5, 5].map { .seconds($0) })
        let half = backoff.jittered { 0.5 }
        #expect(half(retry: 2, after: Failure()) == .seconds(1))
        #expect(backoff(retry: 0, after: Failure()) == .seconds(1))
    }

    @Test func `the machine's clock does the work of a later time later`() async {
        // Real time: the other work comes an hour later.
        let clock = ContinuousPromiseClock()
        let early = Trace()
        let later = clock.schedule(after: .seconds(3_600)) { early.add("an hour") }
        await withCheckedContinuation { continuation in
            _ = clock.schedule(after: .zero) {
                early.add("now")
                continuation.resume()
            }
        }
        #expect(early.entries == ["now"])
        later.cancel()
    }

    @Test func `the machine's clock does work in the order of its times`() async {
        // Real time: only the order of moments is compared.
        let clock = ContinuousPromiseClock()
        let done = Locked<[Int]>([])
        // Each time lies between two that are known, however long the thread sleeps between two lines.
        var times: [(earliest: Duration, latest: Duration)] = []
        let delays = (0..<200).map { Duration.milliseconds($0 * 7 % 50) }
        await withCheckedContinuation { continuation in
            for (index, delay) in delays.enumerated() {
                let earliest = clock.now + delay
                _ = clock.schedule(after: delay) {
                    let count = done.withLock { done in
                        done.append(index)
                        return done.count
                    }
                    if count == delays.count { continuation.resume() }
                }
                times.append((earliest, clock.now + delay))
            }
        }
        let order = done.withLock { $0 }
        #expect(Set(order).count == delays.count)
        for (one, next) in zip(order, order.dropFirst()) {
            #expect(times[one].earliest <= times[next].latest)
        }
    }

    @Test func `the machine's clock forgets what is cancelled, and does the rest`() async {
        // Real time: what is cancelled would come an hour later.
        let clock = ContinuousPromiseClock()
        let (released, done) = (Counter(), Counter())
        await withCheckedContinuation { continuation in
            for index in 0..<10_000 {
                let token = Token(released)
                // One in a hundred stays, among others that are to come before and after it.
                let isKept = index % 100 == 50
                let delay = isKept ? Duration.milliseconds(20) : .seconds(index % 2 == 0 ? 7_200 : 3_600)
                let work = clock.schedule(after: delay) {
                    withExtendedLifetime(token) { if done.next() == 100 { continuation.resume() } }
                }
                if !isKept { work.cancel() }
            }
        }
        #expect(done.count == 100)
        #expect(released.count >= 9_900)
    }

    @Test func `a timer goes off before those that came before it and are later`() async {
        for others in [0, 1, 2, 10] {
            let timers = Timers(queue: DispatchQueue(label: "timers"))
            let later = (0..<others).map { _ in timers.schedule(after: 3_600_000_000_000) {} }
            await withCheckedContinuation { continuation in
                _ = timers.schedule(after: 1_000_000) { continuation.resume() }
            }
            #expect(timers.count == others)
            for timer in later { timer.cancel() }
        }
    }

    @Test func `timers can be given up while one goes off`() {
        let queue = DispatchQueue(label: "timers")
        for delay in 0..<20_000 {
            _ = Timers(queue: queue).schedule(after: delay % 50 * 1_000) {}
        }
        queue.sync {}
    }

    @Test func `timers that are cancelled are not kept for long, however many others there are`() {
        let timers = Timers(queue: DispatchQueue(label: "timers"))
        let kept = (0..<1_500).map { _ in timers.schedule(after: .max) {} }
        for _ in 0..<10_000 { timers.schedule(after: .max) {}.cancel() }
        #expect((1_500...3_100).contains(timers.count))
        for each in kept { each.cancel() }
        for _ in 0..<1_001 { timers.schedule(after: .max) {}.cancel() }
        #expect(timers.count <= 1_001)
    }

    @Test func `timers go off in their order, whichever of the others are cancelled`() async {
        // Real time: only the order of moments is compared.
        let timers = Timers(queue: DispatchQueue(label: "timers"))
        let clock = ContinuousClock()
        let count = 3_000
        let order = Locked<[Int]>([])
        var times: [(earliest: ContinuousClock.Instant, latest: ContinuousClock.Instant)] = []
        await withCheckedContinuation { continuation in
            let all = (0..<count).map { index in
                // A third stays, and most of those come to another place when the others are removed.
                let delay = 200_000_000 + index * 1_999 % count * 50_000
                let earliest = clock.now + .nanoseconds(delay)
                let timer = timers.schedule(after: delay) { order.withLock { $0.append(index) } }
                times.append((earliest, clock.now + .nanoseconds(delay)))
                return timer
            }
            for (index, timer) in all.enumerated() where index % 3 != 0 { timer.cancel() }
            _ = timers.schedule(after: 450_000_000) { continuation.resume() }
        }
        // On a busy machine some of the others go off before they are cancelled.
        let ran = order.withLock { $0 }.filter { $0 % 3 == 0 }
        #expect(ran.sorted() == (0..<count).filter { $0 % 3 == 0 })
        let inversions = zip(ran, ran.dropFirst()).count { times[$0].earliest > times[$1].latest }
        #expect(inversions == 0)
    }

    @Test func `a duration has nanoseconds, none if it is over, and as many as fit if it is long`() {
        #expect(Duration(secondsComponent: 3, attosecondsComponent: 7_000_000_000).nanoseconds == 3_000_000_007)
        #expect(Duration.seconds(9_223_372_036).nanoseconds == 9_223_372_036_000_000_000)
        #expect(Duration.seconds(9_223_372_037).nanoseconds == .max)
        #expect(Duration.milliseconds(9_223_372_036_855).nanoseconds == .max)
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        for past in [Duration.seconds(-1), .nanoseconds(-1), .seconds(Int64.min)] { #expect(past.nanoseconds == 0) }
    }

    @Test func `a delay that is longer than any machine runs never ends`() async throws {
        let forever = after(seconds: .infinity)
        await after(.milliseconds(10)).value
        #expect(forever.isPending)
    }

    @Test func `work that is due can still be cancelled by a handler that runs before it`() async {
        // Real time: the work becomes due or not before it is cancelled, and the last timer comes after both.
        let clock = ContinuousPromiseClock()
        let trace = Trace()
        await withCheckedContinuation { continuation in
            let later = Locked<ScheduledWork?>(nil)
            _ = clock.schedule(after: .milliseconds(1)) {
                while later.withLock({ $0 == nil }) { SystemThread.sleep(seconds: 0.001) }
                // Meanwhile the time of the other comes, but the default place is busy.
                SystemThread.sleep(seconds: 0.02)
                later.withLock { $0 }?.cancel()
            }
            later.withLock { $0 = clock.schedule(after: .milliseconds(3)) { trace.add("cancelled") } }
            _ = clock.schedule(after: .milliseconds(60)) { continuation.resume() }
        }
        #expect(trace.entries.isEmpty)
    }
}
