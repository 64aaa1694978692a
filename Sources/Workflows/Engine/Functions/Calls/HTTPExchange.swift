/// Performs a call over HTTP: its authentication, its redirects and its response.
struct HTTPExchange: Sendable {
    private let call: HTTPCall
    private let transport: any HTTPTransport
    private let authorization: HTTPAuthorization
    /// Stores content that is too large for the data.
    private let blobs: BlobStore
    private var operation: HTTPOperation
    /// Reports what became of the effects; nil in a plan.
    private let report: (@Sendable (GraphEvent) -> Void)?
    /// The response that a plan assumes.
    private let answer: UnknownTokens.Answer

    /// Creates an exchange; `unknown` is the name of the unknown response in a plan, by default the task's name.
    ///
    /// The `purpose` is nil if method and address say what the request does.
    init(
        _ call: HTTPCall, _ context: FunctionContext, name: String = "http", unknown: String? = nil,
        largestAnswer: Int? = nil, as purpose: Purpose? = nil
    ) {
        var call = call
        if call.request.headers["Accept"] == nil { call.request.headers["Accept"] = "*/*" }
        if call.request.headers["User-Agent"] == nil { call.request.headers["User-Agent"] = Graphflow.userAgent }
        self.call = call
        transport = context.graph.transport
        authorization = context.authorization
        blobs = context.blobs
        answer = context.graph.plannedAnswer(unknown ?? context.graph.task?.tokens.last ?? name)
        operation = HTTPOperation(
            name: name, task: context.graph.task,
            effect: purpose?.effect ?? Idempotency(ofMethod: call.request.method),
            timeout: context.graph.patience.timeout ?? context.patience ?? .seconds(7 * 86_400),
            maximumResponseSize: largestAnswer,
            example: HTTPResponse(
                status: 200, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(answer.whole().utf8)))
        operation.occurrence = context.graph.occurrence
        operation.condition = context.graph.condition
        operation.consequences =
            purpose?.consequences ?? Self.consequences(of: call, operation.effect, context.graph)
        operation.isQuery = purpose?.isQuery ?? false
        operation.onArrival = purpose?.onArrival
        report = context.graph.plan == nil ? context.graph.onEvent : nil
        operation.plainHosts = context.plainHosts
        if largestAnswer == nil, call.output != .raw {
            operation.storage = HTTPOperation.Storage(in: blobs.place, accepts: HTTPContent.isBytes)
        }
    }

    /// What a request does that its method and address do not say.
    struct Purpose {
        var effect: Idempotency
        var consequences: [Effect] = []
        /// Whether a plan with reads sends it.
        var isQuery = false
        /// Sees the response while it arrives.
        var onArrival: (@Sendable (HTTPResponse) -> Void)?
    }

    var effect: Idempotency { operation.effect }

    var consequences: [Effect] { operation.consequences }

    private static func consequences(
        of call: HTTPCall, _ idempotency: Idempotency, _ graph: GraphClient
    ) -> [Effect] {
        guard idempotency != .read else { return [] }
        let request = call.request
        let host = request.url.host() ?? ""
        // A method with another name could be an encoded secret that the search does not recognise.
        let isKnown = ["POST", "PUT", "PATCH", "DELETE"].contains(request.method)
        var effects = [
            Effect(
                .request(
                    method: isKnown ? .string(request.method) : .null, host: .string(host),
                    path: .string(request.url.path())))
        ]
        if let base = try? graph.baseURL, Origin(base) == Origin(request.url) {
            // A call of Graph with the same request has the same effects.
            let path = request.url.path().split(separator: "/").dropFirst(base.path().split(separator: "/").count)
            effects = GraphClient.effects(
                of: request.method, at: path.joined(separator: "/"), host: host,
                request.body.flatMap { try? Value(json: $0) })
        }
        return effects.of(idempotency)
    }

    func isPlanned(_ response: HTTPResponse) -> Bool { response == operation.example }

    /// The unknown that a plan has instead of the response.
    var planned: Value { .string(answer.whole()) }

    func perform() -> Promise<Value> {
        perform(reading: { request, response in
            try check(response, to: request)
            return (request, response)
        }).map(on: nil) { try output(of: $1, to: $0) }
    }

    /// Sends the request, reads the final response, and reports what became of the effects.
    func perform<Answer: Sendable>(
        reading read: @escaping @Sendable (HTTPRequest, HTTPResponse) throws -> Answer
    ) -> Promise<Answer> {
        accounted(send(call.request, hop: 0, isSigned: true).map(on: nil) { try read($0, $1) })
    }

    private func accounted<Answer: Sendable>(_ answer: Promise<Answer>) -> Promise<Answer> {
        guard let report, !consequences.isEmpty else { return answer }
        let tell = { @Sendable [operation] (state: Effect.State) in
            for effect in operation.consequences {
                report(GraphEvent(operation: operation.name, task: operation.task, kind: .effect(effect, state)))
            }
        }
        return answer.get(on: nil) { _ in tell(.done) }.recover(on: nil) { error -> Promise<Answer> in
            // What has begun and has no outcome is unknown.
            guard !error.isCancelled else { throw error }
            let isUnclear = (error as? HTTPCallError)?.isUnclear ?? WorkflowError(error, at: .root).is(.unknownOutcome)
            tell(isUnclear ? .unknown : .refused)
            throw error
        }
    }

    /// Sends the request and returns the final response, which is not an error.
    func content() -> Promise<HTTPResponse> {
        send(call.request, hop: 0, isSigned: true).map(on: nil) { request, response in
            try check(response, to: request)
            return response
        }
    }

    private func send(
        _ request: HTTPRequest, hop: Int, isSigned: Bool
    ) -> Promise<(request: HTTPRequest, response: HTTPResponse)> {
        ask(request, isSigned: isSigned).then(on: nil) {
            response -> Promise<(request: HTTPRequest, response: HTTPResponse)> in
            guard call.acceptsRedirects else { return .value((request, response)) }
            switch HTTPRedirection(response, to: request, hop: hop, plainHosts: operation.plainHosts) {
            case .none: return .value((request, response))
            case .refuse(let why):
                throw HTTPCallError(
                    status: response.status, title: "Unusable redirect", message: "\(request.place) \(why)")
            case .follow(let next):
                // After a redirect to another origin, a redirect back is not authenticated again.
                let isSigned = isSigned && Origin(next.url) == Origin(request.url)
                return send(next, hop: hop + 1, isSigned: isSigned)
            }
        }
    }

    /// Sends one request, and repeats it if its refusal can be answered.
    private func ask(_ request: HTTPRequest, isSigned: Bool) -> Promise<HTTPResponse> {
        guard isSigned else { return pass(request) }
        var request = request
        if authorization.readsBody {
            do throws(HTTPFailure) {
                request = try request.withBodyInMemory()
            } catch {
                return Promise(error: HTTPCallError.failure(error, of: request, effect: effect))
            }
        }
        return sign(request)
    }

    private func sign(_ request: HTTPRequest) -> Promise<HTTPResponse> {
        authorization.authorize(request).then(on: nil) { pass($0) }.then(on: nil) {
            response -> Promise<HTTPResponse> in
            guard response.status == 401 else { return .value(response) }
            return authorization.answer(response, to: request).then(on: nil) { again -> Promise<HTTPResponse> in
                guard let again else { return .value(response) }
                return pass(again)
            }
        }
    }

    private func pass(_ request: HTTPRequest) -> Promise<HTTPResponse> {
        transport.sendAny(request, for: operation).recover(on: nil) { error -> Promise<HTTPResponse> in
            guard let failure = error as? HTTPFailure, failure.reason != .cancelled else { throw error }
            throw HTTPCallError.failure(failure, of: request, effect: effect)
        }
    }

    private func check(_ response: HTTPResponse, to request: HTTPRequest) throws(HTTPCallError) {
        let accepted = call.acceptsRedirects ? 200..<400 : 200..<300
        guard accepted.contains(response.status) else {
            throw .refusal(response, of: request, effect: effect)
        }
    }

    private func output(of response: HTTPResponse, to request: HTTPRequest) throws(HTTPCallError) -> Value {
        try check(response, to: request)
        let isPlanned = isPlanned(response)
        switch call.output {
        case .raw:
            if isPlanned { return .string(answer.whole()) }
            return response.body.isEmpty ? .null : .string(response.body.base64EncodedString())
        case .content:
            return isPlanned
                ? call.example ?? .string(answer.whole()) : try content(of: response, to: request)
        case .response:
            return [
                "request": [
                    "method": .string(request.method == call.request.method ? call.method : request.method),
                    "uri": .string(request.url.absoluteString), "headers": request.headers.redacted.asData,
                ],
                "statusCode": isPlanned ? .string(answer("statusCode", .number)) : .integer(response.status),
                "headers": isPlanned ? .string(answer("headers")) : response.headers.asData,
                "content": isPlanned
                    ? call.example ?? .string(answer("content")) : try content(of: response, to: request),
            ]
        }
    }

    /// The content as data; content in a file becomes a blob.
    private func content(of response: HTTPResponse, to request: HTTPRequest) throws(HTTPCallError) -> Value {
        guard let file = response.file else { return try HTTPContent.value(of: response, to: request) }
        do throws(GraphError) {
            return blobs.keep(try Blob(.file(file), contentType: response.headers["Content-Type"]))
        } catch {
            throw .content(error.message, of: request)
        }
    }
}

extension HTTPHeaders {
    /// The fields as data: names in their common spelling, values of repeated names joined.
    fileprivate var asData: Workflows.Value {
        var members: Object = [:]
        for field in fields {
            let name = Self.common(field.name)
            members[name] = .string(members[name]?.string.map { "\($0), \(field.value)" } ?? field.value)
        }
        return .object(members)
    }

    /// The common spelling, such as `Content-Type`, which expressions use.
    private static func common(_ name: String) -> String {
        switch name.lowercased() {
        case "etag": "ETag"
        case "www-authenticate": "WWW-Authenticate"
        default: name.split(separator: "-", omittingEmptySubsequences: false).map(\.capitalized).joined(separator: "-")
        }
    }
}
