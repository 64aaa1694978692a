/// Compares what the requests of an approved run write with what its plan read there.
///
/// The service compares it when it answers, so nothing can change in between. If it refuses, the request may have
/// succeeded before without an answer: then what is there is what it wrote.
final class PlannedVersions: Sendable {
    /// What the run itself left, by the addresses of the objects; nil for a version that the answer does not say.
    private let own = Locked<[String: String?]>([:])

    private static let behavior = "@microsoft.graph.conflictBehavior="

    /// The request with its precondition; nil if it has none.
    func demanding(
        _ precondition: PlannedRequest.Precondition?, of request: HTTPRequest, for operation: HTTPOperation
    ) -> HTTPRequest? {
        guard let address = operation.replaced.map(Self.place), let precondition,
            request.headers["If-Match"] == nil, request.headers["If-None-Match"] == nil
        else { return nil }
        var demanding = request
        switch (own.withLock { $0[address] }, precondition) {
        case (.some(let version), _):
            guard let version else { return nil }
            demanding.headers["If-Match"] = version
        case (nil, .version(let version)): demanding.headers["If-Match"] = version
        case (nil, .nothing):
            let text = request.url.absoluteString
            guard text.contains("\(Self.behavior)replace"),
                let url = URL(string: text.replacing("\(Self.behavior)replace", with: "\(Self.behavior)fail"))
            else { return nil }
            demanding.url = url
        }
        return demanding
    }

    /// Whether an answer says that something else was there.
    func isRefusal(_ response: HTTPResponse, of demanding: HTTPRequest) -> Bool {
        response.status == 412 || response.status == 409 && demanding.headers["If-Match"] == nil
    }

    /// Notes what a request left.
    func take(_ response: HTTPResponse, to request: HTTPRequest, for operation: HTTPOperation) {
        guard (200..<300).contains(response.status), let address = operation.replaced.map(Self.place) else { return }
        // The answer to an upload session is about no object.
        let item = request.method == "POST" ? nil : try? Value(json: response.body)
        let version = item.flatMap { ObjectVersion.etag(of: $0) }
        own.withLock { $0[address] = .some(version) }
    }

    /// The object, if it is as the request would leave it; nil if it is not, or the service does not say.
    func written(
        by request: HTTPRequest, for operation: HTTPOperation, over transport: any HTTPTransport
    ) -> Promise<HTTPResponse?> {
        guard ["PUT", "PATCH"].contains(request.method), let address = operation.replaced,
            let url = URL(string: Self.place(address))
        else { return .value(nil) }
        return firstly { () throws -> Promise<HTTPResponse?> in
            let body = try request.withBodyInMemory().body ?? Data()
            return transport.send(request.reading(url), for: operation.reading).map(on: nil) { answer in
                guard answer.status == 200, let item = try? Value(json: answer.body) else { return nil }
                if request.method == "PUT" { return item.hasContent(body) == true ? answer : nil }
                return try item.covers(Value(json: body)) ? answer : nil
            }
        }
    }

    private static func place(_ address: URL) -> String { String(address.absoluteString.prefix { $0 != "?" }) }
}
