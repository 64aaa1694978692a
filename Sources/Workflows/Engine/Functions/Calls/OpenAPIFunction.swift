private struct OpenAPIParameters: FunctionParameters {
    @Parameter(
        "The document: { endpoint: 'https://…' }, or 'file://NAME' for a file next to the workflow.",
        schema: [
            "type": "object", "required": ["endpoint"],
            "properties": ["name": ["type": "string"], "endpoint": ["type": ["string", "object"]]],
            "additionalProperties": false,
        ])
    var document: Value
    @Parameter("The id of the operation.") var operationId: String
    @Parameter("The operation's parameters and its body, by their names.", schema: ["type": "object"]) var parameters:
        Value?
    @Parameter("How the call authenticates.", schema: ["type": "object"]) var authentication: Value?
    @Parameter(HTTPCallSchema.output) var output = HTTPCall.Output.content
    @Parameter(HTTPCallSchema.redirect) var redirect = false
}

extension Function {
    /// The function of `call: openapi` (specification: dsl-reference.md, "OpenAPI Call").
    static let openAPI = Function(
        protocol: "openapi", summary: "Calls an operation of a service that an OpenAPI document describes.",
        input: OpenAPIParameters.self, evaluated: ["document": ["type": "object"], "authentication": true],
        effectOfArguments: { with, files in
            (try? operation(in: with, files)).flatMap { $0 }.map { Idempotency(ofMethod: $0.method) }
        },
        check: { with, files in
            var findings = HTTPCallSchema.findings(in: with)
            do {
                guard let operation = try operation(in: with, files), with["parameters"]?.isComputed != true else {
                    return findings
                }
                findings += operation.findings(in: with["parameters"]?.object?.keys ?? []).map(Finding.init)
            } catch let error as OpenAPIError {
                findings.append(Finding(error))
            } catch let error as FunctionError {
                findings.append(
                    Finding("missing-file", at: ["document", "endpoint"], error.message, hint: error.hint))
            } catch let error as HTTPCallError {
                findings.append(Finding(OpenAPIError(error.message, hint: error.hint)))
            } catch {
                findings.append(Finding(OpenAPIError("\(error)")))
            }
            return findings
        },
        kinds: { arguments, context in
            let plain = context.graph.plan?.unknowns.plain(arguments) ?? arguments
            return try document(of: plain, context).map(on: nil) { document in
                let id = arguments["operationId"]?.string
                let kinds = (id.map { [$0] } ?? document.operationIDs).map { name in
                    let kind = PlannedArguments.Kind(
                        words: id == nil ? "if operationId is \(name)" : nil,
                        arguments: arguments.setting(.string(name), at: ["operationId"]))
                    return (try? document.operation(name))?.planned(kind) ?? kind
                }
                return kinds.isEmpty ? [PlannedArguments.Kind(arguments: arguments)] : kinds
            }
        },
        preparation: { input, context in
            let with = try OpenAPIParameters(input)
            let given = try with.parameters?.members(at: JSONPointer(["parameters"])) ?? [:]
            return try document(of: input, context).map(on: nil) { document in
                let operation = try document.operation(with.operationId)
                var call = try operation.call(with: given, in: document, context)
                call.output = with.output
                call.acceptsRedirects = with.redirect
                call.example = operation.answerSchema.map {
                    OpenAPIExample(document, context.graph).value(
                        $0, named: context.graph.task?.tokens.last ?? with.operationId)
                }
                let exchange = HTTPExchange(call, context, name: "openapi")
                return PreparedCall(effect: exchange.effect, exchange.consequences) { exchange.perform() }
            }
        })

    private static func document(
        of arguments: Value, _ context: FunctionContext
    ) throws -> Promise<OpenAPIDocument> {
        guard let address = arguments["document"]?["endpoint"]?["uri"]?.string else {
            throw OpenAPIError("the document's endpoint must be an address")
        }
        let place = try ResourceAddress(address, files: context.files, plainHosts: context.plainHosts)
        return context.resources.resource(at: place, context) { try OpenAPIDocument($0, at: place) }
            .map(on: nil) { document in
                guard let document else {
                    throw UnplannedCall(
                        "its OpenAPI document \(place.shown) is on the network, which a dry run only reads with "
                            + "'--dry-run=read', if it knows the address and the sign-in")
                }
                return document
            }
    }

    /// The called operation; nil if the document is on the network, or computed when the workflow runs.
    private static func operation(in with: Value, _ files: WorkflowFiles) throws -> OpenAPIOperation? {
        let endpoint = with["document"]?["endpoint"]
        guard let text = endpoint?.literal ?? endpoint?["uri"]?.literal, !text.contains("{"),
            let id = with["operationId"]?.literal,
            case .file(let path) = try ResourceAddress(text, files: files, plainHosts: nil)
        else { return nil }
        return try OpenAPIDocument(try files.contents(of: path), at: .file(path)).operation(id)
    }
}

extension Function.Finding {
    fileprivate init(_ error: OpenAPIError) {
        self.init("openapi", at: [error.member], error.message, hint: error.hint)
    }
}

/// An example of an operation's response by its schema: every value is an unknown, named for its origin.
struct OpenAPIExample {
    private static let deepest = 6
    private let document: OpenAPIDocument
    private let client: GraphClient

    init(_ document: OpenAPIDocument, _ client: GraphClient) {
        self.document = document
        self.client = client
    }

    func value(_ schema: Value, named name: String, depth: Int = 0) -> Value {
        guard depth < Self.deepest, let schema = try? document.resolve(schema) else { return unknown(name) }
        var properties = schema["properties"]?.object ?? [:]
        for part in schema["allOf"]?.array ?? [] {
            for (name, property) in (try? document.resolve(part))?["properties"]?.object ?? [:] {
                properties[name] = property
            }
        }
        if !properties.isEmpty {
            var members: Object = [:]
            for (member, property) in properties {
                members[member] = value(property, named: "\(name).\(member)", depth: depth + 1)
            }
            return .object(members)
        }
        if let items = schema["items"] { return [value(items, named: "\(name)[]", depth: depth + 1)] }
        return unknown(name)
    }

    private func unknown(_ name: String) -> Value { .string(client.plannedAnswer(name).whole()) }
}
