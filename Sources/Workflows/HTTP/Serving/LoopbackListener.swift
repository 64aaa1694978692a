import Foundation
import Promises

/// The two listening sockets of a server, the thread that waits at them, and the connections that came of them.
package final class LoopbackListener: Sendable {
    private static let connectionLimit = 128

    private struct State {
        var isStopped = false
        /// Since when each connection waits for its client; nil while an answer is worked on.
        var connections: [LoopbackSocket: ContinuousClock.Instant?] = [:]
    }

    package let port: UInt16

    private let answer: LoopbackConnection.Answering
    private let isReset: @Sendable (HTTPRequest) -> Bool
    private let sockets: [LoopbackSocket]
    private let state = Locked(State())

    /// - Parameters:
    ///   - port: The port at both addresses; 0 for one that is free at both.
    ///   - isReset: Says of a request, when only its head has come, whether its connection is cut off.
    ///   - answer: What answers each request.
    package init(
        port: UInt16, isReset: @escaping @Sendable (HTTPRequest) -> Bool = { _ in false },
        answer: @escaping LoopbackConnection.Answering
    ) throws(SystemError) {
        (sockets, self.port) = try LoopbackSocket.listening(port: port)
        self.answer = answer
        self.isReset = isReset
    }

    /// Takes connections, until it is stopped, on a thread for each listening socket.
    package func run() {
        for socket in sockets {
            Self.thread { [self] in
                accept(at: socket)
                socket.close()
            }
        }
    }

    /// Ends listening and all connections.
    package func stop() {
        state.withLock { state in
            state.isStopped = true
            for connection in state.connections.keys { connection.shutDown() }
        }
        for socket in sockets { socket.shutDown() }
    }

    private func accept(at socket: LoopbackSocket) {
        while !state.withLock({ $0.isStopped }) {
            guard socket.waitToRead(for: .seconds(1)) == .ready else { continue }
            do {
                if let connection = try socket.accept() { serve(connection) }
            } catch {
                // Out of descriptors, most likely: the one that was silent longest makes room.
                guard !state.withLock({ $0.isStopped }) else { return }
                endOldestConnection()
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
    }

    private func serve(_ socket: LoopbackSocket) {
        let isFull = state.withLock { state in
            state.connections[socket] = .some(.now)
            if state.isStopped { socket.shutDown() }
            return state.connections.count > Self.connectionLimit
        }
        if isFull { endOldestConnection() }
        Self.thread { [self] in
            LoopbackConnection(socket: socket, answer: answer, isReset: isReset) { [self] isBusy in
                state.withLock { state in
                    // One that had to go is no longer among them.
                    guard state.connections.keys.contains(socket) else { return }
                    state.connections[socket] = .some(isBusy ? nil : .now)
                }
            }.serve()
            // Forgotten before it is closed, so that nobody shuts down another socket that gets its number.
            state.withLock { _ = $0.connections.removeValue(forKey: socket) }
            socket.close()
        }
    }

    private func endOldestConnection() {
        state.withLock { state in
            let waiting = state.connections.compactMap { socket, since in since.map { (socket, $0) } }
            guard let oldest = waiting.min(by: { $0.1 < $1.1 })?.0 else { return }
            state.connections.removeValue(forKey: oldest)
            oldest.shutDown()
        }
    }

    private static func thread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.stackSize = 4 << 20
        thread.start()
    }
}
