/// An application that authenticates with a token in a file, as Kubernetes and CI services provide it.
///
/// The file is read whenever a new token is needed, because it is replaced before its token expires.
public struct WorkloadIdentityCredential: GrantingCredential {
    private static let largestFile = 1_000_000

    private let tokens: ApplicationTokens

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - clientID: The application's id.
    ///   - tokenFile: The file with the token, as in `AZURE_FEDERATED_TOKEN_FILE`.
    ///   - platform: The issuer of the tokens; its authority has to be a single tenant.
    public init(clientID: String, tokenFile: URL, on platform: IdentityPlatform) {
        tokens = ApplicationTokens(platform, clientID: clientID, source: "the workload's identity") { _, _ in
            Promise { resolver in resolver.fulfill(.assertion(try Self.read(tokenFile))) }
        }
    }

    /// Gets a token and its properties; scopes are ignored, because an administrator granted the permissions.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> { tokens.grant(for: need) }

    private static func read(_ file: URL) throws(CredentialError) -> Secret {
        let shown = PlainText.line(file.path, limit: 300)
        guard let data = try? Data(contentsOf: file), data.count <= largestFile else {
            throw CredentialError(
                .misconfigured, "The token file '\(shown)' cannot be read: check AZURE_FEDERATED_TOKEN_FILE.")
        }
        let text = String(decoding: data, as: UTF8.self).trimming(\.isWhitespace)
        guard !text.isEmpty else { throw CredentialError(.misconfigured, "The token file '\(shown)' is empty.") }
        return Secret(text)
    }
}
