import Essentials
import Promises

/// A server's listening sockets, the threads that accept, and the accepted connections.
///
/// While every connection is busy, the next ones wait to be accepted, and each answer ends its connection to make room;
/// or they are answered 503, as the limits say.
package final class LoopbackListener: Sendable {
    /// What all connections may take together.
    package struct Limits: Sendable {
        var connections = 128
        /// The bytes of the bodies of all requests that are received or answered at one time.
        var bodies = 512 << 20
        /// How long a connection that may be closed to make room has received nothing.
        var pause = Duration.seconds(1)
        /// How long a request may take to arrive, and how many bytes of its body a second.
        var (patience, slowestRate) = (Duration.seconds(30), 16 << 10)
        /// How many clients can be answered 503 at one time for want of a connection; 0 to let them wait.
        var refusals = 0

        package init() {}

        /// Those of a service that others reach: in all, connections take less than 64 MB.
        package static var service: Limits {
            var limits = Limits()
            limits.bodies = 32 << 20
            limits.refusals = 32
            return limits
        }
    }

    /// What a connection is doing.
    enum Phase {
        /// It waits for the next request.
        case idle
        /// A part of a request has arrived.
        case receiving
        /// A request is being answered.
        case answering
    }

    private struct Connection {
        /// How many bytes of a request's body are in memory.
        var bodySize = 0
        var phase = Phase.idle
        var since = ContinuousClock.now
    }

    private struct State {
        var isStopped = false
        /// Those at which it listens, until they are closed.
        var sockets: [LoopbackSocket]
        /// Whether a client waits to be accepted.
        var isCrowded = false
        var connections: [LoopbackSocket: Connection] = [:]
        var bodiesSize = 0
        /// How many clients are being told that there is no connection for them.
        var refusals = 0
    }

    package let port: UInt16

    let answer: LoopbackConnection.Answering
    let isReset: @Sendable (HTTPRequest) -> Bool
    /// The answer to a request that is refused by its head; nil for one that is not.
    let refusal: @Sendable (HTTPRequest) -> HTTPResponse?
    /// Whether requests name the host that they like, as those that a proxy passes on do.
    let servesAnyHost: Bool
    let bodyLimit: @Sendable (HTTPRequest) -> Int
    let stream: @Sendable (HTTPRequest, LoopbackConnection.Stream) -> Void
    let limits: Limits
    /// `https` or `http`.
    package var scheme: String { identity == nil ? "http" : "https" }
    /// What TLS is spoken with; nil to speak in the clear.
    private let identity: TLSIdentity?
    private let state: Locked<State>
    /// Signalled when a connection has ended.
    private let ending = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - address: Where it listens; port 0 for one that is free.
    ///   - isReset: Decides, from a request's head, whether to reset its connection.
    ///   - refusal: Refuses a request, from its head, before its body is read.
    ///   - servesAnyHost: Whether requests may name any host; `refusal` must then know who may send them.
    ///   - bodyLimit: Decides, from a request's head, how many bytes its body may have.
    ///   - limits: What all connections may take together.
    ///   - identity: What TLS is spoken with; nil to speak in the clear.
    ///   - stream: Sends what follows a head that is `streamed`, on the connection's thread.
    ///   - answer: Answers each request.
    package init(
        at address: ListeningAddress, isReset: @escaping @Sendable (HTTPRequest) -> Bool = { _ in false },
        refusal: @escaping @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil }, servesAnyHost: Bool = false,
        bodyLimit: @escaping @Sendable (HTTPRequest) -> Int, limits: Limits = Limits(),
        identity: TLSIdentity? = nil,
        stream: @escaping @Sendable (HTTPRequest, LoopbackConnection.Stream) -> Void = { _, _ in },
        answer: @escaping LoopbackConnection.Answering
    ) throws(SystemError) {
        let sockets: [LoopbackSocket]
        (sockets, port) = try LoopbackSocket.listening(at: address)
        state = Locked(State(sockets: sockets))
        self.answer = answer
        self.isReset = isReset
        self.refusal = refusal
        self.servesAnyHost = servesAnyHost
        self.bodyLimit = bodyLimit
        self.limits = limits
        self.stream = stream
        self.identity = identity
    }

    /// Listens at 127.0.0.1 and ::1.
    package convenience init(
        port: UInt16, isReset: @escaping @Sendable (HTTPRequest) -> Bool = { _ in false },
        bodyLimit: @escaping @Sendable (HTTPRequest) -> Int, limits: Limits = Limits(),
        identity: TLSIdentity? = nil,
        stream: @escaping @Sendable (HTTPRequest, LoopbackConnection.Stream) -> Void = { _, _ in },
        answer: @escaping LoopbackConnection.Answering
    ) throws(SystemError) {
        try self.init(
            at: .loopback(port: port), isReset: isReset, bodyLimit: bodyLimit, limits: limits, identity: identity,
            stream: stream, answer: answer)
    }

    /// Accepts connections until it is stopped, on one thread per listening socket.
    package func run() {
        for socket in state.withLock({ $0.sockets }) {
            SystemThread.start(stackSize: 4 << 20) { [self] in
                accept(at: socket)
                // It is removed before it is closed, so that no other socket with its number is shut down.
                state.withLock { $0.sockets.removeAll { $0 == socket } }
                socket.close()
            }
        }
    }

    /// Stops listening and closes all connections.
    package func stop() {
        state.withLock { state in
            state.isStopped = true
            for socket in state.sockets + state.connections.keys { socket.shutDown() }
        }
    }

    /// Whether a client waits until another connection has ended.
    var isCrowded: Bool { state.withLock { $0.isCrowded } }

    /// Records what a connection has in memory; false if that is too much together with the others.
    func hold(_ bodySize: Int, for socket: LoopbackSocket, _ phase: Phase) -> Bool {
        state.withLock { state in
            // A connection that was closed to make room is no longer listed.
            guard let connection = state.connections[socket] else { return true }
            // A client of which nothing has come since waits as long as before.
            if connection.phase == phase, connection.bodySize == bodySize { return true }
            let former = connection.bodySize
            let size = state.bodiesSize - former + bodySize
            guard size <= limits.bodies || bodySize <= former else { return false }
            state.bodiesSize = size
            state.connections[socket] = Connection(bodySize: bodySize, phase: phase)
            return true
        }
    }

    private func accept(at socket: LoopbackSocket) {
        while !state.withLock({ $0.isStopped }) {
            guard socket.waitToRead(for: .seconds(1)) == .ready else { continue }
            guard makeRoom(below: limits.connections) else {
                if refuseNext(at: socket) { continue }
                _ = ending.wait(timeout: .now() + 0.1)
                continue
            }
            do {
                if let connection = try socket.accept() { serve(try inside(connection)) }
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
            let waiting = state.connections.filter { _, connection in
                connection.phase == .idle || connection.phase == .receiving && limits.refusals == 0
            }
            guard let oldest = waiting.min(by: { $0.value.since < $1.value.since }),
                oldest.value.since < .now - limits.pause
            else { return false }
            Self.remove(oldest.key, from: &state)
            oldest.key.shutDown()
            return state.connections.count < limit
        }
    }

    /// Answers the next client that there is no connection for it; false if it has to wait.
    private func refuseNext(at socket: LoopbackSocket) -> Bool {
        let isTaken = state.withLock { state in
            guard state.refusals < limits.refusals else { return false }
            state.refusals += 1
            return true
        }
        guard isTaken else { return false }
        guard let client = try? socket.accept() else {
            state.withLock { $0.refusals -= 1 }
            return false
        }
        SystemThread.start(stackSize: 256 << 10) { [self] in
            LoopbackConnection(socket: client, listener: self)
                .refuse(HTTPRequestParser.Refusal(status: 503, reason: "there are too many connections"))
            client.close()
            state.withLock { $0.refusals -= 1 }
        }
        return true
    }

    /// Where a connection is answered: for TLS, behind a thread that encrypts.
    private func inside(_ connection: LoopbackSocket) throws(SystemError) -> LoopbackSocket {
        guard let identity else { return connection }
        let inside: LoopbackSocket
        let relayed: LoopbackSocket
        do { (inside, relayed) = try LoopbackSocket.pair() } catch {
            connection.close()
            throw error
        }
        SystemThread.start(stackSize: 256 << 10) { identity.relay(connection, to: relayed) }
        return inside
    }

    private func serve(_ socket: LoopbackSocket) {
        state.withLock { state in
            state.connections[socket] = Connection()
            if state.isStopped { socket.shutDown() }
        }
        SystemThread.start(stackSize: 4 << 20) { [self] in
            LoopbackConnection(socket: socket, listener: self).serve()
            // Before it is closed, for the same reason.
            state.withLock { Self.remove(socket, from: &$0) }
            ending.signal()
            socket.close()
        }
    }

    private static func remove(_ socket: LoopbackSocket, from state: inout State) {
        state.bodiesSize -= state.connections.removeValue(forKey: socket)?.bodySize ?? 0
    }
}
