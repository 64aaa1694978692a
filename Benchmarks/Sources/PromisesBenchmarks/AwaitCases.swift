import Dispatch
import Promises
import Synchronization

/// Awaiting what is settled later, beside continuations that are resumed in the same place.
///
/// Two tasks of one actor take turns, so that everything is pending when it is awaited, and no thread has to wake up.
enum AwaitCases {
    private static let count = 2_000

    static func promises() -> Double {
        measure { players in
            let pairs = (0..<2).map { _ in (0..<count).map { _ in Promise<Int>.pending() } }
            return (
                { await players.play(pairs[0].map(\.promise), answering: pairs[1].map(\.resolver)) },
                { await players.answer(pairs[1].map(\.promise), with: pairs[0].map(\.resolver)) }
            )
        }
    }

    static func unsafe() -> Double {
        measure { players in ({ await players.playUnsafe(count) }, { await players.answerUnsafe(count) }) }
    }

    static func checked() -> Double {
        measure { players in ({ await players.playChecked(count) }, { await players.answerChecked(count) }) }
    }

    static func cancellable() -> Double {
        measure { players in
            let waits = (0..<2).map { _ in (0..<count).map { _ in Wait() } }
            return (
                { await players.play(waits[0], answering: waits[1]) },
                { await players.answer(waits[1], with: waits[0]) }
            )
        }
    }

    private typealias Player = @Sendable () async -> Void

    private static func measure(_ make: @escaping @Sendable (Players) async -> (Player, Player)) -> Double {
        // The least of many, because what the machine does besides takes longer.
        let times = (0..<200).map { _ in
            blocking {
                let players = Players()
                let (player, other) = await make(players)
                return await players.time(player, other)
            }
        }
        return (times.min() ?? .zero) / .nanoseconds(1) / Double(2 * count)
    }
}

/// What a promise does for a task that awaits it: a continuation that ends when its task is cancelled.
private final class Wait: Sendable {
    private struct State {
        var waiting: CheckedContinuation<Int, any Error>?
        var result: Result<Int, any Error>?
    }
    private let state = Mutex(State())

    func value(isolation: isolated (any Actor)? = #isolation) async throws -> Int {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state in
                    if state.result == nil { state.waiting = continuation }
                    return state.result
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            end(.failure(CancellationError()))
        }
    }

    func end(_ result: Result<Int, any Error>) {
        let waiting = state.withLock { state in
            if state.result == nil { state.result = result }
            return state.waiting.take()
        }
        waiting?.resume(with: result)
    }
}

private actor Players {
    private var unsafe: (UnsafeContinuation<Int, any Error>?, UnsafeContinuation<Int, any Error>?)
    private var checked: (CheckedContinuation<Int, any Error>?, CheckedContinuation<Int, any Error>?)

    /// The second one begins, and then waits for the first one.
    func time(_ first: @escaping @Sendable () async -> Void, _ second: @escaping @Sendable () async -> Void) async
        -> Duration
    {
        let other = Task { await second() }
        let start = ContinuousClock.now
        await first()
        await other.value
        return start.duration(to: .now)
    }

    func play(_ promises: [Promise<Int>], answering resolvers: [Resolver<Int>]) async {
        for index in promises.indices {
            resolvers[index].fulfill(index)
            keep(try? await promises[index].value)
        }
    }

    func answer(_ promises: [Promise<Int>], with resolvers: [Resolver<Int>]) async {
        for index in promises.indices {
            keep(try? await promises[index].value)
            resolvers[index].fulfill(index)
        }
    }

    func play(_ waits: [Wait], answering others: [Wait]) async {
        for index in waits.indices {
            others[index].end(.success(index))
            keep(try? await waits[index].value())
        }
    }

    func answer(_ waits: [Wait], with others: [Wait]) async {
        for index in waits.indices {
            keep(try? await waits[index].value())
            others[index].end(.success(index))
        }
    }

    func playUnsafe(_ count: Int) async {
        while unsafe.1 == nil { await Task.yield() }
        for index in 0..<count {
            unsafe.1?.resume(returning: index)
            keep(try? await withUnsafeThrowingContinuation { unsafe.0 = $0 })
        }
    }

    func answerUnsafe(_ count: Int) async {
        for index in 0..<count {
            keep(try? await withUnsafeThrowingContinuation { unsafe.1 = $0 })
            unsafe.0?.resume(returning: index)
        }
    }

    func playChecked(_ count: Int) async {
        while checked.1 == nil { await Task.yield() }
        for index in 0..<count {
            checked.1?.resume(returning: index)
            keep(try? await withCheckedThrowingContinuation { checked.0 = $0 })
        }
    }

    func answerChecked(_ count: Int) async {
        for index in 0..<count {
            keep(try? await withCheckedThrowingContinuation { checked.1 = $0 })
            checked.0?.resume(returning: index)
        }
    }
}
