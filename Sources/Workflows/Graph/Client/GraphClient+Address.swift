extension GraphClient {
    /// The absolute address of a path; throws for one outside the service.
    /// - Parameter version: `v1.0` or `beta`; nil for the version of the service's base.
    package func address(of path: String, version: String? = nil) throws(GraphError) -> URL {
        var base = try baseURL
        if let version, base.lastPathComponent != version {
            base = base.deletingLastPathComponent().appending(path: version)
        }
        func refusal(_ why: String) -> GraphError {
            GraphError(
                .invalidInput, message: "'\(PlainText.exact(path, limit: 200))' is not a path of the service: \(why).",
                hint: "A path looks like /me/messages?$top=5.")
        }
        if let why = HTTPAddress.loss(in: path) { throw refusal("it \(why)") }
        var rest = path
        if rest.contains("://"), rest.prefix(while: { $0 != "/" && $0 != "?" }).hasSuffix(":") {
            guard let url = URL(string: rest), Origin(url) == Origin(base), url.user() == nil, url.password() == nil,
                rest.lowercased().hasPrefix(base.absoluteString.lowercased() + "/")
            else {
                throw GraphError(
                    .invalidInput,
                    message:
                        "'\(PlainText.exact(rest, limit: 200))' is not at \(base.absoluteString), and the token must "
                        + "not go elsewhere.")
            }
            rest = String(rest.dropFirst(base.absoluteString.count))
        }
        while rest.hasPrefix("/") { rest.removeFirst() }
        let version = (base.path().split(separator: "/").last.map(String.init) ?? "") + "/"
        if rest.hasPrefix(version), version.count > 1 { rest.removeFirst(version.count) }
        let encoded = rest.encodedForAddress()
        let segments = encoded.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        guard !segments.contains(where: { String($0).isDotSegment }) else {
            throw refusal("it leads out of the service")
        }
        guard let url = URL(string: "\(base.absoluteString)/\(encoded)"), Origin(url) == Origin(base)
        else {
            throw refusal("it is not a valid address")
        }
        return url
    }
}

extension GraphClient {
    /// Whether a text is an object id of the directory: 8-4-4-4-12 hexadecimal digits, or one that only a run knows.
    package static func isObjectID(_ text: String) -> Bool {
        if UnknownTokens.isOne(text) { return true }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
    }
}
