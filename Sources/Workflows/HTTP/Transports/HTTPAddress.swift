package enum HTTPAddress {
    package static func url(
        _ text: String, query: [(name: String, value: String)] = [], plainHosts: PlainHosts = .none
    ) throws(HTTPCallError) -> URL {
        let shown = PlainText.line(PlainText.withoutQuery(text), limit: 200)
        guard var parts = URLComponents(string: text.trimmed),
            let scheme = parts.scheme?.lowercased()
        else {
            throw .address("'\(shown)' is not an address", hint: "an address looks like https://api.contoso.com/orders")
        }
        guard scheme == "https" || scheme == "http" else {
            throw .address("'\(shown)' is not an HTTP address", hint: "it begins with https://")
        }
        guard parts.user == nil, parts.password == nil else {
            throw .address(
                "an address must not hold a user or a password", hint: "name them in 'endpoint.authentication.basic'")
        }
        guard HostName(parts.host ?? "").isASCII else {
            throw .address(
                "the host of '\(shown)' has characters beyond visible ASCII",
                hint: "write it as in https://xn--nda.example.com")
        }
        parts.fragment = nil
        if !query.isEmpty {
            let added = query.map { name, value in
                // In a plan, an item that is only known at run time is one token.
                UnknownTokens.isOne(name) ? name : "\(name.percentEncoded(keeping: "$"))=\(value.percentEncoded())"
            }
            let given = parts.percentEncodedQuery.flatMap { $0.isEmpty ? nil : [$0] } ?? []
            parts.percentEncodedQuery = (given + added).joined(separator: "&")
        }
        guard let url = parts.url, let origin = Origin(url) else {
            throw .address("'\(shown)' has no host", hint: "an address looks like https://api.contoso.com/orders")
        }
        guard plainHosts.allow(origin) else {
            throw .address(
                "plain http is not encrypted, and is not allowed to \(origin)",
                hint: "use https, or allow it: --allow-http \(origin.host)")
        }
        return url
    }

    /// In a plan, an address that begins with an unknown gets a valid beginning; other text is unchanged.
    package static func example(_ text: String) -> String {
        UnknownTokens.isIn(String(text.prefix { !"/?#".contains($0) })) && !text.contains("://")
            ? UnknownTokens.exampleOrigin + text : text
    }
}
