import Foundation

/// A request as `call: http` describes it, after its expressions.
///
/// Specification: dsl-reference.md, "HTTP Call".
struct HTTPCall: Sendable {
    /// What is returned of an answer.
    enum Output: String, Sendable, CaseIterable {
        /// The content in base64.
        case raw
        /// The content, deserialised where it is known how.
        case content
        /// The answer with its status, its header fields and its content.
        case response
    }

    /// The method as the file writes it, which is how the answer's description gives it back.
    var method: String
    /// The request without anything that proves who asks.
    var request: HTTPRequest
    /// What is returned.
    var output = Output.content
    /// Whether an answer that redirects is no error.
    var acceptsRedirects = false
    /// What a dry run takes for the content; nil for a symbol.
    var example: Value?

    init(method: String, request: HTTPRequest) {
        self.method = method
        self.request = request
    }

    /// Reads the arguments of a call.
    /// - Parameter allowsSymbols: Whether symbols may stand in an address for what is not known yet.
    init(_ input: Value, blobs: BlobStore, allowsSymbols: Bool = false) throws {
        let arguments = try Arguments(input)
        method = try arguments.required("method")
        guard HTTPHead.isToken(method), method.uppercased() != "CONNECT" else {
            throw FunctionError("'\(PlainText.line(method, limit: 50))' is no HTTP method", at: JSONPointer(["method"]))
        }
        guard let endpoint = arguments["endpoint"], let address = (endpoint["uri"] ?? endpoint).string else {
            throw FunctionError(
                "must be an address, but is a \((arguments["endpoint"]?["uri"] ?? .null).typeName)",
                at: JSONPointer(["endpoint"]))
        }
        let query = try Self.pairs(arguments["query"], at: JSONPointer(["query"]))
        let url =
            try (allowsSymbols ? Self.symbolicAddress(address, query: query) : nil)
            ?? Self.address(address, query: query)
        request = HTTPRequest(method.uppercased(), url)
        for (name, value) in arguments["headers"]?.object ?? [:] {
            try setHeader(name, value, at: JSONPointer(["headers", name]))
        }
        if let body = arguments["body"] { try setBody(body, blobs: blobs, at: JSONPointer(["body"])) }
        output = try arguments.choice("output", of: Output.self) ?? .content
        acceptsRedirects = try arguments.flag("redirect") ?? false
    }

    /// Sets a header field, where there is a value for it.
    mutating func setHeader(_ name: String, _ value: Value, at place: JSONPointer) throws(FunctionError) {
        guard !value.isNull else { return }
        do throws(FunctionError) { try Self.checkHeader(name) } catch { throw error.at(place) }
        let text = try value.scalarText(at: place)
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7f }) else {
            throw FunctionError("has characters that no header field can have, such as a line's end", at: place)
        }
        request.headers[name] = text
    }

    /// Refuses names that no header field has, and fields that the connection sets by itself.
    static func checkHeader(_ name: String) throws(FunctionError) {
        guard HTTPHead.isToken(name) else {
            throw FunctionError("'\(PlainText.line(name, limit: 50))' cannot be the name of a header field")
        }
        let reserved = [
            "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding",
            "upgrade",
        ]
        guard !reserved.contains(name.lowercased()) else {
            throw FunctionError("'\(name)' is set by the connection itself", hint: "leave it out")
        }
    }

    /// The address that a text stands for; a request goes to no other than these.
    static func address(
        _ text: String, query: [(name: String, value: String)] = []
    ) throws(HTTPCallError) -> URL {
        let shown = PlainText.line(text.prefix { $0 != "?" }.description, limit: 200)
        guard var parts = URLComponents(string: text.trimmingCharacters(in: .whitespaces)),
            let scheme = parts.scheme?.lowercased()
        else {
            throw .address("'\(shown)' is no address", hint: "an address looks like https://api.contoso.com/orders")
        }
        guard scheme == "https" || scheme == "http" else {
            throw .address("'\(shown)' is no address of HTTP", hint: "it begins with https://")
        }
        guard parts.user == nil, parts.password == nil else {
            throw .address(
                "an address must hold no user and no password", hint: "name them in 'endpoint.authentication.basic'")
        }
        parts.fragment = nil
        if !query.isEmpty {
            let added = query.map { "\($0.name.percentEncoded())=\($0.value.percentEncoded())" }
            let given = parts.percentEncodedQuery.flatMap { $0.isEmpty ? nil : [$0] } ?? []
            parts.percentEncodedQuery = (given + added).joined(separator: "&")
        }
        guard let url = parts.url, let origin = Origin(url) else {
            throw .address("'\(shown)' names no host", hint: "an address looks like https://api.contoso.com/orders")
        }
        guard origin.isPrivate else {
            throw .address(
                "plain http goes unencrypted, and is allowed to this machine only: \(origin)", hint: "use https")
        }
        return url
    }

    /// The address that a text stands for of which only a symbol is known, or its beginning is; nil for any other.
    private static func symbolicAddress(_ text: String, query: [(name: String, value: String)]) -> URL? {
        guard text.contains("‹") else { return nil }
        let escaped = text.replacing(#/‹.*?›/#) { String($0.output).percentEncoded() }
        if (try? address(escaped)) != nil { return try? address(escaped, query: query) }
        guard var parts = URLComponents(string: escaped) else { return nil }
        let added = query.map { "\($0.name.percentEncoded())=\($0.value.percentEncoded())" }
        if !added.isEmpty { parts.percentEncodedQuery = added.joined(separator: "&") }
        return parts.url
    }

    /// Names with texts: of an array each element for itself, of null nothing.
    static func pairs(
        _ value: Value?, at place: JSONPointer
    ) throws(FunctionError) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for (name, value) in value?.object ?? [:] {
            for (position, element) in (value.array ?? [value]).enumerated() where !element.isNull {
                let inside = place.appending(name)
                let place = value.array == nil ? inside : inside.appending(position)
                pairs.append((name, try element.scalarText(at: place)))
            }
        }
        return pairs
    }
}
