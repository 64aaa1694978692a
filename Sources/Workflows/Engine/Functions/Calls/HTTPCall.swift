/// The request of `call: http` with evaluated expressions (specification: dsl-reference.md, "HTTP Call").
struct HTTPCall: Sendable {
    enum Output: String, CaseIterable, ParameterValue {
        case raw
        /// The content, deserialised if its type is known.
        case content
        /// The response with its status, header fields and content.
        case response
    }

    /// The method as the file writes it; the output `response` returns it unchanged.
    var method: String
    var request: HTTPRequest
    var output = Output.content
    /// Whether a redirect is accepted instead of an error.
    var acceptsRedirects = false
    /// The content that a dry run assumes; nil for an unknown.
    var example: Value?

    init(method: String, request: HTTPRequest) {
        self.method = method
        self.request = request
    }

    init(
        _ input: Value, blobs: BlobStore, plan: PlanningTransport? = nil, plainHosts: PlainHosts = .none
    ) throws {
        let with = try HTTPParameters(input)
        method = with.method
        guard HTTPHead.isToken(method), method.uppercased() != "CONNECT" else {
            throw FunctionError(
                "'\(PlainText.exact(method, limit: 50))' is not an HTTP method", at: JSONPointer(["method"]))
        }
        guard let address = (with.endpoint["uri"] ?? with.endpoint).string else {
            throw FunctionError(
                "must be an address, but is a \((with.endpoint["uri"] ?? .null).typeName)",
                at: JSONPointer(["endpoint"]))
        }
        let unknownQuery = with.query.flatMap { plan?.token(ofMembers: $0, named: "query") }
        let query =
            try unknownQuery.map { [(name: $0, value: "")] } ?? Self.pairs(with.query, at: JSONPointer(["query"]))
        let url = try HTTPAddress.url(HTTPAddress.example(address), query: query, plainHosts: plainHosts)
        // An unknown in capitals would not be recognised.
        request = HTTPRequest(UnknownTokens.isIn(method) ? method : method.uppercased(), url)
        if let unknown = with.headers.flatMap({ plan?.token(ofMembers: $0, named: "headers") }) {
            request.headers[unknown] = unknown
        } else {
            let place = JSONPointer(["headers"])
            for (name, value) in try with.headers?.members(at: place) ?? [:] {
                try setHeader(name, value, at: place.appending(name))
            }
        }
        if let body = with.body {
            if let unknown = plan?.unknowns.unknown(of: body.string ?? ""), unknown.shape != .text,
                request.headers["Content-Type"] == nil
            {
                // The content type depends on whether the body is text, bytes or other data.
                let derivation = Derivation(Derivation.bodyType, input: .unknown(unknown))
                request.headers["Content-Type"] = plan?.unknowns.token(
                    for: Unknown("\(unknown.name).contentType", .text, from: .computed(derivation)))
            }
            try setBody(body, blobs: blobs, at: JSONPointer(["body"]))
        }
        output = with.output
        acceptsRedirects = with.redirect
    }

    mutating func setHeader(_ name: String, _ value: Value, at place: JSONPointer) throws(FunctionError) {
        guard !value.isNull else { return }
        do throws(FunctionError) { try Self.checkHeader(name) } catch { throw error.at(place) }
        let text = try value.scalarText(at: place)
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7f }) else {
            throw FunctionError("has characters that a header field cannot contain, such as a line break", at: place)
        }
        request.headers[name] = text
    }

    /// Refuses invalid names, and fields that the connection sets itself.
    static func checkHeader(_ name: String) throws(FunctionError) {
        guard HTTPHead.isToken(name) else {
            throw FunctionError("'\(PlainText.exact(name, limit: 50))' cannot be the name of a header field")
        }
        let reserved = [
            "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding",
            "upgrade",
        ]
        guard !reserved.contains(name.lowercased()) else {
            throw FunctionError("'\(name)' is set by the connection itself", hint: "leave it out")
        }
    }

    /// Names with texts: one for each element of an array, none for null.
    static func pairs(
        _ value: Value?, at place: JSONPointer
    ) throws(FunctionError) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for (name, value) in try value?.members(at: place) ?? [:] {
            for (position, element) in (value.array ?? [value]).enumerated() where !element.isNull {
                let inside = place.appending(name)
                let place = value.array == nil ? inside : inside.appending(position)
                pairs.append((name, try element.scalarText(at: place)))
            }
        }
        return pairs
    }
}

extension PlanningTransport {
    /// The token for an object whose members only a run knows; nil for other data.
    fileprivate func token(ofMembers data: Value, named name: String) -> String? {
        guard let unknown = data.string.flatMap({ unknowns.unknown(of: $0) }) ?? unknowns.collection(data) else {
            return nil
        }
        return unknowns.token(
            for: Unknown(name, .text, from: .computed(Derivation(".", input: .unknown(unknown)))))
    }
}
