import Foundation

/// One client's connection, from its first byte to its close, on a thread of its own.
///
/// All of its state is local to that thread; whoever wants it gone shuts the socket down.
package struct LoopbackConnection {
    /// Answers a request, on the thread of its connection.
    package typealias Answering = @Sendable (HTTPRequest) -> (response: HTTPResponse, delivery: Delivery)

    /// How much of an answer reaches the client.
    package enum Delivery: Sendable {
        /// All of it.
        case whole
        /// Its head and half of its body.
        case truncated
        /// Nothing: the connection is closed.
        case dropped
        /// Nothing: the connection is cut off.
        case reset
        /// Nothing, for ten minutes or until the client closes.
        case silence
    }

    /// How long a client is left without an answer that will not come.
    package static let silence = Duration.seconds(600)

    /// How long a client may be silent inside a request, and how long an answer may wait to be taken.
    private static let patience = Duration.seconds(30)
    /// How long a kept connection waits for its next request.
    private static let idleTime = Duration.seconds(120)

    let socket: LoopbackSocket
    let answer: Answering
    /// Says of a request, when only its head has come, whether its connection is cut off.
    let isReset: @Sendable (HTTPRequest) -> Bool
    /// Told when an answer begins to be worked on, and when the connection waits again.
    let isBusy: @Sendable (Bool) -> Void

    /// Answers requests until the connection ends.
    func serve() {
        var parser = HTTPRequestParser()
        while true {
            do throws(HTTPRequestParser.Refusal) {
                switch try parser.next() {
                case .message(let message):
                    isBusy(true)
                    guard try serve(message) else { return }
                    isBusy(false)
                    continue
                case .expectsContinue:
                    guard socket.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8), patience: Self.patience) else {
                        return
                    }
                    continue
                case .needsMore:
                    if let head = parser.takeHead(),
                        isReset(HTTPRequest(head.method, try url(of: head), headers: head.headers))
                    {
                        socket.resetOnClose()
                        return
                    }
                }
            } catch {
                refuse(error)
                return
            }
            let patience = parser.isBetweenRequests ? Self.idleTime : Self.patience
            guard socket.waitToRead(for: patience) == .ready, let bytes = socket.receive() else { return }
            parser.append(bytes)
        }
    }

    /// Whether the connection stays open.
    private func serve(_ message: HTTPRequestParser.Message) throws(HTTPRequestParser.Refusal) -> Bool {
        let url = try url(of: message)
        let isHead = message.method == "HEAD"
        let (response, delivery) = answer(
            HTTPRequest(message.method, url, headers: message.headers, body: message.body))
        let isLast = !message.isKeptAlive || delivery != .whole
        let bytes = response.wireBytes(hasBody: !isHead, isLast: isLast)
        switch delivery {
        case .dropped: break
        case .reset: socket.resetOnClose()
        case .silence: _ = socket.waitToRead(for: Self.silence)
        case .truncated: _ = socket.send(bytes.dropLast((response.body.count + 1) / 2), patience: Self.patience)
        case .whole:
            guard socket.send(bytes, patience: Self.patience) else { return false }
        }
        return !isLast
    }

    private func url(of message: HTTPRequestParser.Message) throws(HTTPRequestParser.Refusal) -> URL {
        let host = message.headers["Host"] ?? "127.0.0.1"
        guard HostName.isServed(field: host) else {
            // A page of the web can make a browser ask here under its own name; only this machine's names are served.
            throw HTTPRequestParser.Refusal(status: 421, reason: "the host '\(host)' is not served here")
        }
        guard let url = URL(string: "http://\(host)\(message.target)"), url.host() != nil else {
            throw HTTPRequestParser.Refusal(status: 400, reason: "the target is not a path")
        }
        return url
    }

    /// Tells the client what is wrong, and lets it read that before the connection ends.
    private func refuse(_ refusal: HTTPRequestParser.Refusal) {
        let body: Value = [
            "error": ["code": "BadRequest", "message": .string("Bad request: \(refusal.reason).")]
        ]
        let response = HTTPResponse(
            status: refusal.status, headers: ["Content-Type": "application/json"], body: body.jsonData())
        guard socket.send(response.wireBytes(isLast: true), patience: Self.patience) else { return }
        socket.finishSending()
        // Closing with bytes unread would reset the connection and lose the answer; a client that never ends is cut off.
        for _ in 0..<64 {
            guard socket.waitToRead(for: .seconds(1)) == .ready, socket.receive() != nil else { return }
        }
    }
}
