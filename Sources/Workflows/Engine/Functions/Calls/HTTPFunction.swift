struct HTTPParameters: FunctionParameters {
    /// Names with texts, or an expression that returns such an object.
    private static let members: Object = ["type": ["object", "string"], "additionalProperties": ["type": "string"]]

    @Parameter("The request's method: get, post, put, patch, delete …") var method: String
    @Parameter(
        "The address, in which {name} stands for a property of the input; or { uri, authentication }.",
        schema: ["type": ["string", "object"]])
    var endpoint: Value
    @Parameter("The header fields.", schema: members) var headers: Value?
    @Parameter("The body: a string unchanged, a blob's bytes, anything else as JSON or as a form.") var body: Value?
    @Parameter("The query parameters; an array gives one for each element.", schema: members)
    var query: Value?
    @Parameter(HTTPCallSchema.output) var output = HTTPCall.Output.content
    @Parameter(HTTPCallSchema.redirect) var redirect = false
}

extension Function {
    /// The function of `call: http` (specification: dsl-reference.md, "HTTP Call").
    static let http = Function(
        protocol: "http", summary: "Sends an HTTP request to any service, and returns the response.",
        input: HTTPParameters.self, evaluated: ["headers": ["type": "object"], "query": ["type": "object"]],
        effectOfArguments: { with, _ in with["method"]?.literal.map { Idempotency(ofMethod: $0) } },
        check: { with, _ in HTTPCallSchema.findings(in: with) + (KnownGraphCall(http: with)?.findings ?? []) },
        answer: { with in KnownGraphCall(http: with)?.answer },
        preparation: { input, context in
            let call = try HTTPCall(
                input, blobs: context.blobs, plan: context.graph.plan, plainHosts: context.plainHosts)
            let exchange = HTTPExchange(call, context)
            return .value(PreparedCall(effect: exchange.effect, exchange.consequences) { exchange.perform() })
        })
}

extension Idempotency {
    /// The effect of a method, as RFC 9110, section 9.2, defines it.
    init(ofMethod method: String) {
        switch method.uppercased() {
        case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY": self = .read
        case "PUT", "DELETE": self = .idempotent
        default: self = .once
        }
    }
}

/// What the calls of the standard have in common.
enum HTTPCallSchema {
    static let output = "What is returned: the content, the content in base64 (raw), or the whole response (response)."
    static let redirect = "Whether redirects are accepted; they are followed where that is safe."

    private static let knownMethods = ["get", "head", "post", "put", "patch", "delete", "options", "trace", "query"]

    /// Errors and probable mistakes in a `with` that its schema cannot express.
    static func findings(in with: Value) -> [Function.Finding] {
        typealias Finding = Function.Finding
        var findings: [Finding] = []
        if let method = with["method"]?.literal, !HTTPHead.isToken(method) {
            findings.append(
                Finding("method", at: ["method"], "'\(PlainText.exact(method, limit: 50))' is not an HTTP method"))
        } else if let method = with["method"]?.literal?.lowercased(), !knownMethods.contains(method),
            let hint = Diagnostic.didYouMean(method, among: knownMethods)
        {
            findings.append(
                Finding(
                    "method", at: ["method"], "'\(method)' is not a known HTTP method", hint: hint,
                    severity: .warning))
        }
        for name in ["headers", "query"] {
            guard let text = with[name]?.literal else { continue }
            findings.append(
                Finding(
                    "type", at: [name], "'\(PlainText.exact(text, limit: 50))' is neither an object nor an expression",
                    hint: "write '\(name): { name: value }'"))
        }
        for name in ["output", "redirect"] where with[name]?.isComputed == true {
            findings.append(
                Finding("computed-argument", at: [name], "'\(name)' cannot be computed", hint: "write its value"))
        }
        return findings + destination(in: with, at: .root)
    }

    /// Errors in the names of header fields and in the address of an `endpoint`.
    static func destination(in with: Value, at place: JSONPointer) -> [Function.Finding] {
        typealias Finding = Function.Finding
        var findings: [Finding] = []
        for name in with["headers"]?.object?.keys ?? [] {
            findings += Finding.caught("header", at: place.appending("headers").appending(name)) {
                try HTTPCall.checkHeader(name)
            }
        }
        if let address = with["endpoint"]?.literal ?? with["endpoint"]?["uri"]?.literal {
            findings += Finding.caught("address", at: place.appending("endpoint")) {
                // The values of braces are unknown; a letter is valid anywhere in an address. Encryption is checked
                // elsewhere: it depends on the file and on the run.
                let address = address.replacing(#/\{[^{}]*\}/#, with: "a")
                _ = try HTTPAddress.url(address, plainHosts: PlainHosts([URL(string: address)?.host() ?? ""]))
            }
        }
        return findings
    }
}
