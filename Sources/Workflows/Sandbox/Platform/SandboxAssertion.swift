/// A JSON Web Token of an application; its signature is not checked, because the sandbox knows no application's key.
struct SandboxAssertion {
    enum Kind {
        case certificate
        case federated
    }

    private let header: Object
    private let claims: Object

    init(_ text: String) throws(SandboxSignInError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty, let header = Self.object(parts[0]),
            let claims = Self.object(parts[1]), Self.data(parts[2]) != nil
        else {
            throw SandboxSignInError(
                "invalid_request", 50_027, "JWT token is invalid or malformed.")
        }
        self.header = header
        self.claims = claims
    }

    /// - Parameters:
    ///   - audiences: The accepted audiences.
    ///   - date: The platform's time.
    func check(application: String, audiences: Set<String>, at date: Date) throws(SandboxSignInError) -> Kind {
        let issuer = claims["iss"]?.string ?? ""
        let subject = claims["sub"]?.string ?? ""
        let audience = claims["aud"]?.string ?? claims["aud"]?[0]?.string ?? ""
        let kind = issuer.contains("://") ? Kind.federated : .certificate
        let algorithm = header["alg"]?.string ?? ""
        guard ["PS256", "RS256"].contains(algorithm) else {
            throw Self.refused(5_002_738, "The algorithm '\(algorithm)' of the client assertion is not supported.")
        }
        switch kind {
        case .federated:
            guard !subject.isEmpty else {
                throw Self.refused(
                    700_213, "No matching federated identity record found for presented assertion subject.")
            }
            guard audience == "api://AzureADTokenExchange" else {
                throw Self.refused(
                    700_212,
                    "No matching federated identity record found for presented assertion audience '\(audience)'.")
            }
        case .certificate:
            guard hashLength("x5t#S256") == 32 || hashLength("x5t") == 20
            else {
                throw Self.refused(
                    700_027,
                    "Client assertion failed signature validation: the header names no certificate by its hash.")
            }
            guard issuer.lowercased() == application, subject.lowercased() == application else {
                throw Self.refused(
                    700_021, "Client assertion application identifier doesn't match 'client_id' parameter.")
            }
            guard audiences.contains(audience) else {
                throw Self.refused(700_023, "Client assertion audience claim does not match Realm issuer.")
            }
            guard claims["jti"]?.string?.isEmpty == false else {
                throw Self.refused(50_027, "JWT token is invalid or malformed: it has no 'jti'.")
            }
        }
        let now = date.timeIntervalSince1970
        // Clocks may differ by five minutes.
        guard let end = claims["exp"]?.double, end > now - 300, (claims["nbf"]?.double ?? 0) < now + 300 else {
            throw Self.refused(
                700_024,
                "Client assertion is not within its valid time range. Current time: \(SandboxClock.timestamp(date)).")
        }
        return kind
    }

    /// The length of a certificate's hash in the header; some clients pad it.
    private func hashLength(_ name: String) -> Int? {
        header[name]?.string.flatMap { Self.data($0.split(separator: "=").first ?? "") }?.count
    }

    private static func refused(_ code: Int, _ message: String) -> SandboxSignInError {
        SandboxSignInError("invalid_client", code, message, status: 401)
    }

    private static func object(_ part: Substring) -> Object? {
        guard let data = data(part), !SandboxBodySchema.isTooDeep(data) else { return nil }
        return (try? Value(json: data))?.object
    }

    private static func data(_ part: Substring) -> Data? {
        guard part.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil else { return nil }
        let padded = String(part) + String(repeating: "=", count: (4 - part.count % 4) % 4)
        return Data(base64Encoded: padded.replacing("-", with: "+").replacing("_", with: "/"))
    }
}
