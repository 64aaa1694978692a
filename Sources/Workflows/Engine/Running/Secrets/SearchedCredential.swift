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

/// A credential of a command outside a run, whose tokens are concealed wherever a service returns them.
package struct SearchedGrants: GrantingCredential {
    private let credential: any GrantingCredential
    private let known: KnownSecrets

    package init(_ credential: any GrantingCredential, by known: KnownSecrets) {
        self.credential = credential
        self.known = known
    }

    package func grant(for need: TokenNeed) -> Promise<TokenGrant> {
        credential.grant(for: need).map(on: nil) { grant in
            known.add(grant.token)
            return grant
        }
    }
}
