import Essentials
import Promises

extension Function {
    /// The function of `call: http`.
    ///
    /// Specification: dsl-reference.md, "HTTP Call".
    static let http = Function(
        protocol: "http", summary: "Sends an HTTP request to any service, and returns the response.",
        input: FunctionSchema.object(
            required: ["method", "endpoint"],
            [
                "method": FunctionSchema.text("The request's method: get, post, put, patch, delete …"),
                "endpoint": [
                    "type": ["string", "object"],
                    "description":
                        "The address, in which {name} stands for a property of the input; or { uri, authentication }.",
                ],
                "headers": HTTPCallSchema.members("The header fields."),
                "body": [
                    "description": "What is sent: a text unchanged, a blob's bytes, anything else as JSON or as a form."
                ],
                "query": HTTPCallSchema.members("What is appended to the address; an array element by element."),
                "output": HTTPCallSchema.output, "redirect": HTTPCallSchema.redirect,
            ]),
        evaluatedInput: FunctionSchema.object(
            required: ["method", "endpoint"],
            [
                "method": FunctionSchema.text("The request's method."), "endpoint": ["type": ["string", "object"]],
                "headers": ["type": "object"], "body": true, "query": ["type": "object"],
                "output": HTTPCallSchema.output, "redirect": HTTPCallSchema.redirect,
            ]),
        effectOfArguments: { with, _ in with["method"]?.literal.map { Effect(ofMethod: $0) } },
        check: { with, _ in HTTPCallSchema.findings(in: with) },
        preparation: { input, context in
            let call = try HTTPCall(
                input, blobs: context.blobs, plan: context.graph.plan, plainHosts: context.plainHosts)
            let exchange = HTTPExchange(call, context)
            return .value(PreparedCall(effect: exchange.effect) { exchange.perform() })
        })
}

extension Effect {
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
    static let output = FunctionSchema.choice(
        HTTPCall.Output.self, default: .content,
        "What is returned: the content, the content in base64 (raw), or the whole response (response).")

    static let redirect: Value = [
        "type": "boolean", "default": false,
        "description": "Whether redirects are accepted; they are followed where that is safe.",
    ]

    /// Names with texts, or an expression that returns such an object.
    static func members(_ description: String) -> Value {
        [
            "type": ["object", "string"], "additionalProperties": ["type": "string"],
            "description": .string(description),
        ]
    }

    private static let knownMethods = ["get", "head", "post", "put", "patch", "delete", "options", "trace", "query"]

    /// Errors in a `with` that its schema cannot express, and what is likely one.
    static func findings(in with: Value) -> [Function.Finding] {
        var findings: [Function.Finding] = []
        if let method = with["method"]?.literal, !HTTPHead.isToken(method) {
            findings.append(
                finding(["method"], "method", "'\(PlainText.line(method, limit: 50))' is not an HTTP method"))
        } else if let method = with["method"]?.literal?.lowercased(), !knownMethods.contains(method),
            let hint = Diagnostic.didYouMean(method, among: knownMethods)
        {
            var warning = finding(["method"], "method", "'\(method)' is no method that services know", hint: hint)
            warning.severity = .warning
            findings.append(warning)
        }
        for name in ["headers", "query"] {
            guard let text = with[name]?.literal else { continue }
            findings.append(
                finding(
                    [name], "type", "'\(PlainText.line(text, limit: 50))' is neither an object nor an expression",
                    hint: "write '\(name): { name: value }'"))
        }
        for name in ["output", "redirect"] where with[name]?.isComputed == true {
            findings.append(finding([name], "computed", "'\(name)' cannot be computed", hint: "write its value"))
        }
        for name in with["headers"]?.object?.keys ?? [] {
            do throws(FunctionError) {
                try HTTPCall.checkHeader(name)
            } catch {
                findings.append(finding(["headers", name], "header", error.message, hint: error.hint))
            }
        }
        if let address = with["endpoint"]?.literal ?? with["endpoint"]?["uri"]?.literal {
            do throws(HTTPCallError) {
                // The values of braces are unknown; a letter is valid anywhere in an address. Whether it must be
                // encrypted depends on the file and on the run.
                let address = address.replacing(#/\{[^{}]*\}/#, with: "a")
                _ = try HTTPCall.address(address, plainHosts: PlainHosts([URL(string: address)?.host() ?? ""]))
            } catch {
                findings.append(finding(["endpoint"], "address", error.message, hint: error.hint))
            }
        }
        return findings
    }

    private static func finding(
        _ place: [String], _ id: String, _ message: String, hint: String? = nil
    ) -> Function.Finding {
        Function.Finding(pointer: JSONPointer(place), id: id, message: message, hint: hint)
    }
}
