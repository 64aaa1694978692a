extension HTTPRequest {
    package static let redaction = Drawing.named("redacted")
    package static let redactedBearer = "Bearer \(Drawing.named("token"))"

    /// The request with tokens, secrets and codes redacted in its header fields, query and form.
    public var redacted: HTTPRequest {
        var result = self
        result.headers = headers.redacted
        result.url = url.redacted
        result.body = redactedBody
        return result
    }

    /// The field with the id of a session, which a server makes anew each time, and which proves who asks.
    package static let sessionField = "Mcp-Session-Id"

    /// The request without the id of its session, which no plan knows.
    package var withoutSession: HTTPRequest {
        var request = self
        request.headers[Self.sessionField] = nil
        return request
    }

    package var redactedBody: Data? {
        guard let body, ContentType.essence(of: headers["Content-Type"] ?? "") == "application/x-www-form-urlencoded"
        else { return body }
        return Data(String(decoding: body, as: UTF8.self).redactedForm.utf8)
    }
}

extension URL {
    var redacted: URL {
        guard query(percentEncoded: true) != nil || user() != nil || password() != nil,
            let components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return self }
        var redacted = components
        redacted.percentEncodedQuery = components.percentEncodedQuery.map(\.redactedForm)
        redacted.user = nil
        redacted.password = nil
        return redacted.url ?? self
    }
}

extension String {
    private static let secretNames: Set<String> = [
        "access_token", "assertion", "authtoken", "client_assertion", "client_secret", "code", "code_verifier",
        "device_code",
        "id_token", "password", "refresh_token", "sig", "tempauth", "token",
    ]

    fileprivate var redactedForm: String {
        split(separator: "&", omittingEmptySubsequences: false).map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            let name = parts.first?.percentDecoded?.lowercased() ?? ""
            guard parts.count == 2, Self.secretNames.contains(name) else { return String(pair) }
            return "\(parts[0])=\(HTTPRequest.redaction.percentEncoded())"
        }.joined(separator: "&")
    }
}

extension HTTPHeaders {
    private static let secretNames: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", HTTPRequest.sessionField.lowercased(),
    ]

    /// The fields with `Bearer ‹token›` for a token, and without cookies.
    package var redacted: HTTPHeaders {
        var result = HTTPHeaders()
        for field in fields {
            guard Self.secretNames.contains(field.name.lowercased()) else {
                result.append(field.name, field.value)
                continue
            }
            let words = field.value.split(separator: " ", maxSplits: 1)
            let isBearer = words.count == 2 && words[0].lowercased() == "bearer"
            result.append(field.name, isBearer ? HTTPRequest.redactedBearer : HTTPRequest.redaction)
        }
        return result
    }
}
