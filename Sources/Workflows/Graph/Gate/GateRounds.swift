/// One thread's rounds at gates: work that a round causes runs in a later round instead of inside it.
final class GateRounds: Sendable {
    @TaskLocal static var current: GateRounds?

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isOver = false
    }

    private let state = Locked(State())

    /// False if the rounds have ended.
    func add(_ round: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if !state.isOver { state.waiting.append(round) }
            return !state.isOver
        }
    }

    func run(_ first: @Sendable () -> Void) {
        first()
        while let next = next() { next() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.isOver = state.waiting.isEmpty
            return state.isOver ? nil : state.waiting.removeFirst()
        }
    }
}

/// One request's passage through a gate; it can be cancelled before and after it begins.
final class Passage: Sendable {
    private struct State {
        var sent: Promise<HTTPResponse>?
        var isCancelled = false
    }

    private let state = Locked(State())

    func begin(_ work: () -> Promise<HTTPResponse>) -> Promise<HTTPResponse>? {
        guard !state.withLock({ $0.isCancelled }) else { return nil }
        let sent = work()
        let isCancelled = state.withLock { state in
            state.sent = sent
            return state.isCancelled
        }
        if isCancelled { sent.cancel() }
        return sent
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.sent
        }?.cancel()
    }
}
