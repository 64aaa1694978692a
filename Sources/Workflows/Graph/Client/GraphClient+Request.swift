internal import GraphModel

extension GraphClient {
    /// A request to any address of the service.
    /// - Parameters:
    ///   - address: An address that ``address(of:version:)`` made.
    ///   - permissions: The permissions that the user states; nil for the known ones.
    package func request(
        _ operation: String, _ effect: Idempotency, _ method: String, at address: URL, permissions: Permissions? = nil,
        headers: HTTPHeaders = [:], body: ByteSource? = nil, example: HTTPResponse
    ) throws(GraphError) -> GraphRequest {
        var request = GraphRequest(
            operation, effect, method, GraphPath(literal: ""), headers: headers, example: example,
            check: "Check \(PlainText.line(address.path(), limit: 200)) to see whether the request was carried out.")
        let query = address.query(percentEncoded: false) ?? ""
        // Searching and counting use an eventually consistent index, which requests must accept.
        if query.contains("$search=") || query.contains("$count=true") || address.path().hasSuffix("/$count"),
            headers["ConsistencyLevel"] == nil
        {
            request.headers["ConsistencyLevel"] = "eventual"
        }
        request.address = address
        request.permissions = permissions
        let segments = try segments(of: address)
        request.service = GraphService(segments)
        request.body = body
        // Of beta, which changes without notice, nothing is known.
        let isBeta = address.path().split(separator: "/").dropLast(segments.count).last == "beta"
        if isBeta, permissions == nil { request.permissions = Permissions() }
        request.consequences =
            isBeta
            ? unknownEffects(of: request, address)
            : effects(of: request, at: segments.joined(separator: "/"), address.host() ?? "")
        let changes = request.consequences.filter { $0.objectChange != nil }
        if let effect = changes.first, changes.count == 1 { request.replaced = effect.former(at: address, method) }
        return request
    }

    private func unknownEffects(of request: GraphRequest, _ address: URL) -> [Effect] {
        guard !["GET", "HEAD"].contains(request.method), request.effect != .read else { return [] }
        return [RequestEffects(request.method, address.path(), host: address.host() ?? "", nil).unknown]
            .of(request.effect)
    }

    private func effects(of request: GraphRequest, at path: String, _ host: String) -> [Effect] {
        guard !["GET", "HEAD"].contains(request.method) else { return [] }
        var body: Value?
        if case .memory(let bytes)? = request.body { body = try? Value(json: bytes) }
        let effects = Self.effects(of: request.method, at: path, host: host, body)
        // A workflow may declare that a POST only reads, unless it is known to do more.
        return (request.effect == .read ? effects.filter { !$0.isUnheard } : effects).of(request.effect)
    }

    func permissions(of request: GraphRequest) -> Permissions {
        if let given = request.permissions { return given }
        guard let path = path(of: request) else { return Permissions() }
        // Few bodies matter: a person's changed properties, a batch's requests, what is searched for or followed.
        var body: Value?
        let isOfBody = ["$batch", "search/query", "subscriptions"].contains { path.hasSuffix($0) }
        if request.method == "PATCH" && path.hasPrefix("users/") || isOfBody,
            case .memory(let bytes)? = request.body
        {
            body = try? Value(json: bytes)
        }
        return Self.permissions(of: request.method, path: path, body) ?? Permissions()
    }

    /// Where the ids that a request names have names, by the ids.
    func placesOfNames(of request: GraphRequest) -> [(id: String, address: URL)] {
        guard request.effect != .read, let path = path(of: request), let base = try? baseURL.absoluteString else {
            return []
        }
        var body: Value?
        if case .memory(let bytes)? = request.body { body = try? Value(json: bytes) }
        let write = GraphWrite(RequestEffects(request.method, path, host: "", body))
        return (write?.places ?? []).compactMap { id, path in
            URL(string: "\(base)/\(path)").map { (id, $0) }
        }
    }

    func path(of request: GraphRequest) -> String? {
        guard let address = request.address else {
            return request.path.query.isEmpty ? "\(request.path)" : "\(request.path)?\(request.path.query)"
        }
        guard let base = try? baseURL, Origin(base) == Origin(address), let segments = try? segments(of: address)
        else { return nil }
        return segments.joined(separator: "/") + (address.query().map { "?\($0)" } ?? "")
    }

    private func segments(of address: URL) throws(GraphError) -> [Substring] {
        let base = try baseURL.path().split(separator: "/")
        return Array(address.path().split(separator: "/").dropFirst(base.count))
    }

    package func response(to request: GraphRequest) -> Promise<HTTPResponse> { send { request } }

    package func answer(to request: GraphRequest) -> Promise<GraphAnswer> {
        exchange {
            request
        } _: { response, effect throws(GraphError) in
            guard response.bodySize > 0 else { return .none }
            guard response.file == nil, ContentType.isJSON(response.headers["Content-Type"] ?? "") else {
                return .other(response)
            }
            return .data(try Answer.json(response, effect: effect) { value throws(GraphError) in value })
        }
    }

    package func all(_ request: GraphRequest) -> Promise<[Value]> {
        pages {
            request
        } upTo: {
            nil
        } as: { element throws(GraphError) in
            element
        }
    }

    /// The effects of a request to the service, by its method, path and body.
    ///
    /// Every request that may change something has an effect: an unrecognized one is a `request`.
    /// - Parameters:
    ///   - path: The path after the service's base, percent-encoded, with or without its query.
    ///   - body: The body if it is JSON, else nil.
    package static func effects(
        of method: String, at path: String, host: String, _ body: Value?
    ) -> [Effect] {
        RequestEffects(method, path, host: host, body).effects
    }

    /// A request's least-privileged permissions; nil if unknown.
    /// - Parameters:
    ///   - path: The path after the service's base, percent-encoded, with or without its query.
    ///   - body: The body if it is JSON, else nil.
    package static func permissions(of method: String, path: String, _ body: Value? = nil) -> Permissions? {
        guard body == nil else { return RequestEffects(method, path, host: "", body).permissions }
        let key = "\(method) \(path)"
        if let known = knownPermissions.withLock({ $0[key] }) { return known }
        let permissions = RequestEffects(method, path, host: "", nil).permissions
        knownPermissions.withLock { known in
            if known.count >= mostKnownPermissions { known = [:] }
            known[key] = .some(permissions)
        }
        return permissions
    }

    /// Whether a request changes nothing, although its method could.
    /// - Parameter path: The path after the service's base, percent-encoded; an expression stands for a key.
    package static func onlyReads(_ method: String, at path: String) -> Bool {
        guard method.uppercased() == "POST", let address = try? GraphAddress(path.prefix { $0 != "?" }),
            case .operation(let all)? = address.segments.last?.role, let operation = all.first, operation.isAction
        else { return false }
        return GraphAction.onlyReads(operation.name, of: address.segments.dropLast().last?.type?.name ?? "")
    }

    /// The key of the object at a path; nil if the path ends with something else.
    /// - Parameter path: The path after the service's base, percent-encoded, without its query.
    package static func key(ofObjectAt path: some StringProtocol) -> String? {
        guard let last = (try? GraphAddress(path))?.segments.last, case .key = last.role else { return nil }
        return GraphWrite.key(last.text.percentDecoded ?? last.text)
    }

    /// The permissions of the last requests, most of which a loop repeats.
    private static let knownPermissions = Locked<[String: Permissions?]>([:])
    private static let mostKnownPermissions = 256

    /// Whether a path is about the signed-in user, which an application does not have.
    /// - Parameter path: The path after the service's base, with or without its query.
    package static func needsUser(path: String) -> Bool { RequestEffects("GET", path, host: "", nil).isOwn }
}

extension Effect {
    /// Whether nothing special is known of what it does.
    fileprivate var isUnheard: Bool { kind == .request || action.map { GraphAction($0) == nil } ?? false }

    /// Where a plan reads the former state: the properties that the request sets, and the name.
    fileprivate func former(at address: URL, _ method: String) -> URL? {
        guard ["PATCH", "DELETE"].contains(method.uppercased()), let what = objectChange?.what,
            let type = GraphModel.definition(named: what), type.kind == .entity
        else { return nil }
        let name = type.namingProperties.first
        let changed = (objectChange?.properties?.keys ?? []).filter { changed in
            changed != name && !changed.contains { "/@".contains($0) }
                && type.member(changed)?.kind ?? .property == .property
        }
        // Addresses of one object have one id; an approved run compares the version of a file.
        let own = what == "driveItem" ? ["id", "eTag", "folder"] : ["id"]
        let names = ([name].compactMap(\.self) + changed + own).map { $0.percentEncoded() }.joined(separator: ",")
        return URL(string: "\(address.absoluteString.prefix { $0 != "?" })?$select=\(names)")
    }
}

package enum GraphAnswer: Sendable {
    case none
    case data(Value)
    case other(HTTPResponse)
}
