import Dispatch
import Promises
import Testing

/// Promises/A+ 2.1: promise states.
struct StatesTests {
    @Test func `2.1.1 while pending, a promise may become fulfilled or rejected`() {
        let (one, fulfil) = Promise<Int>.pending()
        #expect(one.isPending)
        fulfil.fulfill(1)
        #expect(one.isFulfilled)
        let (other, reject) = Promise<Int>.pending()
        reject.reject(Failure())
        #expect(other.isRejected)
    }

    @Test func `2.1.2 a fulfilled promise keeps its state and its value`() async throws {
        let calls = Counter()
        let (promise, resolver) = Promise<Int>.pending()
        let seen = promise.get { _ in calls.next() }
        resolver.fulfill(1)
        resolver.fulfill(2)
        resolver.reject(Failure())
        promise.cancel()
        #expect(try await seen.value == 1)
        #expect(try await promise.value == 1)
        await settle()
        #expect(calls.count == 1)
    }

    @Test func `2.1.3 a rejected promise keeps its state and its reason`() async {
        let calls = Counter()
        let (promise, resolver) = Promise<Int>.pending()
        let handled = promise.asVoid().recover { _ in _ = calls.next() } as Guarantee<Void>
        resolver.reject(Failure(code: 1))
        resolver.reject(Failure(code: 2))
        resolver.fulfill(1)
        await handled.value
        #expect(promise.error as? Failure == Failure(code: 1))
        await settle()
        #expect(calls.count == 1)
    }

    @Test func `2.1.2 and 2.1.3: of many threads that settle, one wins`() async {
        for _ in 0..<200 {
            let (promise, resolver) = Promise<Int>.pending()
            let calls = Counter()
            let seen = promise.tap(on: nil) { _ in calls.next() }
            DispatchQueue.concurrentPerform(iterations: 4) { index in
                index % 2 == 0 ? resolver.fulfill(index) : resolver.reject(Failure(code: index))
            }
            let first = promise.result
            _ = try? await seen.value
            #expect(calls.count == 1)
            switch (first, promise.result) {
            case (.success(let a)?, .success(let b)?): #expect(a == b)
            case (.failure(let a)?, .failure(let b)?): #expect(a as? Failure == b as? Failure)
            default: Issue.record("the state changed")
            }
        }
    }
}
