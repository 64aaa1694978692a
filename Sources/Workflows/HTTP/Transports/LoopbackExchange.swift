/// One request over plain HTTP to this machine, on the thread that performs it.
struct LoopbackExchange {
    /// The connection in use; other threads only shut it down, and never after it was closed.
    private typealias Current = Locked<LoopbackSocket?>

    private let pending: PendingResponse
    private let address: LoopbackAddress
    private let connections: LoopbackConnections
    private let current = Current(nil)

    private var request: HTTPRequest { pending.request }

    init(_ pending: PendingResponse, over connections: LoopbackConnections) {
        self.pending = pending
        self.connections = connections
        address = LoopbackAddress(of: pending.request.url)
    }

    func perform() {
        let current = current
        guard pending.onAbort({ current.withLock { $0?.shutDown() } }) else { return }
        pending.finish(Result { () throws(HTTPFailure) in try response() })
    }

    private func response() throws(HTTPFailure) -> HTTPResponse {
        // Requests that may be repeated share connections; if a kept one turns out to be closed, a new one is made.
        if pending.effect != .once, let kept = connections.take(address), let response = try response(over: kept) {
            return response
        }
        if let response = try response(over: try connect()) { return response }
        throw HTTPFailure(
            phase: .sent, reason: .connectionLost, detail: "the connection ended before the response had begun")
    }

    private func connect() throws(HTTPFailure) -> LoopbackSocket {
        do throws(SystemError) {
            return try LoopbackSocket.connected(to: address.host, port: address.port)
        } catch {
            throw HTTPFailure(
                phase: .notSent, reason: .cannotConnect, detail: "\(address.host.name), port \(address.port): \(error)")
        }
    }

    /// The response over this connection, which is then kept or closed; nil if it ends before the response begins.
    private func response(over socket: LoopbackSocket) throws(HTTPFailure) -> HTTPResponse? {
        current.withLock { $0 = socket }
        var isKept = false
        defer {
            current.withLock { $0 = nil }
            if isKept, !pending.isDone { connections.keep(socket, to: address) } else { socket.close() }
        }
        guard pending.beginSending() else {
            throw HTTPFailure(phase: .notSent, reason: .cancelled, detail: "cancelled")
        }
        // A server may respond and close before it has read everything: the response counts.
        let isSent = try send(over: socket)
        var parser = HTTPResponseParser(isHead: request.method == "HEAD") { [pending] in pending.limit(for: $0) }
        var stored: StoredBody?
        var hasBegun = false
        while let bytes = socket.receive() {
            hasBegun = true
            parser.append(bytes)
            let next = Result { () throws(HTTPMessageReader.Problem) in try parser.next() }
            if let response = try next.mapError({ pending.failure($0, parser.limit) }).get() {
                isKept = isSent && parser.isKeptAlive && pending.effect != .once
                return try stored?.response(response) ?? response
            }
            pending.arrived(parser.partial)
            // Only a body that may be in a file can exceed the limit of memory.
            if stored != nil || parser.bodyCount > pending.maximumSize {
                if stored == nil { stored = try StoredBody(for: pending) }
                try stored?.append(parser.takeBody())
            }
        }
        guard hasBegun else { return nil }
        let last = Result { () throws(HTTPMessageReader.Problem) in try parser.atClose() }
        let response = try last.mapError { pending.failure($0, parser.limit, isClosed: true) }.get()
        return try stored?.response(response) ?? response
    }

    /// False if the server has closed.
    private func send(over socket: LoopbackSocket) throws(HTTPFailure) -> Bool {
        let patience = Duration.seconds(3600)
        if let file = request.file {
            var phase = HTTPFailure.Phase.notSent
            do throws(SystemError) {
                let reader = try file.open()
                phase = .sent
                guard socket.send(head(), patience: patience) else { return false }
                var offset = 0
                while offset < file.size {
                    let piece = try reader.piece(from: offset)
                    guard socket.send(piece, patience: patience) else { return false }
                    offset += piece.count
                }
                return true
            } catch {
                throw .unreadable(file, error, phase)
            }
        }
        let body = request.body ?? Data()
        // A large body is sent without copying it.
        guard body.count > 65_536 else { return socket.send(head() + body, patience: patience) }
        return socket.send(head(), patience: patience) && socket.send(body, patience: patience)
    }

    private func head() -> Data {
        var head =
            "\(request.method) \(request.url.requestTarget) HTTP/1.1\r\nHost: \(address.host):\(address.port)\r\n"
        if pending.effect == .once { head += "Connection: close\r\n" }
        for field in request.headers.fields { head += "\(field.name): \(field.lineValue)\r\n" }
        if request.body != nil || request.file != nil {
            head += "Content-Length: \(request.bodySize)\r\n"
        } else if request.method != "GET", request.method != "HEAD" {
            head += "Content-Length: 0\r\n"
        }
        return Data((head + "\r\n").utf8)
    }
}

extension HTTPHeaders.Field {
    /// The value with spaces for control characters: a line break would start another field.
    var lineValue: String {
        let isControl: (UInt8) -> Bool = { $0 < 0x20 && $0 != UInt8(ascii: "\t") }
        guard value.utf8.contains(where: isControl) else { return value }
        return String(decoding: value.utf8.map { isControl($0) ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }
}
