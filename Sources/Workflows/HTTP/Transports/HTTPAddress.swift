package enum HTTPAddress {
    /// The address that a text names, with all of its characters: those that it cannot have are encoded or an error.
    package static func url(
        _ text: String, query: [(name: String, value: String)] = [], plainHosts: PlainHosts = .none
    ) throws(HTTPCallError) -> URL {
        let shown = PlainText.exact(PlainText.withoutQuery(text), limit: 200)
        func invalid() -> HTTPCallError {
            .address("'\(shown)' is not an address", hint: "an address looks like https://api.contoso.com/orders")
        }
        if let why = loss(in: text) {
            throw .address("'\(shown)' \(why)", hint: "leave it out, or encode the value: ${ .value | @uri }")
        }
        guard !text.utf8.contains(UInt8(ascii: "#")) else {
            throw .address(
                "'\(shown)' has a '#', and what follows it is never sent",
                hint: "leave it out, or write %23: ${ .value | @uri }")
        }
        let host = text.firstRange(of: "://").map { text.utf8[$0.upperBound...].prefix { !"/?".utf8.contains($0) } }
        let end = host?.endIndex ?? text.startIndex
        let path = String(text[end...]).encodedForAddress()
        var address = String(text[..<end]) + path
        guard let parts = URLComponents(string: address), let scheme = parts.scheme?.lowercased() else {
            throw invalid()
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
        guard !path.prefix(while: { $0 != "?" }).split(separator: "/").contains(where: { String($0).isDotSegment })
        else {
            throw .address("'\(shown)' has a part '.' or '..'", hint: "write the path without it")
        }
        if !query.isEmpty {
            let added = query.map { name, value in
                // In a plan, an item that is only known at run time is one token.
                UnknownTokens.isOne(name) ? name : "\(name.percentEncoded(keeping: "$"))=\(value.percentEncoded())"
            }
            if address.last != "?" { address += path.contains("?") ? "&" : "?" }
            address += added.joined(separator: "&")
        }
        guard let url = URL(string: address), let origin = Origin(url) else {
            throw .address("'\(shown)' has no host", hint: "an address looks like https://api.contoso.com/orders")
        }
        guard url.absoluteString == address, host?.contains(UInt8(ascii: "%")) != true else { throw invalid() }
        guard plainHosts.allow(origin) else {
            throw .address(
                "plain http is not encrypted, and is not allowed to \(origin)",
                hint: "use https, or allow it: --allow-http \(origin.host)")
        }
        return url
    }

    /// What an address would lose on its way, in words; nil if it loses nothing.
    package static func loss(in text: String) -> String? {
        if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            return "has a control character, such as a line break"
        }
        return text == text.trimmed ? nil : "begins or ends with a blank"
    }

    /// Where an answer redirects to; a fragment is for readers of pages, and is never sent.
    package static func target(of location: String, from url: URL) -> URL? {
        let sent = String(decoding: location.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
        return URL(string: sent.encodedForAddress(keeping: "[]"), relativeTo: url)?.absoluteURL
    }

    /// In a plan, an address that begins with an unknown gets a valid beginning; other text is unchanged.
    package static func example(_ text: String) -> String {
        UnknownTokens.isIn(String(text.prefix { !"/?#".contains($0) })) && !text.contains("://")
            ? UnknownTokens.exampleOrigin + text : text
    }
}
