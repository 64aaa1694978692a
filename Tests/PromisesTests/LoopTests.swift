@testable import Promises
import Testing

/// Loops: handlers that return the promise of the next round.
struct LoopTests {
    enum Kind: CaseIterable { case inline, standard, recovering, guarantee }

    /// The promises of a loop's rounds, which none of them keeps alive; the thread sanitizer understands no `Mutex`.
    private final class Rounds: Sendable {
        private struct Round { weak var state: State? }
        private let all = Locked<[Round]>([])

        func add(_ promise: Promise<Int>) { all.withLock { $0.append(Round(state: promise.state)) } }
        var aliveCount: Int { all.withLock { $0.filter { $0.state != nil }.count } }
    }

    /// Other code keeps references a little longer, so that a link does not know that it is alone.
    private static let isOptimized = {
        var isOptimized = true
        assert({ isOptimized = false }() == ())
        return isOptimized
    }()

    private static func loop(
        _ rest: Int, _ kind: Kind, _ last: Promise<Int>, _ add: @escaping @Sendable (Promise<Int>) -> Void
    ) -> Promise<Int> {
        if rest == 0 { return last }
        let promise: Promise<Int>
        switch kind {
        case .inline: promise = Promise.value(rest - 1).then(on: nil) { loop($0, kind, last, add) }
        case .standard: promise = Promise.value(rest - 1).then { loop($0, kind, last, add) }
        case .recovering:
            promise = Promise(error: Failure()).recover(on: nil) { _ in loop(rest - 1, kind, last, add) }
        case .guarantee: promise = Guarantee.value(rest - 1).then(on: nil) { loop($0, kind, last, add) }
        }
        add(promise)
        return promise
    }

    @Test(arguments: Kind.allCases)
    func `a loop that goes on holds a few of its rounds, not all of them`(_ kind: Kind) async throws {
        let rounds = Rounds()
        let (last, resolver) = Promise<Int>.pending()
        let promise = Self.loop(1_000, kind, last, rounds.add)
        // All rounds have begun once what follows them in the default place runs.
        while last.state.waitingCount == 0 { await Guarantee.value(()).done {}.value }
        #expect(!Self.isOptimized || rounds.aliveCount <= 20)
        resolver.fulfill(7)
        #expect(try await promise.value == 7)
    }

    @Test(arguments: Kind.allCases)
    func `every round whose promise is kept settles with the last one's value`(_ kind: Kind) async throws {
        let kept = Locked<[Promise<Int>]>([])
        let (last, resolver) = Promise<Int>.pending()
        let first = Self.loop(300, kind, last) { promise in kept.withLock { $0.append(promise) } }
        while last.state.waitingCount == 0 { await Guarantee.value(()).done {}.value }
        resolver.fulfill(7)
        #expect(try await first.value == 7)
        for promise in kept.withLock({ $0 }) { #expect(try await promise.value == 7) }
    }

    @Test(arguments: Kind.allCases)
    func `cancelling the first round's promise cancels what the last round waits for`(_ kind: Kind) async throws {
        let (last, resolver) = Promise<Int>.pending()
        let (cancelled, tell) = Guarantee<Void>.pending()
        resolver.onCancel { tell(()) }
        let promise = Self.loop(300, kind, last) { _ in }
        while last.state.waitingCount < 2 { await Guarantee.value(()).done {}.value }
        promise.cancel()
        await cancelled.value
        await #expect(throws: PromiseError.self) { try await promise.value }
    }

    @Test(arguments: Kind.allCases)
    func `cancelling a loop while it runs ends it`(_ kind: Kind) async throws {
        for round in 0..<50 {
            let (last, resolver) = Promise<Int>.pending()
            let promise = Self.loop(2_000, kind, last) { _ in }
            let other = Task.detached {
                // Real time: the loop is endless, so it is cancelled at any of these moments.
                for _ in 0..<round { await Task.yield() }
                promise.cancel()
            }
            await #expect(throws: PromiseError.self) { try await promise.value }
            await other.value
            resolver.fulfill(7)
        }
    }
}
