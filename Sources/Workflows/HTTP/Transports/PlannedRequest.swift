/// A request that a dry run would have sent.
public struct PlannedRequest: Sendable {
    /// What is known about the object that the request would write, change or delete.
    public enum Existing: Sendable, Hashable {
        /// The file exists, with this size and modification date according to the service.
        case file(size: Int?, changedAt: String?)
        /// The object to be changed or deleted exists, with these properties.
        case object(Object)
        /// It does not exist.
        case nothing
        /// It is unknown, for this reason.
        case unknown(String)
    }

    /// The request as it would be sent, with drawings of unknowns; use ``HTTPRequest/redacted`` for display.
    ///
    /// File ranges are kept without their bodies: many of them would not fit into memory.
    public let request: HTTPRequest
    /// The purpose of the request.
    public package(set) var operation: HTTPOperation
    /// The body as far as it is known, even if it was not kept; nil if there is none.
    public let body: PlannedBody?
    package let method: [TextPart]
    package let url: [TextPart]
    package let redactedURL: [TextPart]
    package let headers: [(name: String, value: [TextPart])]
    /// The response that the plan assumes, with its unknowns; nil for bytes.
    package let answer: Value?
    /// Whether the response is unknown and may be JSON or text.
    package let hasTextAnswer: Bool
    package let answerBytes: Unknown?
    /// The response's status if the plan sent this reading request; nil if it was not sent.
    public internal(set) var status: Int?
    /// Why the plan did not send this reading request although it sends such requests; nil for any other request.
    public internal(set) var unread: String?
    /// What the plan learned about the file that the request would write; nil if it did not ask.
    public internal(set) var existing: Existing?

    /// What the plan read to name the ids of the request.
    package internal(set) var named: [Value] = []

    /// What names the object that the request would write: its address, and its id if the plan read it.
    package internal(set) var objects: Set<String> = []

    /// What an approved run must find where the request writes.
    package enum Precondition: Sendable, Hashable {
        /// The version that the plan read.
        case version(String)
        /// No file.
        case nothing
    }

    /// What the run must find; nil if that is not known, or changed by the run itself.
    package internal(set) var precondition: Precondition?

    init(_ request: HTTPRequest, for operation: HTTPOperation, _ unknowns: UnknownTokens) {
        body = PlannedBody(request, unknowns)
        url = unknowns.parts(ofAddress: request.url.absoluteString)
        redactedURL = unknowns.parts(ofAddress: request.url.redacted.absoluteString)
        address = Value.drawn(redactedURL)
            .replacing(HTTPRequest.redaction.percentEncoded(), with: HTTPRequest.redaction)
        headers = request.headers.fields.map { field in
            let name = UnknownTokens.isIn(field.name) ? Value.drawn(unknowns.parts(Data(field.name.utf8))) : field.name
            return (name, unknowns.parts(Data(field.value.utf8)))
        }
        let example = operation.example.body
        let text = unknowns.unknown(of: String(decoding: example, as: UTF8.self))
        hasTextAnswer = text != nil
        answer = text.map { .unknown($0) } ?? (try? Value(json: example)).map { unknowns.marked($0) }
        answerBytes = unknowns.example(of: operation.example.body)
        method = unknowns.parts(Data(request.method.utf8))
        var named = operation
        named.consequences = operation.consequences.map { $0.mapping(unknowns.marked) }
        named.service = operation.service.map { Value.drawn(unknowns.parts(Data($0.utf8))) }
        self.operation = named
        var drawn = request
        drawn.url = URL(string: url.drawnPercentEncoded) ?? request.url
        if UnknownTokens.isIn(request.method) { drawn.method = Value.drawn(method) }
        if headers.contains(where: { $0.value.contains(where: \.isUnknown) }) {
            drawn.headers = HTTPHeaders()
            for (field, given) in zip(headers, request.headers.fields) {
                drawn.headers.append(
                    field.name, field.value.contains(where: \.isUnknown) ? Value.drawn(field.value) : given.value)
            }
        }
        if request.headers["Content-Range"] != nil {
            drawn.body = nil
        } else if let body = request.body, UnknownTokens.isIn(body) {
            drawn.body = Data((self.body?.drawn ?? "").utf8)
        }
        self.request = drawn
    }

    package init(saved request: HTTPRequest, for operation: HTTPOperation) {
        self.init(request, for: operation, UnknownTokens())
    }

    /// The URL with readable unknowns, not percent-encoded, and with credentials redacted.
    public let address: String

    /// The body for display; nil if there is none.
    public var bodyDescription: String? { body?.description }

    /// The service that handles it: a part of Microsoft Graph by its name, or a host.
    public var service: String {
        if let service = operation.service { return service }
        guard request.url.host() != nil else { return request.url.path(percentEncoded: false) }
        let start = address.firstRange(of: "://")?.upperBound ?? address.startIndex
        return String(address[start...].prefix { !"/?#".contains($0) })
    }

    /// When a run sends it, in words, such as `if the content has more than 10 MiB`; nil for always.
    public var condition: String? { operation.condition?.words }

    /// Whether it belongs to the first alternative of each decision, or is always sent.
    package var isUsual: Bool {
        guard let condition = operation.condition else { return true }
        return !condition.isExtra && condition.kinds.allSatisfy { $0 == 0 }
    }

    /// Whether it must not happen twice, so its outcome may be unknown after a failure.
    public var isOnce: Bool { operation.effect == .once }
}

extension TextPart {
    package var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

extension [TextPart] {
    fileprivate var drawnPercentEncoded: String {
        map { part in
            switch part {
            case .plain(let text): text
            case .unknown(let unknown): Drawing.of(unknown).percentEncoded()
            case .secret(let secret): Drawing.of(secret).percentEncoded()
            }
        }.joined()
    }
}
