#if canImport(Darwin)
    import Foundation
    import Promises

    /// One request in progress in a `URLSession`, and the part of its response that has arrived.
    final class URLSessionExchange: Sendable {
        private struct State {
            var status: Int?
            var headers = HTTPHeaders()
            var body = Data()
            var stored: StoredBody?
            var count = 0
            var limit = 0
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
            let limit = pending.limit(for: HTTPResponse(status: status, headers: headers))
            state.withLock { state in
                state.status = status
                state.headers = headers
                state.body = Data()
                state.limit = limit
            }
            if pending.request.method != "HEAD", headers["Content-Encoding"] == nil,
                let length = headers["Content-Length"].flatMap({ Int($0) }), length > limit
            {
                refuse(pending.tooLarge(limit))
            }
        }

        func receive(_ data: Data) {
            let outcome = Result { () throws(HTTPFailure) in
                try state.withLock { state throws(HTTPFailure) in
                    state.count += data.count
                    guard state.count <= state.limit else { throw pending.tooLarge(state.limit) }
                    state.body.append(data)
                    guard state.stored != nil || state.count > pending.maximumSize else { return }
                    if state.stored == nil { state.stored = try StoredBody(for: pending) }
                    try state.stored?.append(state.body)
                    state.body = Data()
                }
            }
            if case .failure(let failure) = outcome { refuse(failure) }
            pending.arrived(
                state.withLock { state in
                    state.status.map { HTTPResponse(status: $0, headers: state.headers, body: state.body) }
                })
        }

        func complete(_ error: (any Error)?) {
            let (status, headers, body, stored, count, isChallengeRefused) = state.withLock {
                ($0.status, $0.headers, $0.body, $0.stored, $0.count, $0.isChallengeRefused)
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
                let failure = Self.lengthFailure(headers, count)
            {
                pending.finish(.failure(failure))
                return
            }
            pending.finish(
                Result { () throws(HTTPFailure) in
                    let response = HTTPResponse(status: status, headers: headers, body: body)
                    var stored = stored
                    return try stored?.response(response) ?? response
                })
        }

        private func refuse(_ failure: HTTPFailure) {
            pending.finish(.failure(failure))
            task.cancel()
        }

        /// The failure if the body's length differs from the announced one.
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

        /// Sorted by name, because the system does not keep their order.
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
