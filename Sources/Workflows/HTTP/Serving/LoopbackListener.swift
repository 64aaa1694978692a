import Essentials
import Promises

/// A server's two listening sockets, the threads that accept, and the accepted connections.
///
/// While every connection is busy, the next ones wait to be accepted, and each answer ends its connection to make room.
package final class LoopbackListener: Sendable {
    /// What all connections may take together.
    package struct Limits: Sendable {
        var connections = 128
        /// The bytes of the bodies of all requests that are received or answered at one time.
        var bodies = 512 << 20
        /// How long a connection that may be closed to make room has received nothing.
        var pause = Duration.seconds(1)

        package init() {}
    }

    private struct Connection {
        /// How many bytes of a request's body are in memory.
        var bodySize = 0
        /// Since when it waits for the client; nil while it is answering.
        var waitingSince: ContinuousClock.Instant? = .now
    }

    private struct State {
        var isStopped = false
        /// Whether a client waits to be accepted.
        var isCrowded = false
        var connections: [LoopbackSocket: Connection] = [:]
        var bodiesSize = 0
    }

    package let port: UInt16

    let answer: LoopbackConnection.Answering
    let isReset: @Sendable (HTTPRequest) -> Bool
    let bodyLimit: @Sendable (HTTPRequest) -> Int
    let stream: @Sendable (HTTPRequest, LoopbackConnection.Stream) -> Void
    private let limits: Limits
    private let sockets: [LoopbackSocket]
    private let state = Locked(State())
    /// Signalled when a connection has ended.
    private let ending = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - port: The port at both addresses; 0 for one that is free at both.
    ///   - isReset: Decides, from a request's head, whether to reset its connection.
    ///   - bodyLimit: Decides, from a request's head, how many bytes its body may have.
    ///   - limits: What all connections may take together.
    ///   - stream: Sends what follows a head that is `streamed`, on the connection's thread.
    ///   - answer: Answers each request.
    package init(
        port: UInt16, isReset: @escaping @Sendable (HTTPRequest) -> Bool = { _ in false },
        bodyLimit: @escaping @Sendable (HTTPRequest) -> Int, limits: Limits = Limits(),
        stream: @escaping @Sendable (HTTPRequest, LoopbackConnection.Stream) -> Void = { _, _ in },
        answer: @escaping LoopbackConnection.Answering
    ) throws(SystemError) {
        (sockets, self.port) = try LoopbackSocket.listening(port: port)
        self.answer = answer
        self.isReset = isReset
        self.bodyLimit = bodyLimit
        self.limits = limits
        self.stream = stream
    }

    /// Accepts connections until it is stopped, on one thread per listening socket.
    package func run() {
        for socket in sockets {
            SystemThread.start(stackSize: 4 << 20) { [self] in
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

    /// Whether a client waits until another connection has ended.
    var isCrowded: Bool { state.withLock { $0.isCrowded } }

    /// Records what a connection has in memory; false if that is too much together with the others.
    func hold(_ bodySize: Int, for socket: LoopbackSocket, isAnswering: Bool) -> Bool {
        state.withLock { state in
            // A connection that was closed to make room is no longer listed.
            guard let former = state.connections[socket]?.bodySize else { return true }
            let size = state.bodiesSize - former + bodySize
            guard size <= limits.bodies || bodySize <= former else { return false }
            state.bodiesSize = size
            state.connections[socket] = Connection(bodySize: bodySize, waitingSince: isAnswering ? nil : .now)
            return true
        }
    }

    private func accept(at socket: LoopbackSocket) {
        while !state.withLock({ $0.isStopped }) {
            guard socket.waitToRead(for: .seconds(1)) == .ready else { continue }
            guard makeRoom(below: limits.connections) else {
                _ = ending.wait(timeout: .now() + 0.1)
                continue
            }
            do {
                if let connection = try socket.accept() { serve(connection) }
            } catch {
                // Descriptors have probably run out.
                guard !state.withLock({ $0.isStopped }) else { return }
                _ = makeRoom(below: 0)
                SystemThread.sleep(seconds: 0.05)
            }
        }
    }

    /// Whether there are fewer connections than the limit, if need be after the one that waits longest was closed.
    private func makeRoom(below limit: Int) -> Bool {
        state.withLock { state in
            state.isCrowded = state.connections.count >= limit
            guard state.isCrowded else { return true }
            let waiting = state.connections.compactMap { socket, connection in
                connection.waitingSince.map { (socket, $0) }
            }
            guard let oldest = waiting.min(by: { $0.1 < $1.1 }), oldest.1 < .now - limits.pause else { return false }
            Self.remove(oldest.0, from: &state)
            oldest.0.shutDown()
            return state.connections.count < limit
        }
    }

    private func serve(_ socket: LoopbackSocket) {
        state.withLock { state in
            state.connections[socket] = Connection()
            if state.isStopped { socket.shutDown() }
        }
        SystemThread.start(stackSize: 4 << 20) { [self] in
            LoopbackConnection(socket: socket, listener: self).serve()
            // It is removed before it is closed, so that no other socket with its number is shut down.
            state.withLock { Self.remove(socket, from: &$0) }
            ending.signal()
            socket.close()
        }
    }

    private static func remove(_ socket: LoopbackSocket, from state: inout State) {
        state.bodiesSize -= state.connections.removeValue(forKey: socket)?.bodySize ?? 0
    }
}
