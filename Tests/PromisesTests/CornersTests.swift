import Dispatch
@testable import Promises
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
