enum SandboxRedirect {
    /// Whether the address is registered; a loopback address matches at any port, others exactly.
    static func isRegistered(_ uri: String, among registered: [String]) -> Bool {
        guard uri.utf8.count <= 2_048, uri.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return false }
        return registered.contains { matches(uri, $0) }
    }

    private static func matches(_ uri: String, _ registered: String) -> Bool {
        guard let known = URLComponents(string: registered), known.scheme == "http",
            ["localhost", "127.0.0.1"].contains(known.host)
        else { return uri == registered }
        guard let given = URLComponents(string: uri) else { return false }
        return given.scheme == "http" && given.host == known.host && given.user == nil && given.password == nil
            && given.fragment == nil && given.query == known.query
            && path(given) == path(known)
    }

    private static func path(_ components: URLComponents) -> String {
        components.percentEncodedPath.isEmpty ? "/" : components.percentEncodedPath
    }

    static func response(
        to uri: String, _ mode: SandboxAuthorization.Mode, _ fields: [(String, String)]
    ) -> HTTPResponse {
        // The platform adds a path to an address registered without one.
        var target = uri
        if let components = URLComponents(string: uri), components.scheme == "http", components.path.isEmpty,
            components.query == nil
        {
            target += "/"
        }
        let encoded = fields.map { "\($0.0)=\($0.1.percentEncoded())" }.joined(separator: "&")
        switch mode {
        case .formPost: return SandboxSignInPage.post(to: target, fields)
        case .query: target += (target.contains("?") ? "&" : "?") + encoded
        case .fragment: target += "#" + encoded
        }
        return HTTPResponse(status: 302, headers: ["Location": target])
    }
}
