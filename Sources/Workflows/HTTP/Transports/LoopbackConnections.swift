/// Plain HTTP to this machine; it needs no library, so a program that uses only local services starts at once.
final class LoopbackConnections: Sendable {
    private static let idleLimit = 64
    private static let patience = DispatchTimeInterval.seconds(10)

    private struct State {
        var idle: [(address: LoopbackAddress, socket: LoopbackSocket)] = []
        var waiting: [PendingResponse] = []
        /// The threads without work, except those that have been woken for a request.
        var freeThreads = 0
    }

    private let state = Locked(State())
    private let work = DispatchSemaphore(value: 0)

    deinit {
        for (_, socket) in state.withLock({ $0.idle }) { socket.close() }
    }

    func send(_ pending: PendingResponse) {
        let isTaken = state.withLock { state in
            guard state.freeThreads > 0 else { return false }
            state.freeThreads -= 1
            state.waiting.append(pending)
            return true
        }
        if isTaken {
            work.signal()
        } else {
            SystemThread.start { [self] in
                var next: PendingResponse? = pending
                while let pending = next {
                    LoopbackExchange(pending, over: self).perform()
                    next = awaitWork()
                }
            }
        }
    }

    func take(_ address: LoopbackAddress) -> LoopbackSocket? {
        while let socket = state.withLock({ state in
            state.idle.lastIndex { $0.address == address }.map { state.idle.remove(at: $0).socket }
        }) {
            // Nothing may arrive between two requests: otherwise the server has closed or is out of step.
            if socket.waitToRead(for: .zero) == .timedOut { return socket }
            socket.close()
        }
        return nil
    }

    func keep(_ socket: LoopbackSocket, to address: LoopbackAddress) {
        let surplus = state.withLock { state in
            state.idle.append((address, socket))
            return state.idle.count > Self.idleLimit ? state.idle.removeFirst().socket : nil
        }
        surplus?.close()
    }

    private func awaitWork() -> PendingResponse? {
        state.withLock { $0.freeThreads += 1 }
        if work.wait(timeout: .now() + Self.patience) == .timedOut {
            let mayEnd = state.withLock { state in
                guard state.freeThreads > 0 else { return false }
                state.freeThreads -= 1
                return true
            }
            if mayEnd { return nil }
            // A request was given to this thread meanwhile: its signal comes.
            work.wait()
        }
        return state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    }
}

struct LoopbackAddress: Hashable {
    let host: HostName
    let port: UInt16

    init(of url: URL) {
        host = HostName(of: url)
        port = UInt16(clamping: url.port ?? 80)
    }
}
