import Foundation
import Promises

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request in progress in a `URLSession`, and the part of its response that has arrived.
final class URLSessionExchange: Sendable {
    private struct State {
        var status: Int?
        var headers = HTTPHeaders()
        var body = Data()
        var isChallengeRefused = false
        var isDone = false
        var whenDone: (@Sendable () -> Void)?
    }

    private let isHead: Bool
    private let task: URLSessionTask
    private let maximumResponseSize: Int
    private let completion: @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    private let state = Locked(State())

    init(
        _ request: HTTPRequest, _ task: URLSessionTask, maximumResponseSize: Int,
        completion: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    ) {
        isHead = request.method == "HEAD"
        self.task = task
        self.maximumResponseSize = maximumResponseSize
        self.completion = completion
    }

    func start() { task.resume() }

    /// Calls the body once the outcome is known, at once if it already is.
    func whenDone(_ body: @escaping @Sendable () -> Void) {
        let isDone = state.withLock { state in
            if !state.isDone { state.whenDone = body }
            return state.isDone
        }
        if isDone { body() }
    }

    /// Cancels the request from this side.
    func fail(_ failure: HTTPFailure) {
        finish(.failure(failure))
        task.cancel()
    }

    func refuseChallenge() {
        state.withLock { $0.isChallengeRefused = true }
    }

    func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        let status = response.statusCode
        let headers = Self.headers(of: response)
        state.withLock { state in
            state.status = status
            state.headers = headers
            state.body = Data()
        }
        let isEncoded = headers["Content-Encoding"] != nil
        if !isHead, !isEncoded, let length = headers["Content-Length"].flatMap({ Int($0) }),
            length > maximumResponseSize
        {
            fail(tooLarge)
        }
    }

    func receive(_ data: Data) {
        let limit = maximumResponseSize
        let isTooLarge = state.withLock { state in
            guard !state.isDone, state.body.count + data.count <= limit else { return !state.isDone }
            state.body.append(data)
            return false
        }
        if isTooLarge { fail(tooLarge) }
    }

    func complete(_ error: (any Error)?) {
        let (status, headers, body, isChallengeRefused) = state.withLock {
            ($0.status, $0.headers, $0.body, $0.isChallengeRefused)
        }
        let code = (error as? URLError)?.code
        // A refused challenge ends as a cancelled task, although the response is complete.
        let isWhole = error == nil || isChallengeRefused && code == .cancelled
        guard isWhole else {
            finish(.failure(HTTPFailure(error, hasAnswerBegun: status != nil)))
            return
        }
        guard let status else {
            finish(.failure(HTTPFailure(phase: .sent, reason: .badResponse, detail: "the response is not HTTP")))
            return
        }
        if !isHead, status != 204, status != 304, headers["Content-Encoding"] == nil,
            let failure = Self.lengthFailure(headers, body.count)
        {
            finish(.failure(failure))
            return
        }
        finish(.success(HTTPResponse(status: status, headers: headers, body: body)))
    }

    /// The failure, if the body does not have the length announced by the response.
    private static func lengthFailure(_ headers: HTTPHeaders, _ count: Int) -> HTTPFailure? {
        let lengths = Set(
            headers.values(of: "Content-Length").flatMap { $0.split(separator: ",") }
                .map { $0.trimmingCharacters(in: .whitespaces) })
        guard let length = lengths.first else { return nil }
        guard lengths.count == 1, let length = Int(length) else {
            return HTTPFailure(
                phase: .sent, reason: .badResponse, detail: "the response's Content-Length is not one number")
        }
        guard length > count else { return nil }
        return HTTPFailure(
            phase: .sent, reason: .connectionLost, detail: "the connection ended after \(count) of \(length) bytes")
    }

    private var tooLarge: HTTPFailure {
        HTTPFailure(
            phase: .sent, reason: .tooLarge, detail: "the response is larger than \(maximumResponseSize) bytes")
    }

    private func finish(_ result: Result<HTTPResponse, HTTPFailure>) {
        let (isFirst, whenDone) = state.withLock { state in
            defer {
                state.isDone = true
                state.whenDone = nil
                state.body = Data()
            }
            return (!state.isDone, state.whenDone)
        }
        guard isFirst else { return }
        whenDone?()
        completion(result)
    }

    /// The fields sorted by name, because the system does not keep their order.
    private static func headers(of response: HTTPURLResponse) -> HTTPHeaders {
        var headers = HTTPHeaders()
        let fields = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { ($0, "\(value)") }
        }
        for (name, value) in fields.sorted(by: { $0.0 < $1.0 }) { headers.append(name, value) }
        return headers
    }
}
