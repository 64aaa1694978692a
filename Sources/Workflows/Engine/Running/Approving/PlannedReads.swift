/// The services' answers when a plan with reads was compared with the approved one.
///
/// A run changes what it reads, for example by an upload. A resumed run is planned again from these answers.
final class PlannedReads: HTTPTransport {
    fileprivate struct Answer {
        let request: String
        let response: HTTPResponse
    }

    private struct State {
        var answers: [Answer] = []
        /// How many answers to each request were replayed.
        var used: [String: Int] = [:]
        /// The access tokens that were sent, which a service may have repeated in an answer.
        var tokens: Set<String> = []
    }

    private let state: Locked<State>
    /// Sends the requests; nil to replay the kept answers.
    private let transport: (any HTTPTransport)?

    /// Creates a transport that sends the requests and keeps the answers.
    init(by transport: any HTTPTransport) {
        self.transport = transport
        state = Locked(State())
    }

    /// Creates a transport that replays kept answers; nil if the data has none.
    init?(_ value: Value) {
        guard let elements = value.array else { return nil }
        let answers = elements.compactMap(Answer.init)
        guard answers.count == elements.count else { return nil }
        transport = nil
        state = Locked(State(answers: answers))
    }

    var value: Value { .array(state.withLock { $0.answers }.map(\.value)) }

    var tokens: Set<String> { state.withLock { $0.tokens } }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let name = Self.name(of: request)
        guard let transport else {
            guard let answer = again(name) else {
                let shown = PlainText.line("\(request.method) \(request.redacted.url.absoluteString)")
                let difference = "the plan sends a read that it did not send when the run began: \(shown)"
                return Promise(error: PlanMismatch([difference]))
            }
            return .value(answer)
        }
        return transport.send(request, for: operation).map(on: nil) { response in
            var kept = response
            kept.headers[HTTPRequest.sessionField] = nil
            self.keep(Answer(request: name, response: kept), token: request.bearer)
            return response
        }
    }

    /// Keeps an answer; it replaces one that made the client ask again.
    private func keep(_ answer: Answer, token: String?) {
        state.withLock { state in
            if let token { state.tokens.insert(token) }
            let last = state.answers.lastIndex { $0.request == answer.request }
            if let last, state.answers[last].response.isRepeated {
                state.answers[last] = answer
            } else {
                state.answers.append(answer)
            }
        }
    }

    /// The next answer to a request: answers come in the same order, and the last one repeats.
    private func again(_ name: String) -> HTTPResponse? {
        state.withLock { state in
            let answers = state.answers.filter { $0.request == name }
            let number = state.used[name, default: 0]
            state.used[name] = number + 1
            return (answers.indices.contains(number) ? answers[number] : answers.last)?.response
        }
    }

    /// What distinguishes a request from the others, without what is new each time.
    private static func name(of request: HTTPRequest) -> String {
        let own: Set = [
            "authorization", "client-request-id", "retry-attempt", HTTPRequest.sessionField.lowercased(),
        ]
        let headers = request.headers.fields.map { ($0.name.lowercased(), $0.value) }.filter { !own.contains($0.0) }
        let parts =
            [request.method, request.url.absoluteString] + headers.sorted { $0 < $1 }.flatMap { [$0.0, $0.1] }
            + [(request.body ?? Data()).base64EncodedString()]
        return SHA256.hex(of: Value.array(parts.map(Value.string)).jsonData())
    }
}

extension PlannedReads.Answer {
    fileprivate var value: Value {
        let text = String(validating: response.body, as: UTF8.self)
        return [
            "request": .string(request), "status": .integer(response.status),
            "headers": .array(response.headers.fields.map { [.string($0.name), .string($0.value)] }),
            text == nil ? "base64" : "text": .string(text ?? response.body.base64EncodedString()),
        ]
    }

    fileprivate init?(_ value: Value) {
        let body =
            value["text"]?.string.map { Data($0.utf8) } ?? value["base64"]?.string.flatMap { Data(base64Encoded: $0) }
        guard let request = value["request"]?.string, let status = value["status"]?.integer, let body else {
            return nil
        }
        var headers = HTTPHeaders()
        for field in value["headers"]?.array ?? [] {
            guard let name = field[0]?.string, let value = field[1]?.string else { return nil }
            headers.append(name, value)
        }
        self.init(request: request, response: HTTPResponse(status: status, headers: headers, body: body))
    }
}

extension HTTPResponse {
    /// Whether a client repeats the request after it.
    fileprivate var isRepeated: Bool { [401, 408, 429].contains(status) || status >= 500 }
}

extension HTTPRequest {
    fileprivate var bearer: String? {
        let value = headers["Authorization"] ?? ""
        return value.hasPrefix("Bearer ") ? String(value.dropFirst(7)) : nil
    }
}
