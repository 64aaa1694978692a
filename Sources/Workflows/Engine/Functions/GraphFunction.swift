extension Idempotency: ParameterValue {}

private struct GraphParameters: FunctionParameters {
    @Parameter("The request's method.", schema: FunctionSchema.choice(["GET", "POST", "PATCH", "PUT", "DELETE"]))
    var method = "GET"
    @Parameter("The path after the version: /users/${ .user }/events. An expression inside it is percent-encoded.")
    var path: String
    @Parameter("The query parameters: { $filter: … }.", schema: FunctionSchema.anyMembers) var query: Value?
    @Parameter("The properties to get.", schema: FunctionSchema.names) var select: [String]?
    @Parameter("Header fields: { If-Match: … }.", schema: FunctionSchema.anyMembers) var headers: Value?
    @Parameter("The body: a blob's bytes, a string unchanged, anything else as JSON.") var body: Value?
    @Parameter(
        "The version of Graph; by default that of its address, which is v1.0.",
        schema: FunctionSchema.choice(["v1.0", "beta"]))
    var version: String?
    @Parameter("Whether to read all pages of a list.") var all = false
    @Parameter(
        "What the request does; by default GET reads, POST must happen once, all others may be repeated.",
        schema: Idempotency.parameterSchema)
    var effect: Value?
    @Parameter(
        "The permissions that the request needs, if graphflow does not know them.",
        schema: ["type": "array", "items": FunctionSchema.text("A permission, such as Calendars.ReadWrite.")])
    var scopes: Value?
}

extension Function {
    /// The function of `call: graph`: any request, including those without a function in the catalog.
    static let graph = Function(
        protocol: Workflow.Call.graph, summary: "Sends any request to Microsoft Graph, and returns its answer.",
        input: GraphParameters.self, evaluated: ["headers": ["type": "object"], "query": ["type": "object"]],
        requests: GraphCall.requests, effectOfArguments: { with, _ in GraphCall.effect(of: with) },
        check: { with, _ in GraphCall.findings(in: with) + (KnownGraphCall(graph: with)?.findings ?? []) },
        answer: { with in KnownGraphCall(graph: with)?.answer },
        preparation: { input, context in
            let call = try GraphCall(input, context)
            return .value(
                PreparedCall(effect: call.request.effect, call.request.consequences) { call.perform(context) })
        })
}

struct GraphCall: Sendable {
    let request: GraphRequest
    private let isWhole: Bool

    init(_ input: Value, _ context: FunctionContext) throws {
        if let finding = Self.findings(in: input).first { throw FunctionError(finding) }
        let with = try GraphParameters(input)
        let graph = context.graph
        isWhole = with.all
        let address = try FunctionError.placed(at: JSONPointer(["path"])) {
            try graph.address(of: with.path, version: with.version)
        }
        var given: Object = ["method": .string(with.method), "endpoint": .string(address.absoluteString)]
        (given["query"], given["headers"], given["body"]) = (with.query, with.headers, with.body)
        if let select = with.select {
            guard var query = (with.query ?? [:]).object else {
                throw UnplannedCall("'select' is added to a query that is only known at run time")
            }
            query["$select"] = .string(select.joined(separator: ","))
            given["query"] = .object(query)
        }
        let call = try HTTPCall(.object(given), blobs: context.blobs, plan: graph.plan).request
        var headers = call.headers
        if headers["Accept"] == nil { headers["Accept"] = "application/json" }
        let name = graph.task?.tokens.last ?? "graph"
        let answer = graph.plannedAnswer(name, isElement: isWhole)
        let page = isWhole ? graph.plannedNextPage(graph.plannedAnswer("\(name).page")) : nil
        let example =
            isWhole
            ? HTTPResponse(
                status: 200, headers: ["Content-Type": "application/json"],
                body: Value.object(["@odata.nextLink": page ?? .null, "value": [.string(answer.whole())]]).jsonData())
            : HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: Data(answer.whole().utf8))
        var request = try graph.request(
            "graph", Self.effect(of: input) ?? .once, call.method, at: call.url,
            permissions: Self.permissions(of: input),
            headers: headers,
            body: call.body.map { .memory($0) } ?? call.file.map { .file($0) }, example: example)
        request.maximumResponseSize = context.largestAnswer
        if context.largestAnswer == nil {
            let isContent = ["content", "$value"].contains(call.url.lastPathComponent)
            request.storage = HTTPOperation.Storage(in: context.blobs.place) { isContent || HTTPContent.isBytes($0) }
        }
        self.request = request
    }

    /// Sends the request, and returns the answer as data: bytes as a blob, null for an empty answer.
    func perform(_ context: FunctionContext) -> Promise<Value> {
        if isWhole { return context.graph.all(request).map(on: nil) { .array($0) } }
        return context.graph.answer(to: request).map(on: nil) { answer in
            switch answer {
            case .none: return .null
            case .data(let value): return value
            case .other(let response):
                let type = response.headers["Content-Type"]
                if response.file == nil, ContentType.isText(type ?? ""),
                    let text = HTTPContent.text(response.body, type ?? "")
                {
                    return .string(text)
                }
                let bytes = response.file.map { ByteSource.file($0) } ?? .memory(response.body)
                return context.blobs.keep(try Blob(bytes, contentType: type))
            }
        }
    }

    /// The effect of a call as the file shows it; nil if it is computed.
    static func effect(of with: Value) -> Idempotency? {
        if let effect = with["effect"], !effect.isNull { return effect.literal.flatMap(Idempotency.init(rawValue:)) }
        guard with["method"]?.isComputed != true else { return nil }
        switch method(of: with) {
        case "GET": return .read
        case "POST": return onlyReads(with) ? .read : .once
        default: return .idempotent
        }
    }

    /// Whether it is an action that changes nothing, so that it may be repeated.
    private static func onlyReads(_ with: Value) -> Bool {
        guard let path = with["path"]?.string, with["version"] == nil, !Template.isExpression(path) else {
            return false
        }
        let plain = Template.text(path, replacingExpressionsBy: "x")
        return !plain.contains("://") && GraphClient.onlyReads("POST", at: plain)
    }

    /// The permissions that a call declares; nil if it declares none.
    static func permissions(of with: Value) -> Permissions? {
        (with["scopes"]?.array?.compactMap(\.literal)).map { Permissions(delegated: $0, application: $0) }
    }

    /// The request of a call as the file shows it; empty if its path is computed.
    @Sendable static func requests(_ with: Value) -> [ExpectedRequest] {
        guard let path = with["path"]?.string, !Template.isExpression(path) else { return [] }
        var options = with.queryOptions(["select"])
        // Unknown options can name any property.
        let given = with["query"]?.isComputed == true ? ["$select": "x"] : with["query"]?.object ?? [:]
        for (name, value) in given {
            options += (options.isEmpty ? "?" : "&") + "\(name)=\(value.textInQuery)"
        }
        let place = Template.text(path, replacingExpressionsBy: "x").trimmingPrefix("/")
        if place.contains("?"), options.hasPrefix("?") { options = "&" + options.dropFirst() }
        var request = ExpectedRequest(method(of: with), place + options, with["body"])
        request.isBeta = with["version"] == "beta"
        return [request]
    }

    private static func method(of with: Value) -> String { with["method"]?.string ?? "GET" }

    /// Errors that the schema cannot express.
    static func findings(in with: Value) -> [Function.Finding] {
        var findings: [Function.Finding] = []
        func find(_ place: [String], _ id: String, _ message: String, hint: String? = nil) {
            findings.append(Function.Finding(id, at: place, message, hint: hint))
        }
        let method = method(of: with)
        if with["effect"]?.literal == "read", !["GET", "POST"].contains(method), with["method"]?.isComputed != true {
            find(["effect"], "graph-effect", "a \(method) is not a read", hint: "leave 'effect' out")
        }
        if method != "GET", with["method"]?.isComputed != true {
            for name in ["all", "select"] where with[name] != nil && with[name] != false {
                find([name], "graph-method", "'\(name)' is for GET, and this is a \(method)")
            }
        } else if method == "GET", with["body"].map({ !$0.isNull }) ?? false {
            find(["body"], "graph-method", "a GET has no body", hint: "give the 'method': POST, PATCH or PUT")
        }
        for name in with["headers"]?.object?.keys ?? [] {
            if name.lowercased() == "authorization" {
                find(
                    ["headers", name], "header", "the token comes from the sign-in",
                    hint: "leave it out, or use 'call: http'")
                continue
            }
            if ["x-http-method", "x-http-method-override", "x-method-override"].contains(name.lowercased()) {
                // A plan would show another method than the one that the service performs.
                find(["headers", name], "header", "a header field cannot replace the method", hint: "use 'method'")
                continue
            }
            findings += Function.Finding.caught("header", at: JSONPointer(["headers", name])) {
                try HTTPCall.checkHeader(name)
            }
        }
        for (place, text) in with["body"]?.texts(at: JSONPointer(["body"])) ?? []
        where place.tokens.suffix(2) == ["emailAddress", "address"] {
            guard let reason = text.literal.flatMap(PlainText.invisible) else { continue }
            find(place.tokens, "mail-address", reason, hint: PlainText.visibly)
        }
        if let path = with["path"]?.string, let message = mistake(inPath: path) {
            find(["path"], "graph-path", message, hint: "a path looks like /users/${ .user }/events")
        }
        return findings
    }

    /// What is wrong with a path; an expression may replace any segment.
    private static func mistake(inPath path: String) -> String? {
        let plain = Template.text(path, replacingExpressionsBy: "x").prefix { $0 != "?" }
        let segments = plain.trimmingPrefix("/").split(separator: "/", omittingEmptySubsequences: false)
        if plain.contains("://") { return nil }
        if segments.contains("") { return "a segment of the path is empty" }
        if segments.contains("null") { return "a segment of the path is null: an expression in it found nothing" }
        guard let place = segments.firstIndex(of: "users"), segments.indices.contains(place + 1) else { return nil }
        return String(segments[place + 1]).percentDecoded.flatMap(PlainText.invisible)
    }
}
