/// Both directions of JSON-RPC over two streams: answers the peer's requests, and sends requests to the peer.
///
/// Nothing that the peer sends ends the process: what cannot be read is answered with an error. A peer that does not
/// read its answers delays only itself.
package final class RPCConnection: Sendable {
    package struct Limits: Sendable {
        /// In bytes.
        package var message = 16 << 20
        /// Of the peer's requests.
        package var inProgress = 1_000
        /// Of messages that the peer has not read yet; notifications beyond it are dropped.
        package var unread = 1_000
        /// In bytes, of messages that the peer has not read yet; beyond it, its own are not read either.
        package var unwritten = 16 << 20

        package init() {}
    }

    /// Answers a request on the thread that reads: what is known at once is answered before the next message is read.
    ///
    /// What computes at length begins elsewhere, since it would delay the next message.
    package typealias Answering = @Sendable (_ method: String, _ params: Value, RPCConnection) -> Promise<Value>
    package typealias Notified = @Sendable (_ method: String, _ params: Value, RPCConnection) -> Void
    package typealias Unreadable = @Sendable (_ error: RPCError, _ message: Data) -> Void

    /// The error of requests to a peer that ended before its answer.
    package static let ended = RPCError(.failure, "the connection has ended")

    private struct State {
        /// The peer's requests; nil for one whose promise is not known yet.
        var inProgress: [Value: Promise<Value>?] = [:]
        /// The requests to the peer.
        var awaited: [Value: Resolver<Value>] = [:]
        var next = 1
        var isClosed = false
        var unwritten: [Data] = []
        var unwrittenSize = 0
        var isReaderWaiting = false
        /// Whether the peer can no longer be written to.
        var isBroken = false
    }

    /// What a waiting message takes beyond its bytes, about.
    private static let overhead = 256

    private let input: Int32
    private let output: Int32
    private let framing: RPCFraming
    private let limits: Limits
    private let answer: Answering
    private let notified: Notified
    private let unreadable: Unreadable?
    private let reader: Locked<RPCReader>
    private let state = Locked(State())
    private let wake = DispatchSemaphore(value: 0)
    private let room = DispatchSemaphore(value: 0)
    private let isDrained = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - input: Where the peer's messages come from, if ``run()`` reads them.
    ///   - output: Where the messages to the peer go.
    ///   - answer: Answers the peer's requests; an error other than ``RPCError`` is an internal error.
    ///   - notified: Takes the peer's notifications.
    ///   - unreadable: Takes what is no message; nil to answer it with its error.
    package init(
        input: Int32 = -1, output: Int32, _ framing: RPCFraming, limits: Limits = Limits(),
        answer: @escaping Answering, notified: @escaping Notified = { _, _, _ in }, unreadable: Unreadable? = nil
    ) {
        (self.input, self.output, self.framing, self.limits) = (input, output, framing, limits)
        (self.answer, self.notified, self.unreadable) = (answer, notified, unreadable)
        reader = Locked(RPCReader(framing, limit: limits.message))
    }

    /// How long requests may still take after the last message.
    private static let lastAnswers = 1.0

    /// Reads until the stream ends, on this thread; then cancels what is still in progress after a moment.
    package func run() {
        start()
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while !state.withLock({ $0.isClosed }), let count = try? SystemCall.readSome(input, into: &part), count > 0 {
            guard receive(Data(part[..<count])) else { break }
        }
        // A client may send its messages and close the stream at once.
        let end = ContinuousClock.now + .seconds(Self.lastAnswers)
        while ContinuousClock.now < end, state.withLock({ !$0.inProgress.isEmpty }) {
            SystemThread.sleep(seconds: 0.01)
        }
        close()
    }

    /// Starts to write; ``receive(_:)`` takes what another one reads.
    /// - Parameter written: Called after the last message.
    package func start(written: @escaping @Sendable () -> Void = {}) {
        SystemThread.start {
            self.write()
            written()
        }
    }

    /// Takes bytes of the peer; false if what follows them cannot be read.
    package func receive(_ bytes: Data) -> Bool {
        let pieces = reader.withLock { reader in
            reader.append(bytes)
            var pieces: [RPCReader.Piece] = []
            while let piece = reader.next() {
                pieces.append(piece)
                if case .unreadable = piece { break }
            }
            return pieces
        }
        for piece in pieces {
            waitForRoom()
            switch piece {
            case .message(let message): take(message)
            case .tooLarge: refuse(RPCError(.request, "a message can have at most \(limits.message) bytes"), Data())
            case .unreadable(let why):
                refuse(RPCError(.parse, why), Data())
                return false
            }
        }
        return true
    }

    /// Ends everything in progress; what was answered is still written.
    package func close() {
        let (requests, awaited) = state.withLock { state in
            defer { (state.inProgress, state.awaited, state.isClosed) = ([:], [:], true) }
            wakeReader(&state)
            return (Array(state.inProgress.values), Array(state.awaited.values))
        }
        for request in requests { request?.cancel() }
        for resolver in awaited { resolver.reject(Self.ended) }
        wake.signal()
    }

    /// Waits until all messages are written.
    package func drain(for patience: Duration) { _ = isDrained.wait(timeout: .now() + patience.seconds) }

    /// Sends a request to the peer.
    ///
    /// - Returns: The peer's result; rejected with ``RPCError``.
    package func request(_ method: String, _ params: Value, id: Value? = nil) -> Promise<Value> {
        Promise { resolver in
            let id = state.withLock { state -> Value? in
                guard !state.isClosed else { return nil }
                let id = id ?? .integer(state.next)
                state.next += 1
                state.awaited[id] = resolver
                return id
            }
            guard let id else { throw Self.ended }
            resolver.onCancel { self.state.withLock { $0.awaited[id] = nil } }
            send(.request(id: id, method: method, params: params))
        }
    }

    /// Sends a notification, unless the peer reads too slowly.
    package func notify(_ method: String, _ params: Value) {
        guard state.withLock({ $0.unwritten.count < limits.unread }) else { return }
        send(.notification(method: method, params: params))
    }

    /// Cancels a request of the peer.
    /// - Parameter error: The answer to it; nil for none.
    package func cancel(_ id: Value, answering error: RPCError? = nil) {
        guard let request = state.withLock({ $0.inProgress.removeValue(forKey: id) }) else { return }
        request?.cancel()
        if let error { send(.response(id: id, .failure(error))) }
    }

    private func take(_ bytes: Data) {
        let message: RPCMessage
        do throws(RPCError) {
            message = try RPCMessage(bytes, allowsNull: framing == .contentLength)
        } catch {
            return refuse(error, bytes)
        }
        switch message {
        case .request(let id, let method, let params): begin(id, method, params)
        case .notification(let method, let params): notified(method, params, self)
        case .response(let id, let result):
            let resolver = state.withLock { $0.awaited.removeValue(forKey: id) }
            switch result {
            case .success(let value): resolver?.fulfill(value)
            case .failure(let error): resolver?.reject(error)
            }
        }
    }

    private func begin(_ id: Value, _ method: String, _ params: Value) {
        let refusal = state.withLock { state -> RPCError? in
            guard !state.isClosed else { return RPCError(.failure, "the connection has ended") }
            guard state.inProgress[id] == nil else {
                return RPCError(.request, "a request with this id is in progress")
            }
            guard state.inProgress.count < limits.inProgress else {
                return RPCError(.busy, "at most \(limits.inProgress) requests can be in progress")
            }
            state.inProgress[id] = .some(nil)
            return nil
        }
        if let refusal { return send(.response(id: id, .failure(refusal))) }
        let promise = answer(method, params, self)
        let isWanted = state.withLock { state in
            guard state.inProgress[id] != nil else { return false }
            state.inProgress[id] = promise
            return true
        }
        if !isWanted { promise.cancel() }
        promise.pipe { [self] result in
            // A cancelled request gets no answer.
            guard state.withLock({ $0.inProgress.removeValue(forKey: id) }) != nil else { return }
            send(.response(id: id, result.mapError(RPCError.init(any:))))
        }
    }

    private func refuse(_ error: RPCError, _ message: Data) {
        guard let unreadable else {
            return send(.response(id: RPCMessage.requestID(in: message), .failure(error)))
        }
        unreadable(error, message)
    }

    private func send(_ message: RPCMessage) {
        let bytes = framing.bytes(of: message)
        state.withLock { state in
            guard !state.isBroken else { return }
            state.unwritten.append(bytes)
            state.unwrittenSize += bytes.count + Self.overhead
        }
        wake.signal()
    }

    /// Waits while the peer reads too little of what it has asked for, which would otherwise fill the memory.
    private func waitForRoom() {
        while state.withLock({ state in
            state.isReaderWaiting = !state.isClosed && state.unwrittenSize > limits.unwritten
            return state.isReaderWaiting
        }) {
            room.wait()
        }
    }

    private func write() {
        SystemCall.blockBrokenPipes()
        while true {
            let (bytes, isEnd) = state.withLock { state -> (Data?, Bool) in
                let all = state.unwritten
                (state.unwritten, state.unwrittenSize) = ([], 0)
                wakeReader(&state)
                let joined = all.isEmpty ? nil : all.count == 1 ? all[0] : Data(all.joined())
                return (joined, state.isClosed)
            }
            if let bytes {
                guard (try? SystemCall.write(output, all: bytes)) != nil else {
                    state.withLock { $0.isBroken = true }
                    close()
                    break
                }
            } else {
                if isEnd { break }
                wake.wait()
            }
        }
        isDrained.signal()
    }

    private func wakeReader(_ state: inout State) {
        if state.isReaderWaiting { room.signal() }
        state.isReaderWaiting = false
    }
}
