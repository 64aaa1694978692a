import Foundation
import Promises

/// A server's two listening sockets, the threads that accept, and the accepted connections.
package final class LoopbackListener: Sendable {
    private static let connectionLimit = 128

    private struct State {
        var isStopped = false
        /// Since when each connection has been idle; nil while it is busy.
        var connections: [LoopbackSocket: ContinuousClock.Instant?] = [:]
    }

    package let port: UInt16

    private let answer: LoopbackConnection.Answering
    private let isReset: @Sendable (HTTPRequest) -> Bool
    private let sockets: [LoopbackSocket]
    private let state = Locked(State())

    /// - Parameters:
    ///   - port: The port at both addresses; 0 for one that is free at both.
    ///   - isReset: Decides, from a request's head, whether to reset its connection.
    ///   - answer: Answers each request.
    package init(
        port: UInt16, isReset: @escaping @Sendable (HTTPRequest) -> Bool = { _ in false },
        answer: @escaping LoopbackConnection.Answering
    ) throws(SystemError) {
        (sockets, self.port) = try LoopbackSocket.listening(port: port)
        self.answer = answer
        self.isReset = isReset
    }

    /// Accepts connections until it is stopped, on one thread per listening socket.
    package func run() {
        for socket in sockets {
            Self.thread { [self] in
                accept(at: socket)
                socket.close()
            }
        }
    }

    /// Stops listening and closes all connections.
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
                // Descriptors have probably run out: the connection that was idle longest is closed.
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
                    // A connection that was closed to make room is no longer listed.
                    guard state.connections.keys.contains(socket) else { return }
                    state.connections[socket] = .some(isBusy ? nil : .now)
                }
            }.serve()
            // It is removed before it is closed, so that no other socket with its number is shut down.
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
