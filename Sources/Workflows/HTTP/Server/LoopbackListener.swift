/// A server's listening sockets, the threads that accept, and the accepted connections.
///
/// While all connections are busy, new clients wait and each answer closes its connection to make room. With
/// ``Limits/refusals``, new clients are answered 503 instead.
package final class LoopbackListener: Sendable {
    package struct Limits: Sendable {
        var connections = 128
        /// In bytes, of all requests that are being received or answered.
        var bodies = 512 << 20
        /// How long a connection may be idle, or a request take to arrive, before it is closed to make room.
        ///
        /// With this value, a thousand slow connections delay the next client by less than a second. Bodies get more
        /// time, at ``slowestRate``.
        var pause = Duration.milliseconds(50)
        /// How long a request may take to arrive, plus the slowest accepted rate of its body in bytes per second.
        var (patience, slowestRate) = (Duration.seconds(30), 16 << 10)
        var lastAnswers = Duration.seconds(2)
        /// How many clients can be answered 503 at once when there is no connection for them; 0 to let them wait.
        var refusals = 0

        package init() {}

        /// The limits of a service that others can reach: connections take less than 64 MB in total.
        package static var service: Limits {
            var limits = Limits()
            limits.bodies = 32 << 20
            limits.pause = .seconds(1)
            limits.refusals = 32
            return limits
        }
    }

    enum Phase {
        case idle
        case receiving
        case answering
        case streaming
    }

    private struct Connection {
        var bodySize = 0
        var phase = Phase.idle
        var since = ContinuousClock.now
        var isProven = false
    }

    private struct State {
        var isStopped = false
        var sockets: [LoopbackSocket]
        var isCrowded = false
        var connections: [LoopbackSocket: Connection] = [:]
        var bodiesSize = 0
        var refusals = 0

        var isQuiet: Bool { !connections.values.contains { $0.phase == .answering } }
    }

    package let port: UInt16

    let answer: LoopbackConnection.Answering
    let isReset: @Sendable (HTTPRequest) -> Bool
    /// By a request's head; nil to accept it.
    let refusal: @Sendable (HTTPRequest) -> HTTPResponse?
    /// Whether requests may name any host, as those that a proxy forwards do.
    let servesAnyHost: Bool
    let bodyLimit: @Sendable (HTTPRequest) -> Int
    let stream: @Sendable (HTTPRequest, LoopbackConnection.Stream) -> Void
    let limits: Limits
    package var scheme: String { identity == nil ? "http" : "https" }
    private let identity: TLSIdentity?
    private let state: Locked<State>
    private let ending = DispatchSemaphore(value: 0)
    /// Signalled when, after the stop, no answer is in progress.
    private let quiet = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - address: Where it listens; port 0 for a free one.
    ///   - isReset: Decides, from a request's head, whether to reset its connection.
    ///   - refusal: Refuses a request, from its head, before its body is read.
    ///   - servesAnyHost: Whether requests may name any host; `refusal` must then check who may send them.
    ///   - bodyLimit: Decides, from a request's head, how many bytes its body may have.
    ///   - limits: The limits of all connections together.
    ///   - identity: The key and certificate for TLS; nil for plain HTTP.
    ///   - stream: Sends what follows a head that is `streamed`, or all that is `deferred`, on the connection's thread.
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
                // Removed before it is closed: afterwards another socket may have its number and would be shut down.
                state.withLock { $0.sockets.removeAll { $0 == socket } }
                socket.close()
            }
        }
    }

    package func stop() {
        let isQuiet = state.withLock { state in
            state.isStopped = true
            let waiting = state.connections.filter { $0.value.phase != .answering }.keys
            for socket in state.sockets + waiting { socket.shutDown() }
            return state.isQuiet
        }
        if !isQuiet { _ = quiet.wait(timeout: .now() + limits.lastAnswers.seconds) }
        // Other callers may wait for the same signal.
        quiet.signal()
        state.withLock { state in for socket in state.connections.keys { socket.shutDown() } }
    }

    var isCrowded: Bool { state.withLock { $0.isCrowded } }

    var endsWithAnswers: Bool { state.withLock { $0.isCrowded || $0.isStopped } }

    /// Records what a connection has in memory; false if all connections together hold too much, or it is too late.
    func hold(_ bodySize: Int, for socket: LoopbackSocket, _ phase: Phase) -> Bool {
        state.withLock { state in
            // A connection that was closed to make room is no longer listed.
            guard let connection = state.connections[socket] else { return true }
            // On a busy machine the accepting thread may always find unread bytes and close nothing, so it is checked
            // here.
            if phase == .receiving, connection.phase == .receiving, state.isCrowded,
                state.connections.count >= limits.connections, close(socket, at: .now, in: &state)
            {
                return true
            }
            // A client that has sent nothing since keeps its waiting time.
            if connection.phase == phase, connection.bodySize == bodySize { return true }
            if state.isStopped {
                if phase == .answering { return false }
                socket.shutDown()
            }
            let former = connection.bodySize
            let size = state.bodiesSize - former + bodySize
            guard size <= limits.bodies || bodySize <= former else { return false }
            state.bodiesSize = size
            var changed = Connection(bodySize: bodySize, phase: phase)
            changed.isProven = connection.isProven || phase == .answering
            // A first request counts from the connection's start; a body gets time for each byte.
            if phase == .receiving, connection.phase == .receiving || !connection.isProven {
                changed.since = connection.since
            }
            state.connections[socket] = changed
            noteQuiet(state)
            return true
        }
    }

    private func noteQuiet(_ state: borrowing State) {
        if state.isStopped, state.isQuiet { quiet.signal() }
    }

    /// How long it waits for connections before it asks whether it was stopped.
    #if canImport(Darwin)
        private static let patience = Duration.seconds(1)
    #else
        // A stop ends the wait.
        private static let patience = Duration.seconds(86_400)
    #endif

    private func accept(at socket: LoopbackSocket) {
        while !state.withLock({ $0.isStopped }) {
            guard socket.waitToRead(for: Self.patience) == .ready else { continue }
            guard makeRoom(below: limits.connections) else {
                if refuseNext(at: socket) { continue }
                _ = ending.wait(timeout: .now() + 0.01)
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

    /// Whether there are fewer connections than the limit, if need be after closing the one that has waited longest.
    private func makeRoom(below limit: Int) -> Bool {
        state.withLock { state in
            state.isCrowded = state.connections.count >= limit
            guard state.isCrowded else { return true }
            let now = ContinuousClock.now
            let oldest = state.connections.sorted { $0.value.since < $1.value.since }
            _ = oldest.first { close($0.key, at: now, in: &state) }
            return state.connections.count < limit
        }
    }

    private func close(
        _ socket: LoopbackSocket, at now: ContinuousClock.Instant, in state: inout State
    ) -> Bool {
        // The unread bytes may be a whole request.
        guard let connection = state.connections[socket], mayEnd(connection, at: now),
            socket.waitToRead(for: .zero) != .ready
        else { return false }
        remove(socket, from: &state)
        socket.shutDown()
        return true
    }

    private func mayEnd(_ connection: Connection, at now: ContinuousClock.Instant) -> Bool {
        switch connection.phase {
        case .answering, .streaming: false
        case .receiving where limits.refusals > 0: false
        case .idle, .receiving:
            now - connection.since > limits.pause + .seconds(connection.bodySize) / limits.slowestRate
        }
    }

    /// False if the client must wait.
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

    /// The socket at which a connection is answered; for TLS, a thread decrypts in between.
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
            state.withLock { remove(socket, from: &$0) }
            ending.signal()
            socket.close()
        }
    }

    private func remove(_ socket: LoopbackSocket, from state: inout State) {
        state.bodiesSize -= state.connections.removeValue(forKey: socket)?.bodySize ?? 0
        noteQuiet(state)
    }
}
