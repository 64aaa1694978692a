import Essentials
import Promises

extension Function {
    /// The function of `call: graph`: any request, for what the catalog has no function.
    static let graph = Function(
        protocol: "graph", summary: "Sends any request to Microsoft Graph, and returns its answer.",
        input: GraphCall.schema(isEvaluated: false), evaluatedInput: GraphCall.schema(isEvaluated: true),
        effectOfArguments: { with, _ in GraphCall.effect(of: with) },
        check: { with, _ in GraphCall.findings(in: with) },
        preparation: { input, context in
            let call = try GraphCall(input, context)
            return .value(PreparedCall(effect: call.request.effect) { call.perform(context) })
        })

    /// The permissions of a call of Graph as far as the file shows them; nil if they are not known.
    static func permissionsOfGraph(_ with: Value) -> Permissions? { GraphCall.permissions(of: with) }
}

/// A call of Graph with its expressions evaluated.
struct GraphCall: Sendable {
    private static let methods = ["GET", "POST", "PATCH", "PUT", "DELETE"]

    /// The JSON Schema of `with`.
    /// - Parameter isEvaluated: Whether expressions have been replaced by their values.
    static func schema(isEvaluated: Bool) -> Value {
        let members: Value = isEvaluated ? "object" : ["object", "string"]
        return FunctionSchema.object(
            required: ["path"],
            [
                "method": FunctionSchema.choice(methods, default: "GET", "The request's method."),
                "path": FunctionSchema.text(
                    "The path after the version: /users/${ .user }/events. An expression inside it is percent-encoded."
                ),
                "query": ["type": members, "description": "What is appended to the address: { $filter: … }."],
                "select": [
                    "type": "array", "items": FunctionSchema.text("The name of a property."), "uniqueItems": true,
                    "description": "The properties to get.",
                ],
                "headers": ["type": members, "description": "Header fields: { If-Match: … }."],
                "body": ["description": "What is sent: a blob's bytes, a text unchanged, anything else as JSON."],
                "version": FunctionSchema.choice(
                    ["v1.0", "beta"], "The version of Graph; by default that of its address, which is v1.0."),
                "all": ["type": "boolean", "default": false, "description": "Whether to read all pages of a list."],
                "effect": FunctionSchema.choice(
                    ["read", "idempotent", "once"],
                    "What the request does; by default GET reads, POST must happen once, all others may be repeated."),
                "scopes": [
                    "type": "array", "items": FunctionSchema.text("A permission, such as Calendars.ReadWrite."),
                    "description": "The permissions that it needs, where the program does not know them.",
                ],
            ])
    }

    /// The request.
    let request: GraphRequest
    /// Whether all pages of a list are read.
    private let isWhole: Bool

    /// Reads the arguments of a call.
    init(_ input: Value, _ context: FunctionContext) throws {
        if let finding = Self.findings(in: input).first {
            throw FunctionError(finding.message, at: finding.pointer, hint: finding.hint)
        }
        let arguments = try Arguments(input)
        let graph = context.graph
        isWhole = try arguments.flag("all") ?? false
        let address: URL
        do {
            let path = try arguments.required("path")
            address = try graph.address(of: path, version: try arguments.text("version"))
        } catch let error as GraphError {
            throw FunctionError(error).at(JSONPointer(["path"]))
        }
        var given: Object = ["method": .string(Self.method(of: input)), "endpoint": .string(address.absoluteString)]
        for name in ["query", "headers", "body"] { given[name] = arguments[name] }
        if arguments["select"] != nil {
            guard var query = (arguments["query"] ?? [:]).object else {
                throw UnplannedCall("'select' is added to a query that only a run knows")
            }
            query["$select"] = .string(try arguments.texts("select").joined(separator: ","))
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
            "graph", Self.effect(of: input) ?? .once, Self.permissions(of: input) ?? Permissions(), call.method,
            at: call.url, headers: headers,
            body: call.body.map { .memory($0) } ?? call.file.map { .file($0) }, example: example)
        request.maximumResponseSize = context.largestAnswer
        if context.largestAnswer == nil {
            let isContent = ["content", "$value"].contains(call.url.lastPathComponent)
            request.storage = HTTPOperation.Storage(in: context.blobs.place) { isContent || HTTPContent.isBytes($0) }
        }
        self.request = request
    }

    /// Sends the request, and returns the answer as data: bytes as a blob, null where there is none.
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
}

extension GraphCall {
    /// The effect of a call as far as the file shows it; nil if it is computed.
    static func effect(of with: Value) -> Effect? {
        if let effect = with["effect"], !effect.isNull { return effect.literal.flatMap(Effect.init(rawValue:)) }
        guard with["method"]?.isComputed != true else { return nil }
        switch method(of: with) {
        case "GET": return .read
        case "POST": return .once
        default: return .idempotent
        }
    }

    /// The permissions of a call as far as the file shows them; nil if they are not known.
    static func permissions(of with: Value) -> Permissions? {
        if let scopes = with["scopes"]?.array?.compactMap(\.literal) {
            return Permissions(delegated: scopes, application: scopes)
        }
        guard let path = with["path"]?.string, !Template.isExpression(path) else { return nil }
        return GraphClient.permissions(
            of: method(of: with), path: Template.text(path, replacingExpressionsBy: "x"))
    }

    private static func method(of with: Value) -> String { with["method"]?.string ?? "GET" }

    /// Errors that the schema cannot express.
    static func findings(in with: Value) -> [Function.Finding] {
        var findings: [Function.Finding] = []
        func find(_ place: [String], _ id: String, _ message: String, hint: String? = nil) {
            findings.append(Function.Finding(pointer: JSONPointer(place), id: id, message: message, hint: hint))
        }
        let method = method(of: with)
        if with["effect"]?.literal == "read", !["GET", "POST"].contains(method), with["method"]?.isComputed != true {
            find(["effect"], "graph-effect", "a \(method) does not only read", hint: "leave 'effect' out")
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
            do throws(FunctionError) {
                try HTTPCall.checkHeader(name)
            } catch {
                find(["headers", name], "header", error.message, hint: error.hint)
            }
        }
        if let path = with["path"]?.string, let message = mistake(inPath: path) {
            find(["path"], "graph-path", message, hint: "a path looks like /users/${ .user }/events")
        }
        return findings
    }

    /// What is wrong with a path; any segment may stand in place of an expression.
    private static func mistake(inPath path: String) -> String? {
        let plain = Template.text(path, replacingExpressionsBy: "x").prefix { $0 != "?" }
        let segments = plain.trimmingPrefix("/").split(separator: "/", omittingEmptySubsequences: false)
        if plain.contains("://") { return nil }
        if segments.contains("") { return "a segment of the path is empty" }
        if segments.contains("null") { return "a segment of the path is null: an expression in it found nothing" }
        return nil
    }
}
