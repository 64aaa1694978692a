/// A description of a service: OpenAPI 3.0 or 3.1, or Swagger 2.0, in JSON or YAML.
struct OpenAPIDocument: Sendable {
    let value: Value
    /// The address of the document, the base of its relative addresses; nil for a file.
    let url: URL?
    let isSwagger: Bool

    static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    init(_ bytes: Data, at address: ResourceAddress) throws(OpenAPIError) {
        do {
            value = try Document(data: bytes, name: "document").value
        } catch {
            let finding = error.diagnostics.first
            let place = finding?.range.map { " (line \($0.start.line))" } ?? ""
            throw OpenAPIError(
                "the document is neither YAML nor JSON: \(finding?.message ?? "it cannot be read")\(place)")
        }
        url = if case .network(let url) = address { url } else { nil }
        let version = (value["swagger"] ?? value["openapi"])?.scalarText ?? ""
        isSwagger = value["swagger"] != nil
        guard isSwagger ? version.hasPrefix("2") : version.hasPrefix("3.") else {
            throw OpenAPIError(
                version.isEmpty
                    ? "the document is not an OpenAPI description: it has neither 'openapi' nor 'swagger'"
                    : "version '\(PlainText.exact(version, limit: 20))' of OpenAPI is not supported",
                hint: "use OpenAPI 3.0, OpenAPI 3.1 or Swagger 2.0")
        }
    }

    var operationIDs: [String] {
        Object(operations.compactMap { $0.operation["operationId"]?.string }.map { ($0, .null) }).keys
    }

    func operation(_ id: String) throws(OpenAPIError) -> OpenAPIOperation {
        guard let found = operations.first(where: { $0.operation["operationId"]?.string == id }) else {
            let ids = operationIDs
            let shown = ids.prefix(10).map { $0 }.quoted
            throw OpenAPIError(
                "the document has no operation '\(PlainText.exact(id, limit: 100))'",
                hint: Diagnostic.didYouMean(id, among: ids)
                    ?? (ids.isEmpty
                        ? "its operations have no ids" : "it has \(shown)\(ids.count > 10 ? " …" : "")"),
                member: "operationId")
        }
        return try OpenAPIOperation(found.operation, found.method, found.path, found.item, in: self)
    }

    private var operations: [(path: String, item: Value, method: String, operation: Value)] {
        (value["paths"]?.object ?? [:]).flatMap { path, item -> [(String, Value, String, Value)] in
            guard let item = try? resolve(item) else { return [] }
            return Self.methods.compactMap { method in item[method].map { (path, item, method, $0) } }
        }
    }

    /// The target of a reference inside the document; other values unchanged.
    func resolve(_ value: Value) throws(OpenAPIError) -> Value {
        var value = value
        for _ in 0..<32 {
            guard let reference = value["$ref"]?.string else { return value }
            guard reference.hasPrefix("#/") else {
                throw OpenAPIError(
                    "the document refers to another one, '\(PlainText.exact(reference, limit: 100))'",
                    hint: "references are followed within the document only")
            }
            let tokens = reference.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false).map {
                ($0.percentDecoded ?? String($0)).replacing("~1", with: "/").replacing("~0", with: "~")
            }
            guard let target = self.value[JSONPointer(tokens)] else {
                throw OpenAPIError("the document has nothing at '\(PlainText.exact(reference, limit: 100))'")
            }
            value = target
        }
        throw OpenAPIError("a reference in the document is circular")
    }

    /// The operation's server addresses, in order of preference.
    func servers(of operation: Value, _ item: Value) -> [String] {
        guard isSwagger else {
            let servers = (operation["servers"] ?? item["servers"] ?? value["servers"])?.array ?? []
            let addresses = servers.compactMap { server -> String? in
                guard var address = server["url"]?.string else { return nil }
                for (name, variable) in server["variables"]?.object ?? [:] {
                    address = address.replacing("{\(name)}", with: variable["default"]?.scalarText ?? "")
                }
                return address
            }
            return addresses.isEmpty ? ["/"] : addresses
        }
        let base = value["basePath"]?.string ?? ""
        let schemes =
            (operation["schemes"] ?? value["schemes"])?.array?.compactMap(\.string) ?? [url?.scheme ?? "https"]
        guard let host = value["host"]?.string else { return [base.isEmpty ? "/" : base] }
        return schemes.map { "\($0)://\(host)\(base)" }
    }
}

/// Why an operation of an OpenAPI document cannot be called, known before anything is sent.
struct OpenAPIError: Error, Sendable, Hashable {
    /// The problem, in one sentence without a full stop.
    var message: String
    var hint: String?
    var member: String

    init(_ message: String, hint: String? = nil, member: String = "document") {
        self.message = message
        self.hint = hint
        self.member = member
    }
}

extension OpenAPIError: ProblemConvertible, CustomStringConvertible {
    var problem: Object {
        [
            "type": .string(
                "https://serverlessworkflow.io/spec/1.0.0/errors/\(member == "parameters" ? "validation" : "configuration")"
            ),
            "status": 400, "title": "Operation cannot be called", "detail": .string(description),
        ]
    }

    var description: String { message + (hint.map { " (\($0))" } ?? "") }
}
