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
        /// How long a connection may be idle, or a request take to arrive, before it is closed to make room.
        ///
        /// A thousand slow connections keep the next client for less than a second. A body has more time, as
        /// ``slowestRate`` says.
        var pause = Duration.milliseconds(50)
        /// How long a request may take to arrive, and how many bytes of its body a second.
        var (patience, slowestRate) = (Duration.seconds(30), 16 << 10)
        /// How long what is being answered when the listener is stopped may take.
        var lastAnswers = Duration.seconds(2)
        /// How many clients can be answered 503 at one time for want of a connection; 0 to let them wait.
        var refusals = 0

        package init() {}

        /// Those of a service that others reach: in all, connections take less than 64 MB.
        package static var service: Limits {
            var limits = Limits()
            limits.bodies = 32 << 20
            limits.pause = .seconds(1)
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
        /// What was asked for is sent for as long as the client listens.
        case streaming
    }

    private struct Connection {
        /// How many bytes of a request's body are in memory.
        var bodySize = 0
        var phase = Phase.idle
        /// When it became idle, or its request began to arrive.
        var since = ContinuousClock.now
        /// Whether a request of it has arrived as a whole.
        var isProven = false
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

        /// Whether nothing is being answered.
        var isQuiet: Bool { !connections.values.contains { $0.phase == .answering } }
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
    /// Signalled when nothing is being answered any more after it was stopped.
    private let quiet = DispatchSemaphore(value: 0)

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

    /// Stops listening, waits until what is being answered has been, and closes all connections.
    package func stop() {
        let isQuiet = state.withLock { state in
            state.isStopped = true
            let waiting = state.connections.filter { $0.value.phase != .answering }.keys
            for socket in state.sockets + waiting { socket.shutDown() }
            return state.isQuiet
        }
        if !isQuiet { _ = quiet.wait(timeout: .now() + limits.lastAnswers.seconds) }
        // Others may have stopped it as well.
        quiet.signal()
        state.withLock { state in for socket in state.connections.keys { socket.shutDown() } }
    }

    /// Whether a client waits until another connection has ended.
    var isCrowded: Bool { state.withLock { $0.isCrowded } }

    /// Whether a connection ends with its answer.
    var endsWithAnswers: Bool { state.withLock { $0.isCrowded || $0.isStopped } }

    /// Records what a connection has in memory; false if that is too much together with the others, or too late.
    func hold(_ bodySize: Int, for socket: LoopbackSocket, _ phase: Phase) -> Bool {
        state.withLock { state in
            // A connection that was closed to make room is no longer listed.
            guard let connection = state.connections[socket] else { return true }
            // On a busy machine the accepting thread may only ever see bytes that were not read yet; here they are.
            if phase == .receiving, connection.phase == .receiving, state.isCrowded,
                state.connections.count >= limits.connections, close(socket, at: .now, in: &state)
            {
                return true
            }
            // A client of which nothing has come since waits as long as before.
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
            // Its first request begins when it connects; more bytes of a body give it time by their number.
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

    private func accept(at socket: LoopbackSocket) {
        while !state.withLock({ $0.isStopped }) {
            guard socket.waitToRead(for: .seconds(1)) == .ready else { continue }
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

    /// Whether there are fewer connections than the limit, if need be after the one that waits longest was closed.
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

    /// Closes a connection to make room for another; false if it may stay.
    private func close(
        _ socket: LoopbackSocket, at now: ContinuousClock.Instant, in state: inout State
    ) -> Bool {
        // What has arrived and was not read yet may be a whole request.
        guard let connection = state.connections[socket], mayEnd(connection, at: now),
            socket.waitToRead(for: .zero) != .ready
        else { return false }
        remove(socket, from: &state)
        socket.shutDown()
        return true
    }

    /// Whether a connection may be closed to make room for another.
    private func mayEnd(_ connection: Connection, at now: ContinuousClock.Instant) -> Bool {
        switch connection.phase {
        case .answering, .streaming: false
        case .receiving where limits.refusals > 0: false
        case .idle, .receiving:
            now - connection.since > limits.pause + .seconds(connection.bodySize) / limits.slowestRate
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
