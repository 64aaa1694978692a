/// Listens for the browser's redirect after signing in; requests without the right `state` get an explanation.
final class RedirectListener: Sendable {
    /// The bytes that a browser may send, and the connections that may be open.
    private static let requestLimit = 64 * 1_024
    private static let connectionLimit = 32

    private struct State {
        var isStopped = false
        var isAnswered = false
        var sockets: [LoopbackSocket]
        var connections: Set<LoopbackSocket> = []
    }

    let port: UInt16
    /// Where the browser comes back; its end stops the listener.
    let place: SignInReturn

    private let expectedState: String
    private let state: Locked<State>

    /// - Parameters:
    ///   - port: The port; 0 for a free one.
    ///   - expectedState: The expected value of `state`.
    /// - Throws: ``CredentialError`` if the port is taken.
    init(port: UInt16, state expectedState: String) throws(CredentialError) {
        let sockets: [LoopbackSocket]
        do throws(SystemError) {
            (sockets, self.port) = try LoopbackSocket.listening(port: port)
        } catch {
            throw CredentialError(
                .misconfigured,
                error.isAddressInUse
                    ? "Port \(port) is used by another program: omit '--port' to use a free one."
                    : "Cannot listen on port \(port): \(error.description).")
        }
        let state = Locked(State(sockets: sockets))
        (self.state, self.expectedState) = (state, expectedState)
        place = SignInReturn(address: "http://localhost:\(self.port)") {
            state.withLock { state in
                state.isStopped = true
                for socket in state.sockets { socket.shutDown() }
            }
        }
        for socket in sockets {
            SystemThread.start { [self] in
                accept(at: socket)
                // Removed before it is closed: afterwards another socket may have its number and would be shut down.
                state.withLock { $0.sockets.removeAll { $0 == socket } }
                socket.close()
            }
        }
    }

    private func accept(at socket: LoopbackSocket) {
        while !state.withLock({ $0.isStopped }) {
            guard socket.waitToRead(for: .seconds(1)) == .ready else { continue }
            guard let connection = try? socket.accept() else {
                if !state.withLock({ $0.isStopped }) { SystemThread.sleep(seconds: 0.05) }
                continue
            }
            let isWelcome = state.withLock { state in
                state.connections.count < Self.connectionLimit && state.connections.insert(connection).inserted
            }
            guard isWelcome else {
                connection.close()
                continue
            }
            SystemThread.start { [self] in
                serve(connection)
                state.withLock { _ = $0.connections.remove(connection) }
                connection.close()
            }
        }
    }

    private func serve(_ connection: LoopbackSocket) {
        var parser = HTTPRequestParser()
        var received = 0
        let deadline = ContinuousClock.now + .seconds(10)
        while received < Self.requestLimit, ContinuousClock.now < deadline {
            guard connection.waitToRead(for: .seconds(10)) == .ready, let bytes = connection.receive() else { return }
            received += bytes.count
            parser.append(bytes)
            guard let progress = try? parser.next() else { return }
            guard case .message(let message) = progress else { continue }
            func send(_ page: RedirectPage) {
                _ = connection.send(page.response.wireBytes(isLast: true), patience: .seconds(10))
                connection.finishSending()
            }
            switch reply(to: message) {
            case .answer(let parameters): place.take(parameters, send: send)
            case .page(let page): send(page)
            }
            return
        }
    }

    private enum Reply {
        /// What the person reads at once.
        case page(RedirectPage)
        /// The parameters of the redirect.
        case answer([String: String])
    }

    private func reply(to message: HTTPRequestParser.Message) -> Reply {
        guard HostName.isServed(field: message.headers["Host"] ?? "", port: port) else { return .page(.wrongHost) }
        guard message.method == "GET" else { return .page(.wrongMethod) }
        let parts = message.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.first == "/" else { return .page(.notFound) }
        let parameters = Form.parse(parts.count == 2 ? parts[1] : "")
        guard parameters["code"] != nil || parameters["error"] != nil else { return .page(.waiting) }
        guard parameters["state"] == expectedState else { return .page(.notThisSignIn) }
        let isFirst = state.withLock { state in
            defer { state.isAnswered = true }
            return !state.isAnswered
        }
        return isFirst ? .answer(parameters) : .page(.alreadyDone)
    }
}
