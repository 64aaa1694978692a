extension Sandbox {
    /// A request to the sandbox and its answer.
    public struct Exchange: Sendable, Hashable {
        /// How the answer reached the client.
        public enum Outcome: String, Sendable, Hashable {
            /// Completely.
            case answered
            /// Not at all: the connection was closed.
            case dropped
            /// Its head and half of its body.
            case truncated
        }

        /// When it arrived.
        public var date: Date
        /// The request with its token and other secrets redacted.
        public var request: HTTPRequest
        /// The status of the answer; nil if none was sent.
        public var status: Int?
        /// How the answer reached the client.
        public var outcome: Outcome
        /// The answer; nil if none was sent.
        public internal(set) var answer: HTTPResponse?
        /// The size of the request's body in bytes, even if it was too large to keep.
        public internal(set) var bodySize = 0

        /// The method.
        public var method: String { request.method }
        /// The path with its query, percent-encoded as received.
        public var path: String { request.url.requestTarget }
        /// The header fields, with the token redacted.
        public var headers: HTTPHeaders { request.headers }
        /// The body; empty if there was none or it was too large to keep.
        public var body: Data { request.body ?? Data() }
    }
}

extension Sandbox.Exchange {
    /// The exchange as `/sandbox/requests` shows it: a JSON body as JSON, any other in Base64.
    var value: Value {
        var headers = Object()
        for field in request.headers.fields {
            headers[field.name] = .string(request.headers.values(of: field.name).joined(separator: ", "))
        }
        return [
            "dateTime": .string(SandboxClock.timestamp(date)), "method": .string(method), "path": .string(path),
            "headers": .object(headers), "body": bodyValue, "bodySize": .integer(bodySize),
            "status": status.map(Value.integer) ?? .null,
            "outcome": .string(outcome.rawValue),
        ]
    }

    private var bodyValue: Value {
        guard let body = request.body, !body.isEmpty else { return .null }
        let isJSON = ContentType.isJSON(headers["Content-Type"] ?? "") && !SandboxBodySchema.isTooDeep(body)
        if isJSON, let value = try? Value(json: body) { return value }
        let type = ContentType.essence(of: headers["Content-Type"] ?? "")
        if type == "application/x-www-form-urlencoded" { return .string(String(decoding: body, as: UTF8.self)) }
        return ["base64": .string(body.base64EncodedString()), "size": .integer(body.count)]
    }
}
