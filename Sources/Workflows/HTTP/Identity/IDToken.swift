import Foundation

/// What an id token says about who signed in.
///
/// It comes straight from the token endpoint, over the same connection that proves who the service is, so that its
/// signature proves nothing more (OpenID Connect Core, section 3.1.3.7).
struct IDToken: Sendable {
    private let claims: Object

    /// Reads the claims; nil where the text is no token.
    init?(_ token: Secret) {
        guard let claims = JSONWebToken.claims(of: token) else { return nil }
        self.claims = claims
    }

    /// The tenant's id.
    var tenant: String? { text("tid") }
    /// The person's id in that tenant.
    var objectID: String? { text("oid") ?? text("sub") }
    /// The person's name for signing in.
    var username: String? { text("preferred_username") ?? text("upn") ?? text("email") }
    /// The person's name.
    var name: String? { text("name") }
    /// What this client made up for this sign-in, so that no other one's answer is taken for it.
    var nonce: String? { text("nonce") }
    /// Which client the token is for.
    var audience: String? { text("aud") }

    private func text(_ name: String) -> String? {
        guard let text = claims[name]?.string, !text.isEmpty else { return nil }
        return text
    }
}
