/// A server of the Model Context Protocol over streamable HTTP, at `/mcp`.
///
/// It keeps no sessions: each request is answered on its own, on a stream if its answer can take a while. A client that
/// closes the stream cancels the request.
package final class MCPListener: Sendable {
    private static let largestBody = 16 << 20
    /// How often a stream looks whether its client has gone.
    private static let interval = 0.25
    /// How often a quiet stream sends a comment, in intervals.
    private static let quietIntervals = 60
    /// How long an answer may keep its status open, in intervals; clients wait longer for a head.
    private static let openIntervals = 20
    private static let streamedMethods: Set = ["tools/call", "prompts/get", "resources/read"]

    private let server: MCPServer
    private let tokens: BearerTokens?
    private let listener = Locked<LoopbackListener?>(nil)
    /// The requests to clients of earlier versions that wait for an answer, by their ids.
    private let awaited = Locked<[String: Resolver<Value>]>([:])

    /// - Parameter tokens: The tokens that requests need; nil if every program of this machine may ask.
    package init(_ server: MCPServer, tokens: BearerTokens?) { (self.server, self.tokens) = (server, tokens) }

    deinit { stop() }

    /// - Returns: The port.
    package func start(at address: ListeningAddress) throws(SystemError) -> UInt16 {
        var limits = LoopbackListener.Limits.service
        // Each call that is in progress has a connection.
        (limits.connections, limits.bodies) = (512, 64 << 20)
        let isLocal = tokens == nil
        let made = try LoopbackListener(
            at: address, refusal: { [weak self] in self?.refusal(of: $0, isLocal: isLocal) }, servesAnyHost: true,
            bodyLimit: { _ in Self.largestBody }, limits: limits,
            stream: { [weak self] in self?.stream($0, $1) },
            answer: { [weak self] in self?.answer($0) ?? (HTTPResponse(status: 503), .whole) })
        listener.withLock { $0 = made }
        made.run()
        return made.port
    }

    package func stop() { listener.take()?.stop() }

    /// Refuses what a web page could make a browser send, and requests without a token.
    private func refusal(of request: HTTPRequest, isLocal: Bool) -> HTTPResponse? {
        let host = request.headers["Host"] ?? ""
        guard !isLocal || HostName.isServed(field: host) else {
            return Self.response(403, RPCError(.request, "this host is not served here"))
        }
        let own = "http://\(host)".lowercased()
        if request.headers.values(of: "Origin").contains(where: { $0.lowercased() != own }) {
            return Self.response(403, RPCError(.request, "web pages of other origins are not served here"))
        }
        guard let tokens, !tokens.admit(request) else { return nil }
        var response = Self.response(401, RPCError(.request, "a bearer token is needed"))
        response.headers["WWW-Authenticate"] = "Bearer"
        return response
    }

    private func answer(_ request: HTTPRequest) -> (HTTPResponse, LoopbackConnection.Delivery) {
        guard request.url.path() == "/mcp" else {
            return (Self.response(404, RPCError(.request, "there is no such page")), .whole)
        }
        guard request.method == "POST" else {
            var response = Self.response(405, RPCError(.request, "messages are posted"))
            response.headers["Allow"] = "POST"
            return (response, .whole)
        }
        guard ContentType.isJSON(ContentType.essence(of: request.headers["Content-Type"] ?? "")) else {
            return (Self.response(415, RPCError(.request, "a message is 'application/json'")), .whole)
        }
        do throws(RPCError) {
            switch try RPCMessage(request.body ?? Data()) {
            case .notification: return (HTTPResponse(status: 202), .whole)
            case .response(let id, let result):
                let resolver = id.string.flatMap { id in awaited.withLock { $0.removeValue(forKey: id) } }
                resolver?.resolve(result.mapError { $0 as any Error })
                return (HTTPResponse(status: 202), .whole)
            case .request(let id, let method, let params):
                var isEarlier = false
                do throws(RPCError) {
                    let session = try session(of: request, method, params)
                    isEarlier = session.agreed != nil
                    try server.check(method, params, in: session)
                    if Self.streamedMethods.contains(method), Self.accepts("text/event-stream", request) {
                        return (Self.streamHead, .deferred)
                    }
                    return (whole(id, method, params, session), .whole)
                } catch {
                    // In the earlier versions, 404 says that the session has ended.
                    return (Self.response(isEarlier ? 200 : error.code == .method ? 404 : 400, error, id: id), .whole)
                }
            }
        } catch {
            return (Self.response(400, error, id: RPCMessage.requestID(in: request.body ?? Data())), .whole)
        }
    }

    /// The answer to a request that is not streamed.
    private func whole(_ id: Value, _ method: String, _ params: Value, _ session: MCPSession) -> HTTPResponse {
        let result: Result<Value, RPCError>
        do {
            let answer = Promise.value(()).then { [server] in server.answer(method, params, in: session) }
            result = .success(try answer.wait())
        } catch {
            result = .failure(RPCError(any: error))
        }
        var response = Self.response(to: id, result)
        if method == "initialize", let name = SessionName(session) { response.headers["Mcp-Session-Id"] = name.text }
        return response
    }

    /// Sends what happens during a request, and then its answer.
    private func stream(_ request: HTTPRequest, _ stream: LoopbackConnection.Stream) {
        guard case .request(let id, let method, let params)? = try? RPCMessage(request.body ?? Data()) else { return }
        let (outgoing, wake) = (Locked<[RPCMessage]>([]), DispatchSemaphore(value: 0))
        let send: @Sendable (RPCMessage) -> Void = { message in
            outgoing.withLock { $0.append(message) }
            wake.signal()
        }
        let asked = Locked<[String]>([])
        let ask: @Sendable (String, Value) -> Promise<Value> = { [self] method, params in
            // No one else can guess it.
            let id = Data.random(16).hex
            asked.withLock { $0.append(id) }
            return Promise { resolver in
                awaited.withLock { $0[id] = resolver }
                send(.request(id: .string(id), method: method, params: params))
            }
        }
        guard
            let session = try? session(
                of: request, method, params, ask: ask, notify: { send(.notification(method: $0, params: $1)) })
        else { return }
        let promise = Promise.value(()).then { [server] in server.answer(method, params, in: session) }
        promise.pipe { send(.response(id: id, $0.mapError(RPCError.init(any:)))) }
        defer {
            promise.cancel()
            for id in asked.withLock({ $0 }) {
                awaited.withLock { $0.removeValue(forKey: id) }?.reject(PromiseError.cancelled)
            }
        }
        var (quiet, isBegun) = (0, false)
        while true {
            let isWoken = wake.wait(timeout: .now() + Self.interval) == .success
            let messages = outgoing.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            if !isBegun, !messages.isEmpty || quiet == Self.openIntervals {
                // Before anything else is sent, an answer can still have its own status.
                if case .response(_, let result)? = messages.first {
                    _ = stream.begin(with: Self.response(to: id, result))
                    return
                }
                guard stream.begin(with: Self.streamHead) else { return }
                isBegun = true
            }
            for message in messages {
                guard stream.send(Data("event: message\ndata: ".utf8) + message.json + Data("\n\n".utf8)) else {
                    return
                }
                if case .response = message { return }
            }
            guard !isWoken else { continue }
            quiet += 1
            if quiet % Self.quietIntervals == 0, !stream.send(Data(": still here\n\n".utf8)) { return }
            guard stream.pause(for: .zero) else { return }
        }
    }

    /// What is known of the client of a request; a request says it itself, in its header fields or in its body.
    private func session(
        of request: HTTPRequest, _ method: String, _ params: Value,
        ask: (@Sendable (_ method: String, _ params: Value) -> Promise<Value>)? = nil,
        notify: @escaping @Sendable (_ method: String, _ params: Value) -> Void = { _, _ in }
    ) throws(RPCError) -> MCPSession {
        let header = request.headers["MCP-Protocol-Version"]
        guard let given = params["_meta"]?[MCPName.version] else {
            guard method != "initialize", let header else { return MCPSession(ask: ask, notify: notify) }
            guard let version = MCPVersion(rawValue: header) else {
                throw RPCError(
                    .unsupportedVersion, "this version of the protocol is not supported",
                    data: ["supported": MCPVersion.names, "requested": .string(header)])
            }
            guard !version.isStateless else { throw RPCError(.params, "'_meta' needs '\(MCPName.version)'") }
            let name = SessionName(request.headers["Mcp-Session-Id"])
            return MCPSession((version, name?.capabilities ?? [:]), ask: ask, notify: notify)
        }
        func demand(_ name: String, _ value: Value?) throws(RPCError) {
            let fields = request.headers.values(of: name)
            guard fields.count == 1, let value, Self.decoded(fields[0]) == value.string else {
                throw RPCError(.headerMismatch, "the header field '\(name)' is missing or differs from the message")
            }
        }
        try demand("MCP-Protocol-Version", given)
        try demand("Mcp-Method", .string(method))
        switch method {
        case "tools/call", "prompts/get": try demand("Mcp-Name", params["name"])
        case "resources/read": try demand("Mcp-Name", params["uri"])
        default: break
        }
        return MCPSession(ask: ask, notify: notify)
    }

    /// A field's text; other than ASCII characters are in base64.
    private static func decoded(_ field: String) -> String {
        guard field.hasPrefix("=?base64?"), field.hasSuffix("?="), field.utf8.count > 11 else { return field }
        return Data(base64Encoded: String(field.dropFirst(9).dropLast(2))).map { String(decoding: $0, as: UTF8.self) }
            ?? field
    }

    private static func accepts(_ type: String, _ request: HTTPRequest) -> Bool {
        request.headers.values(of: "Accept").joined(separator: ",").split(separator: ",").contains {
            ContentType.essence(of: String($0)) == type
        }
    }

    private static let streamHead = HTTPResponse(
        status: 200,
        headers: [
            "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
        ])

    private static func response(to id: Value, _ result: Result<Value, RPCError>) -> HTTPResponse {
        var status = 200
        if case .failure(let error) = result, error.code == .missingCapability { status = 400 }
        return response(status, .response(id: id, result))
    }

    private static func response(_ status: Int, _ error: RPCError, id: Value = .null) -> HTTPResponse {
        response(status, .response(id: id, .failure(error)))
    }

    private static func response(_ status: Int, _ message: RPCMessage) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: message.json)
    }
}

/// The name of a session that says what its client can be asked, so that the server need not remember it.
///
/// A client that invents one only changes what it is asked.
private struct SessionName {
    let capabilities: Object
    let text: String

    /// The name of a new session; nil if the client cannot be asked for anything.
    init?(_ session: MCPSession) {
        guard let capabilities = session.agreed?.capabilities, let elicitation = capabilities["elicitation"]?.object
        else { return nil }
        self.capabilities = capabilities
        let modes = ["form", "url"].filter { elicitation[$0]?.object != nil }
        text = (["e"] + modes + [Data.random(16).hex]).joined(separator: "-")
    }

    init?(_ text: String?) {
        guard let text, text.hasPrefix("e-") else { return nil }
        let modes = text.split(separator: "-").dropFirst().map(String.init).filter { ["form", "url"].contains($0) }
        self.text = text
        capabilities = ["elicitation": .object(Object(modes.map { ($0, [:]) }))]
    }
}
