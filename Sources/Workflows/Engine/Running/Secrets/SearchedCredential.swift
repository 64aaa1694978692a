import Promises

/// A credential of Microsoft Graph whose tokens are concealed wherever a service returns them.
struct SearchedCredential: Credential {
    private let credential: any Credential
    private let known: KnownSecrets

    init(_ credential: any Credential, by known: KnownSecrets) {
        self.credential = credential
        self.known = known
    }

    func token(for scopes: [String]) -> Promise<AccessToken> { searched(credential.token(for: scopes)) }

    func token(for scopes: [String], after refusal: TokenRefusal) -> Promise<AccessToken> {
        searched(credential.token(for: scopes, after: refusal))
    }

    private func searched(_ token: Promise<AccessToken>) -> Promise<AccessToken> {
        token.map(on: nil) { token in
            known.add(token)
            return token
        }
    }
}
