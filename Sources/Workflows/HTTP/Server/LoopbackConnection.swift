/// One client's connection on its own thread; other threads end it by shutting down the socket.
package struct LoopbackConnection {
    package typealias Answering = @Sendable (HTTPRequest) -> (response: HTTPResponse, delivery: Delivery)

    package enum Delivery: Sendable {
        case whole
        case truncated
        case dropped
        case reset
        /// Nothing, for ten minutes or until the client closes.
        case silence
        case streamed
        /// Like a streamed one, whose head the stream sends too.
        case deferred
    }

    package struct Stream {
        fileprivate let socket: LoopbackSocket

        /// Sends the head of a stream, or a whole response, where the answer left that open.
        package func begin(with response: HTTPResponse) -> Bool { send(response.wireBytes(isLast: true)) }

        /// False if the client has gone or does not accept the bytes.
        package func send(_ bytes: Data) -> Bool { socket.send(bytes, patience: LoopbackConnection.patience) }

        /// False if the client has gone meanwhile.
        package func pause(for duration: Duration) -> Bool {
            switch socket.waitToRead(for: duration) {
            case .timedOut: true
            case .ready: socket.receive() != nil
            case .closed: false
            }
        }
    }

    package static let silence = Duration.seconds(600)

    /// How long a client may pause inside a request, and how long sending a response may take.
    private static let patience = Duration.seconds(30)
    private static let idleTime = Duration.seconds(120)

    let socket: LoopbackSocket
    let listener: LoopbackListener

    func serve() {
        var parser = HTTPRequestParser()
        var bodyLimit = Int.max
        var begun: ContinuousClock.Instant?
        while true {
            do throws(HTTPRequestParser.Refusal) {
                let progress = try parser.next()
                if let head = parser.takeHead() {
                    let request = HTTPRequest(head.method, try url(of: head), headers: head.headers)
                    if listener.isReset(request) { return socket.resetOnClose() }
                    if let response = listener.refusal(request) { return end(with: response) }
                    bodyLimit = listener.bodyLimit(request)
                    try check(Int(head.headers["Content-Length"] ?? "") ?? 0, isAtMost: bodyLimit)
                }
                switch progress {
                case .message(let message):
                    try hold(message.body?.count ?? 0, .answering)
                    guard try serve(message) else { return }
                    try hold(0, .idle)
                    begun = nil
                    continue
                case .expectsContinue:
                    guard socket.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8), patience: Self.patience) else {
                        return
                    }
                    continue
                case .needsMore:
                    try check(parser.bodyCount, isAtMost: bodyLimit)
                    guard !parser.isBetweenRequests else { break }
                    try hold(parser.bodyCount, .receiving)
                    begun = begun ?? .now
                    try check(begun, with: parser.bodyCount)
                }
            } catch {
                refuse(error)
                return
            }
            // During a request, the time limit is checked once a second.
            let isInside = !parser.isBetweenRequests
            switch socket.waitToRead(for: isInside ? .seconds(1) : Self.idleTime) {
            case .ready:
                guard let bytes = socket.receive() else { return }
                parser.append(bytes)
            case .timedOut where isInside: continue
            case .timedOut, .closed: return
            }
        }
    }

    private func serve(_ message: HTTPRequestParser.Message) throws(HTTPRequestParser.Refusal) -> Bool {
        let url = try url(of: message)
        let isHead = message.method == "HEAD"
        let request = HTTPRequest(message.method, url, headers: message.headers, body: message.body)
        // A request that arrived whole has not been checked by its head.
        let (response, delivery) = listener.refusal(request).map { ($0, Delivery.whole) } ?? listener.answer(request)
        let isLast = !message.isKeptAlive || delivery != .whole || listener.endsWithAnswers
        let bytes = response.wireBytes(hasBody: !isHead, isLast: isLast)
        if [.silence, .streamed, .deferred].contains(delivery) { try hold(0, .streaming) }
        switch delivery {
        case .dropped: break
        case .reset: socket.resetOnClose()
        case .silence: _ = socket.waitToRead(for: Self.silence)
        case .truncated: _ = socket.send(bytes.dropLast((response.body.count + 1) / 2), patience: Self.patience)
        case .whole:
            guard socket.send(bytes, patience: Self.patience) else { return false }
        case .streamed:
            guard socket.send(response.wireBytes(hasBody: false, isLast: true), patience: Self.patience) else { break }
            listener.stream(request, Stream(socket: socket))
        case .deferred: listener.stream(request, Stream(socket: socket))
        }
        return !isLast
    }

    private func check(_ size: Int, isAtMost limit: Int) throws(HTTPRequestParser.Refusal) {
        guard size <= limit else {
            throw HTTPRequestParser.Refusal(status: 413, reason: "the body can have at most \(limit) bytes")
        }
    }

    /// Refuses a request that arrives too slowly and would keep its connection from others.
    private func check(
        _ begun: ContinuousClock.Instant?, with size: Int
    ) throws(HTTPRequestParser.Refusal) {
        let allowed = listener.limits.patience + .seconds(size / listener.limits.slowestRate)
        guard let begun, .now - begun > allowed else { return }
        throw HTTPRequestParser.Refusal(status: 408, reason: "the request arrives too slowly")
    }

    private func hold(
        _ size: Int, _ phase: LoopbackListener.Phase
    ) throws(HTTPRequestParser.Refusal) {
        guard listener.hold(size, for: socket, phase) else {
            throw HTTPRequestParser.Refusal(status: 503, reason: "too many bodies arrive at the same time")
        }
    }

    private func url(of message: HTTPRequestParser.Message) throws(HTTPRequestParser.Refusal) -> URL {
        let host = message.headers["Host"] ?? "127.0.0.1"
        guard listener.servesAnyHost || HostName.isServed(field: host) else {
            // A web page can make a browser send requests here under another host name, so only this machine's names
            // are served.
            throw HTTPRequestParser.Refusal(status: 421, reason: "the host '\(host)' is not served here")
        }
        guard let url = URL(string: "\(listener.scheme)://\(host)\(message.target)"), url.host() != nil else {
            throw HTTPRequestParser.Refusal(status: 400, reason: "the target is not a path")
        }
        return url
    }

    func refuse(_ refusal: HTTPRequestParser.Refusal) {
        let body: Value = [
            "error": ["code": "BadRequest", "message": .string("Bad request: \(refusal.reason).")]
        ]
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        if refusal.status == 503 { headers["Retry-After"] = "1" }
        end(with: HTTPResponse(status: refusal.status, headers: headers, body: body.jsonData()))
    }

    private func end(with response: HTTPResponse) {
        guard socket.send(response.wireBytes(isLast: true), patience: Self.patience) else { return }
        socket.finishSending()
        socket.drain()
    }
}
