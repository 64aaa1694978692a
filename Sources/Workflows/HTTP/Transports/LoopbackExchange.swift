import Foundation
import Promises

/// One request over its own connection to this machine, on a thread of its own.
///
/// On Linux, `URLSession` crashes the program if a response ends inside its head, and needs 10 ms to load. Plain HTTP,
/// which is limited to this machine, can avoid both.
final class LoopbackExchange: Sendable {
    private struct State {
        var socket: LoopbackSocket?
        var isDone = false
        var isSent = false
        var whenDone: (@Sendable () -> Void)?
    }

    private let request: HTTPRequest
    private let host: HostName
    private let port: UInt16
    private let maximumResponseSize: Int
    private let completion: @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    private let state = Locked(State())

    init(
        _ request: HTTPRequest, maximumResponseSize: Int,
        completion: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    ) {
        self.request = request
        host = HostName(of: request.url)
        port = UInt16(clamping: request.url.port ?? 80)
        self.maximumResponseSize = maximumResponseSize
        self.completion = completion
    }

    /// Sends a request; rejected with ``HTTPFailure`` if there is no complete response in time.
    static func send(
        _ request: HTTPRequest, for operation: HTTPOperation, maximumResponseSize: Int, clock: any PromiseClock
    ) -> Promise<HTTPResponse> {
        Promise { resolver in
            let exchange = LoopbackExchange(request, maximumResponseSize: maximumResponseSize) {
                resolver.resolve($0.mapError { $0 })
            }
            let deadline = clock.schedule(after: operation.timeout) {
                exchange.fail(.timedOut, "there was no response within \(operation.timeout)")
            }
            exchange.whenDone { deadline.cancel() }
            resolver.onCancel { exchange.fail(.cancelled, "the request was cancelled") }
            exchange.start()
        }
    }

    /// Starts; the completion is called once.
    func start() {
        Thread.detachNewThread { [self] in
            let result = Result { () throws(HTTPFailure) in try run() }
            let socket = state.withLock { state in
                defer { state.socket = nil }
                return state.socket
            }
            socket?.close()
            finish { _ in result }
        }
    }

    /// Calls the body once the outcome is known, at once if it already is.
    func whenDone(_ body: @escaping @Sendable () -> Void) {
        let isDone = state.withLock { state in
            if !state.isDone { state.whenDone = body }
            return state.isDone
        }
        if isDone { body() }
    }

    /// Cancels the request from this side.
    func fail(_ reason: HTTPFailure.Reason, _ detail: String) {
        // The outcome is set before the connection ends, which would set another one.
        finish { .failure(HTTPFailure(phase: $0 ? .sent : .notSent, reason: reason, detail: detail)) }
        // The connection's thread closes the socket; here it is only shut down, and never after closing.
        state.withLock { $0.socket?.shutDown() }
    }

    private func run() throws(HTTPFailure) -> HTTPResponse {
        let socket: LoopbackSocket
        do {
            socket = try LoopbackSocket.connected(to: host, port: port)
        } catch {
            throw HTTPFailure(
                phase: .notSent, reason: .cannotConnect, detail: "\(host.name), port \(port): \(error)")
        }
        let isDone = state.withLock { state in
            state.socket = socket
            state.isSent = !state.isDone
            return state.isDone
        }
        guard !isDone else { throw HTTPFailure(phase: .notSent, reason: .cancelled, detail: "cancelled") }
        // A server may respond and close before it has read everything: its response counts.
        _ = socket.send(wireBytes(), patience: .seconds(3600))
        var parser = HTTPResponseParser(isHead: request.method == "HEAD", bodyLimit: maximumResponseSize)
        while true {
            do throws(HTTPMessageReader.Problem) {
                if let response = try parser.next() { return response }
            } catch {
                throw failure(error, isClosed: false)
            }
            guard let bytes = socket.receive() else { break }
            parser.append(bytes)
        }
        do throws(HTTPMessageReader.Problem) {
            return try parser.atClose()
        } catch {
            throw failure(error, isClosed: true)
        }
    }

    private func failure(_ problem: HTTPMessageReader.Problem, isClosed: Bool) -> HTTPFailure {
        switch problem {
        case .malformed(let detail):
            HTTPFailure(phase: .sent, reason: isClosed ? .connectionLost : .badResponse, detail: detail)
        case .headTooLarge:
            HTTPFailure(phase: .sent, reason: .tooLarge, detail: "the response's header fields are larger than 256 KB")
        case .bodyTooLarge:
            HTTPFailure(
                phase: .sent, reason: .tooLarge, detail: "the response is larger than \(maximumResponseSize) bytes")
        }
    }

    /// Sets the outcome unless there is one; no byte is sent afterwards.
    /// - Parameter outcome: Computes the outcome, given whether bytes have been sent.
    private func finish(_ outcome: (_ isSent: Bool) -> Result<HTTPResponse, HTTPFailure>) {
        let (isFirst, isSent, whenDone) = state.withLock { state in
            defer {
                state.isDone = true
                state.whenDone = nil
            }
            return (!state.isDone, state.isSent, state.whenDone)
        }
        guard isFirst else { return }
        whenDone?()
        completion(outcome(isSent))
    }

    private func wireBytes() -> Data {
        var head =
            "\(request.method) \(request.url.requestTarget) HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: close\r\n"
        for field in request.headers.fields {
            // A line break inside a value would start another header.
            let value = String(field.value.unicodeScalars.map { $0.value < 0x20 && $0 != "\t" ? " " : Character($0) })
            head += "\(field.name): \(value)\r\n"
        }
        if let body = request.body {
            head += "Content-Length: \(body.count)\r\n"
        } else if request.method != "GET", request.method != "HEAD" {
            head += "Content-Length: 0\r\n"
        }
        return Data((head + "\r\n").utf8) + (request.body ?? Data())
    }
}
