struct OpenAPIOperation: Sendable {
    struct Parameter: Sendable {
        enum Location: String { case path, query, header, cookie, formData }

        var name: String
        var location: Location
        var isRequired: Bool
        var style: OpenAPIStyle
    }

    struct Body: Sendable {
        /// The name by which a call can give the whole body.
        var name: String
        var isRequired: Bool
        var types: [String]
        /// The names of the body's properties that its schema declares.
        var properties: [String]
        /// Those whose texts are binary data.
        var files: Set<String> = []
    }

    var method: String
    var path: String
    var parameters: [Parameter]
    var body: Body?
    var servers: [String]
    var answerTypes: [String]
    var answerSchema: Value?

    init(
        _ operation: Value, _ method: String, _ path: String, _ item: Value, in document: OpenAPIDocument
    ) throws(OpenAPIError) {
        self.method = method
        self.path = path
        servers = document.servers(of: operation, item)
        parameters = []
        let own = operation["parameters"]?.array ?? []
        for declared in (item["parameters"]?.array ?? []) + own {
            let declared = try document.resolve(declared)
            guard let name = declared["name"]?.string, let place = declared["in"]?.string else {
                throw OpenAPIError("a parameter of the operation has no 'name' or no 'in'")
            }
            let isRequired = declared["required"] == true
            guard place != "body" else {
                let types = (operation["consumes"] ?? document.value["consumes"])?.array?.compactMap(\.string)
                body = Body(
                    name: name, isRequired: isRequired, types: types ?? ["application/json"],
                    properties: try Self.properties(of: declared["schema"], in: document))
                continue
            }
            guard let location = Parameter.Location(rawValue: place) else {
                throw OpenAPIError("the parameter '\(name)' is in '\(place)', which is not supported")
            }
            // The operation overrides its path; these header fields are described elsewhere.
            parameters.removeAll { $0.name == name && $0.location == location }
            if location == .header, ["accept", "content-type", "authorization"].contains(name.lowercased()) {
                continue
            }
            parameters.append(
                Parameter(
                    name: name, location: location, isRequired: isRequired || location == .path,
                    style: OpenAPIStyle(declared, location, isSwagger: document.isSwagger)))
        }
        if let declared = operation["requestBody"] {
            let declared = try document.resolve(declared)
            let content = declared["content"]?.object ?? [:]
            body = Body(
                name: "body", isRequired: declared["required"] == true, types: content.keys,
                properties: try Self.properties(of: content.first?.value["schema"], in: document))
            let schema = try content.first?.value["schema"].map { schema throws(OpenAPIError) in
                try document.resolve(schema)
            }
            body?.files = Set(
                (schema?["properties"]?.object ?? [:]).filter {
                    ($0.value["items"] ?? $0.value)["format"] == "binary"
                }.map(\.key))
        }
        let forms = parameters.filter { $0.location == .formData }
        if !forms.isEmpty {
            let types = (operation["consumes"] ?? document.value["consumes"])?.array?.compactMap(\.string) ?? []
            body = Body(
                name: "body", isRequired: forms.contains(where: \.isRequired),
                types: types.isEmpty ? ["application/x-www-form-urlencoded"] : types, properties: forms.map(\.name))
        }
        (answerTypes, answerSchema) = try Self.answer(of: operation, in: document)
    }

    func takesWholeBody(_ name: String) -> Bool {
        guard let body, !parameters.contains(where: { $0.name == name }) else { return false }
        return name == body.name || name == "body" && !body.properties.contains("body")
    }

    private static func properties(of schema: Value?, in document: OpenAPIDocument) throws(OpenAPIError) -> [String] {
        guard let schema else { return [] }
        let resolved = try document.resolve(schema)
        var names = resolved["properties"]?.object?.keys ?? []
        for part in (resolved["allOf"]?.array ?? []).prefix(20) where part["allOf"] == nil {
            names += try document.resolve(part)["properties"]?.object?.keys ?? []
        }
        return names
    }

    private static func answer(
        of operation: Value, in document: OpenAPIDocument
    ) throws(OpenAPIError) -> (types: [String], schema: Value?) {
        let responses = operation["responses"]?.object ?? [:]
        guard let code = responses.keys.sorted().first(where: { $0.hasPrefix("2") }) ?? responses.keys.first,
            let declared = responses[code]
        else { return ([], nil) }
        let answer = try document.resolve(declared)
        if document.isSwagger {
            let types = (operation["produces"] ?? document.value["produces"])?.array?.compactMap(\.string)
            return (types ?? [], answer["schema"])
        }
        let content = answer["content"]?.object ?? [:]
        return (content.keys, content.first?.value["schema"])
    }
}
