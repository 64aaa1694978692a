import Foundation
import Promises

/// One request over a connection of its own to this machine, on a thread of its own.
///
/// `URLSession` on Linux ends the whole program where an answer breaks off inside its head, and needs 10 ms to load.
/// Neither is necessary for plain HTTP, which only ever goes to this machine.
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

    /// Sends a request; the promise is rejected with ``HTTPFailure`` where there is no whole answer in time.
    static func send(
        _ request: HTTPRequest, for operation: HTTPOperation, maximumResponseSize: Int, clock: any PromiseClock
    ) -> Promise<HTTPResponse> {
        Promise { resolver in
            let exchange = LoopbackExchange(request, maximumResponseSize: maximumResponseSize) {
                resolver.resolve($0.mapError { $0 })
            }
            let deadline = clock.schedule(after: operation.timeout) {
                exchange.fail(.timedOut, "there was no answer within \(operation.timeout)")
            }
            exchange.whenDone { deadline.cancel() }
            resolver.onCancel { exchange.fail(.cancelled, "the request was cancelled") }
            exchange.start()
        }
    }

    /// Begins; the completion is called once.
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

    /// Calls the body when the outcome is known, at once where it is already.
    func whenDone(_ body: @escaping @Sendable () -> Void) {
        let isDone = state.withLock { state in
            if !state.isDone { state.whenDone = body }
            return state.isDone
        }
        if isDone { body() }
    }

    /// Ends the request from this side.
    func fail(_ reason: HTTPFailure.Reason, _ detail: String) {
        // The outcome is set before the connection ends, which would be an outcome of its own.
        finish { .failure(HTTPFailure(phase: $0 ? .sent : .notSent, reason: reason, detail: detail)) }
        // Its thread closes the socket, so it is only shut down here, and never after that.
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
        // A server may answer and close before it has read everything: what it said counts.
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
            HTTPFailure(phase: .sent, reason: .tooLarge, detail: "the answer's header fields have more than 256 KB")
        case .bodyTooLarge:
            HTTPFailure(
                phase: .sent, reason: .tooLarge, detail: "the answer has more than \(maximumResponseSize) bytes")
        }
    }

    /// Sets the outcome, where there is none yet; after it no byte leaves.
    /// - Parameter outcome: The outcome, given whether bytes have left.
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
            // A line's end inside a value would begin a header of its own.
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
