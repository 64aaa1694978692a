extension OpenAPIOperation {
    func findings(in given: [String]) -> [OpenAPIError] {
        var findings: [OpenAPIError] = []
        for parameter in parameters where parameter.isRequired && value(of: parameter.name, in: given) == nil {
            guard parameter.location != .formData || !given.contains("body") else { continue }
            findings.append(
                OpenAPIError("the operation needs the parameter '\(parameter.name)'", member: "parameters"))
        }
        let rest = given.filter { name in !parameters.contains { Self.isSame($0.name, name) } }
        guard let body else {
            findings += rest.map { unknown($0) }
            return findings
        }
        if rest.contains(where: takesWholeBody) {
            findings += rest.filter { !takesWholeBody($0) }.map { unknown($0) }
        } else if body.isRequired, rest.isEmpty, !body.properties.contains(where: given.contains) {
            findings.append(
                OpenAPIError(
                    "the operation needs a body", hint: "give it as the parameter '\(body.name)'", member: "parameters")
            )
        }
        return findings
    }

    /// The request of a call with these parameters.
    ///
    /// Specification: dsl-reference.md, "OpenAPI Call", which has one place for all parameters. The body is the
    /// parameter named `body`, or as Swagger 2.0 names it. Without one, it has the parameters that the operation
    /// declares nowhere else.
    func call(
        with given: Object, in document: OpenAPIDocument, _ context: FunctionContext
    ) throws -> HTTPCall {
        let given = given.filter { !$0.value.isNull }
        if let finding = findings(in: given.keys).first { throw finding }
        var path = path
        var query: [String] = []
        var fields: [(name: String, value: String)] = []
        var cookies: [String] = []
        for parameter in parameters {
            guard let name = value(of: parameter.name, in: given.keys), let value = given[name] else { continue }
            switch parameter.location {
            case .path:
                let text = try parameter.style.text(parameter.name, value) { $0.percentEncoded() }
                guard !text.isEmpty, text != ".", text != ".." else {
                    throw OpenAPIError(
                        "the parameter '\(parameter.name)' cannot be '\(text)': it is a part of the path",
                        member: "parameters")
                }
                path = path.replacing("{\(parameter.name)}", with: text)
            case .query:
                query +=
                    try parameter.style.plannedItems(parameter.name, value, context.graph).map { [$0] }
                    ?? parameter.style.items(parameter.name, value)
            case .header: fields.append((parameter.name, try parameter.style.text(parameter.name, value) { $0 }))
            case .cookie:
                cookies.append(
                    "\(parameter.name)=\(try parameter.style.text(parameter.name, value) { $0.percentEncoded() })")
            case .formData: continue
            }
        }
        var call = HTTPCall(
            method: method,
            request: HTTPRequest(
                method.uppercased(),
                try HTTPAddress.url(
                    try address(in: document, context.plainHosts) + path
                        + (query.isEmpty ? "" : "?" + query.joined(separator: "&")),
                    plainHosts: context.plainHosts)))
        let place = JSONPointer(["parameters"])
        for (name, value) in fields { try call.setHeader(name, .string(value), at: place.appending(name)) }
        if !cookies.isEmpty { try call.setHeader("Cookie", .string(cookies.joined(separator: "; ")), at: place) }
        if let accepted = accepted { call.request.headers["Accept"] = accepted }
        if let body { try setBody(body, of: &call, given, context) }
        return call
    }

    /// The first valid server address.
    private func address(in document: OpenAPIDocument, _ plainHosts: PlainHosts) throws -> String {
        var refusal: (any Error)?
        for server in servers {
            do {
                guard let url = URL(string: server, relativeTo: document.url)?.absoluteURL, url.scheme != nil else {
                    throw OpenAPIError(
                        "the document has no absolute address of the service",
                        hint: document.isSwagger
                            ? "it has no 'host'" : "its 'servers' are relative to where it was read")
                }
                let text = try HTTPAddress.url(url.absoluteString, plainHosts: plainHosts).absoluteString
                return text.hasSuffix("/") ? String(text.dropLast()) : text
            } catch {
                refusal = refusal ?? error
            }
        }
        throw refusal ?? OpenAPIError("the document has no address of the service")
    }

    private var accepted: String? {
        if let json = answerTypes.first(where: ContentType.isJSON) { return json }
        return answerTypes.isEmpty ? nil : answerTypes.joined(separator: ", ")
    }

    private func setBody(
        _ body: Body, of call: inout HTTPCall, _ given: Object, _ context: FunctionContext
    ) throws(FunctionError) {
        let place = JSONPointer(["parameters"])
        var content: Value
        if let name = given.keys.first(where: takesWholeBody), let whole = given[name] {
            content = whole
        } else {
            let declared = parameters.filter { $0.location != .formData }
            let members = given.filter { member in
                body.properties.contains(member.key) || !declared.contains { Self.isSame($0.name, member.key) }
            }
            guard !members.isEmpty else { return }
            content = .object(members)
        }
        let type = Self.preferred(body.types, for: content, context)
        if type == "multipart/form-data", let members = content.object {
            let form = try MultipartForm(members, files: body.files, blobs: context.blobs, at: place)
            call.request.headers["Content-Type"] = form.contentType
            call.request.body = form.bytes
            return
        }
        if let type { call.request.headers["Content-Type"] = type }
        if type == "application/x-www-form-urlencoded" { content = context.plannedForm(content) }
        try call.setBody(content, blobs: context.blobs, at: place)
    }

    /// The content type for a body: the best match among those of the operation.
    private static func preferred(
        _ types: [String], for content: Value, _ context: FunctionContext
    ) -> String? {
        if let unknown = context.graph.plan?.unknowns.unknown(of: content.string ?? ""), unknown.shape != .text {
            let text = preferred(types, for: "") ?? "text/plain; charset=utf-8"
            let data = preferred(types, for: [:]) ?? "application/json"
            guard text != data else { return text }
            let choice = "if type == \"string\" then \(Value.string(text).json()) else \(Value.string(data).json()) end"
            return context.graph.plannedToken("contentType", .text, computed: choice, from: content)
        }
        return preferred(types, for: content)
    }

    private static func preferred(_ types: [String], for content: Value) -> String? {
        let known = types.filter { !$0.contains("*") }
        guard content.string == nil else { return known.first { !ContentType.isJSON($0) } ?? known.first }
        return known.first(where: ContentType.isJSON)
            ?? known.first { $0 == "application/x-www-form-urlencoded" || $0 == "multipart/form-data" } ?? known.first
    }

    private func unknown(_ name: String) -> OpenAPIError {
        let names = parameters.map(\.name) + (body.map { [$0.name] } ?? [])
        return OpenAPIError(
            "the operation has no parameter '\(PlainText.exact(name, limit: 100))'",
            hint: Diagnostic.didYouMean(name, among: names)
                ?? (names.isEmpty ? "it has none" : "it has \(names.quoted)"),
            member: "parameters")
    }

    /// The name under which a parameter is given; an exact match comes first.
    private func value(of name: String, in given: [String]) -> String? {
        given.contains(name) ? name : given.first { Self.isSame(name, $0) }
    }

    /// Whether both are the same name; case does not matter, as in header fields.
    private static func isSame(_ declared: String, _ given: String) -> Bool {
        declared == given || declared.lowercased() == given.lowercased()
    }
}
