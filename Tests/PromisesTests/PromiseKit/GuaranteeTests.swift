import Dispatch
import Promises
import Testing

/// That a guarantee cannot be rejected, whatever makes it, and needs what it waits for.
struct GuaranteeTests {
    /// A guarantee whose type does not matter.
    struct Made: Sendable {
        let cancel: @Sendable () -> Void
        let result: @Sendable () -> Bool?

        init<T>(_ guarantee: Guarantee<T>) {
            cancel = { guarantee.asPromise().cancel() }
            result = { guarantee.result?.isFulfilled }
        }
    }

    struct Maker: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable (Guarantee<Int>) -> Made

        init(_ testDescription: String, _ make: @escaping @Sendable (Guarantee<Int>) -> Made) {
            self.testDescription = testDescription
            self.make = make
        }

        static let all: [Maker] = [
            Maker("then") { Made($0.then { Guarantee.value($0) }) },
            Maker("then at once") { Made($0.then(on: nil) { Guarantee.value($0) }) },
            Maker("map") { Made($0.map { $0 }) },
            Maker("map at once") { Made($0.map(on: nil) { $0 }) },
            Maker("map by key path") { Made($0.map(\.description)) },
            Maker("done") { Made($0.done { _ in }) },
            Maker("done at once") { Made($0.done(on: nil) { _ in }) },
            Maker("get") { Made($0.get { _ in }) },
            Maker("get at once") { Made($0.get(on: nil) { _ in }) },
            Maker("asVoid") { Made($0.asVoid()) },
            Maker("when of two") { Made(when(guarantees: $0, Guarantee.value("a"))) },
            Maker("when of three") { Made(when(guarantees: $0, .value("a"), .value(true))) },
            Maker("when of an array") { Made(when(guarantees: [$0, .value(2)])) },
            Maker("race") { Made(race($0, Guarantee<Int>.pending().guarantee)) },
        ]
    }

    @Test(arguments: Maker.all)
    func `what waits for a guarantee needs it when others leave it`(_ maker: Maker) async {
        let calls = Counter()
        let (guarantee, resolve) = Guarantee<Int>.pending()
        guarantee.setCancellable(Work(calls))
        let made = maker.make(guarantee)
        guarantee.asPromise().map { $0 }.cancel()
        #expect(calls.count == 0)
        resolve(1)
        await settle()
        #expect(made.result() == true)
    }

    @Test(arguments: Maker.all)
    func `a guarantee that is cancelled stops its work, but is not rejected`(_ maker: Maker) async {
        let calls = Counter()
        let (guarantee, resolve) = Guarantee<Int>.pending()
        guarantee.setCancellable(Work(calls))
        let made = maker.make(guarantee)
        made.cancel()
        #expect(calls.count == 1)
        await settle()
        #expect(made.result() == nil)
        resolve(1)
        await settle()
        #expect(made.result() == true)
    }

    @Test func `a guarantee that is made with a body or a delay is not rejected when it is cancelled`() {
        let clock = ManualClock()
        let made = [Made(Guarantee<Int> { _ in }), Made(after(.seconds(1), clock: clock))]
        for guarantee in made {
            guarantee.cancel()
            #expect(guarantee.result() == nil)
        }
        #expect(clock.pendingCount == 0)
    }

    @Test func `a copy is the same promise, another one is not`() {
        let promise = Promise.value(1)
        let copy = promise
        #expect(promise === copy && !(promise !== copy))
        #expect(promise !== Promise.value(1) && !(promise === Promise.value(1)))
        let guarantee = Guarantee.value(1)
        let same = guarantee
        #expect(guarantee === same && !(guarantee === Guarantee.value(1)))
    }

    @Test(arguments: [0, -1])
    func `a delay that is over at once takes no time that is not given`(seconds: Double) async {
        #expect(
            await race(after(seconds: seconds).map { "none" }, after(.seconds(3_600)).map { "some" }).value == "none"
        )
    }
}

/// Work that counts how often it is cancelled.
struct Work: Cancellable {
    private let calls: Counter
    init(_ calls: Counter) { self.calls = calls }
    func cancel() { calls.next() }
}
