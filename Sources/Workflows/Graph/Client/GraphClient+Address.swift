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
                .invalidInput, message: "'\(PlainText.line(path, limit: 200))' is not a path of the service: \(why).",
                hint: "A path looks like /me/messages?$top=5.")
        }
        var rest = path.trimmed
        guard !rest.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw refusal("it contains a control character")
        }
        if rest.contains("://"), rest.prefix(while: { $0 != "/" && $0 != "?" }).hasSuffix(":") {
            guard let url = URL(string: rest), Origin(url) == Origin(base), url.user() == nil, url.password() == nil,
                rest.lowercased().hasPrefix(base.absoluteString.lowercased() + "/")
            else {
                throw GraphError(
                    .invalidInput,
                    message:
                        "'\(PlainText.line(rest, limit: 200))' is not at \(base.absoluteString), and the token must "
                        + "not go elsewhere.")
            }
            rest = String(rest.dropFirst(base.absoluteString.count))
        }
        while rest.hasPrefix("/") { rest.removeFirst() }
        let version = (base.path().split(separator: "/").last.map(String.init) ?? "") + "/"
        if rest.hasPrefix(version), version.count > 1 { rest.removeFirst(version.count) }
        let segments = rest.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        guard !segments.contains(where: { [".", ".."].contains(String($0).percentDecoded ?? "") }) else {
            throw refusal("it leads out of the service")
        }
        guard let url = URL(string: "\(base.absoluteString)/\(rest.encodedForAddress)"), Origin(url) == Origin(base)
        else {
            throw refusal("it is not a valid address")
        }
        return url
    }
}

extension String {
    /// Encodes what an address cannot have, such as # in a guest's user principal name; existing encodings stay.
    fileprivate var encodedForAddress: String {
        let parts = split(separator: "%", omittingEmptySubsequences: false)
        let encoded = parts.map { $0.description.percentEncoded(keeping: "/?:@!$&'()*+,;=") }
        guard let first = encoded.first else { return "" }
        return zip(parts, encoded).dropFirst().reduce(into: first) { text, part in
            text += (part.0.prefix(2).count { $0.isHexDigit && $0.isASCII } == 2 ? "%" : "%25") + part.1
        }
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
