struct ClientCertificate: Sendable {
    /// As in MSAL, in seconds.
    private static let life = 600

    private let pair: KeyPair

    /// Reads a file in either format, on a new thread: decrypting with a password is slow by design.
    static func load(
        _ file: URL, password: Secret?, with library: Result<CryptoLibrary, SystemError> = CryptoLibrary.system
    ) -> Promise<ClientCertificate> {
        Promise { resolver in
            SystemThread.start {
                do throws(CredentialError) {
                    resolver.fulfill(try ClientCertificate(file, password ?? Secret(""), library))
                } catch {
                    resolver.reject(error)
                }
            }
        }
    }

    private init(
        _ file: URL, _ password: Secret, _ library: Result<CryptoLibrary, SystemError>
    ) throws(CredentialError) {
        let shown = PlainText.line(file.path, limit: 300)
        guard let data = try? Data(contentsOf: file) else {
            throw CredentialError(
                .misconfigured, "The certificate '\(shown)' cannot be read: check AZURE_CLIENT_CERTIFICATE_PATH.")
        }
        let library: CryptoLibrary = try Self.translating("A client certificate cannot be used") {
            () throws(SystemError) in try library.get()
        }
        pair = try Self.translating(
            "The certificate '\(shown)' cannot be used: check AZURE_CLIENT_CERTIFICATE_PATH and "
                + "AZURE_CLIENT_CERTIFICATE_PASSWORD"
        ) { () throws(SystemError) in try KeyPair(data, password: password, library) }
    }

    /// Signs the assertion that authenticates the application (RFC 7523, by PS256 of RFC 7518).
    func statement(
        of clientID: String, for endpoint: URL, at now: Date, id: [UInt8], sendsChain: Bool
    ) throws(CredentialError) -> Secret {
        let time = Int(now.timeIntervalSince1970)
        var head: Object = [
            "alg": "PS256", "typ": "JWT", "x5t#S256": .string(Base64URL.encode(pair.thumbprint)),
        ]
        if sendsChain { head["x5c"] = .array(pair.certificates.map { .string($0.base64EncodedString()) }) }
        let claims: Value = [
            "aud": .string(endpoint.absoluteString), "iss": .string(clientID), "sub": .string(clientID),
            "jti": .string(Base64URL.encode(id)), "nbf": .integer(time), "iat": .integer(time),
            "exp": .integer(time + Self.life),
        ]
        return try Self.translating("The certificate's key cannot be used") { () throws(SystemError) in
            try JSONWebToken.signed(head, claims) { text throws(SystemError) in
                try pair.key.signature(of: text, .pss)
            }
        }
    }

    private static func translating<Result>(
        _ what: String, _ body: () throws(SystemError) -> Result
    ) throws(CredentialError) -> Result {
        do throws(SystemError) { return try body() } catch {
            throw CredentialError(.misconfigured, "\(what): \(error).")
        }
    }
}
