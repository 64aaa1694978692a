#if canImport(Darwin)
    import Foundation
    import Promises

    /// One request in progress in a `URLSession`, and the part of its response that has arrived.
    final class URLSessionExchange: Sendable {
        private struct State {
            var status: Int?
            var headers = HTTPHeaders()
            var body = Data()
            var isChallengeRefused = false
        }

        private let pending: PendingResponse
        private let task: URLSessionTask
        private let state = Locked(State())

        init(_ pending: PendingResponse, _ task: URLSessionTask) {
            self.pending = pending
            self.task = task
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
            if pending.request.method != "HEAD", headers["Content-Encoding"] == nil,
                let length = headers["Content-Length"].flatMap({ Int($0) }), length > pending.maximumSize
            {
                refuseSize()
            }
        }

        func receive(_ data: Data) {
            let limit = pending.maximumSize
            let isTooLarge = state.withLock { state in
                guard state.body.count + data.count <= limit else { return true }
                state.body.append(data)
                return false
            }
            if isTooLarge { refuseSize() }
        }

        func complete(_ error: (any Error)?) {
            let (status, headers, body, isChallengeRefused) = state.withLock {
                ($0.status, $0.headers, $0.body, $0.isChallengeRefused)
            }
            // A refused challenge ends as a cancelled task, although the response is complete.
            guard error == nil || isChallengeRefused && (error as? URLError)?.code == .cancelled else {
                pending.finish(.failure(HTTPFailure(error, hasAnswerBegun: status != nil)))
                return
            }
            guard let status else {
                pending.finish(
                    .failure(HTTPFailure(phase: .sent, reason: .badResponse, detail: "the response is not HTTP")))
                return
            }
            if pending.request.method != "HEAD", status != 204, status != 304, headers["Content-Encoding"] == nil,
                let failure = Self.lengthFailure(headers, body.count)
            {
                pending.finish(.failure(failure))
                return
            }
            pending.finish(.success(HTTPResponse(status: status, headers: headers, body: body)))
        }

        private func refuseSize() {
            pending.finish(.failure(pending.tooLarge))
            task.cancel()
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
#endif
