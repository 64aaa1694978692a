import Essentials

/// The claims of an id token.
///
/// It comes straight from the token endpoint over a connection that authenticates the service, so its signature need
/// not be verified (OpenID Connect Core, section 3.1.3.7).
struct IDToken: Sendable {
    private let claims: Object

    /// Reads the claims; nil if the text is not a token.
    init?(_ token: Secret) {
        guard let claims = JSONWebToken.claims(of: token) else { return nil }
        self.claims = claims
    }

    var tenant: String? { text("tid") }
    /// The user's id in that tenant.
    var objectID: String? { text("oid") ?? text("sub") }
    /// The user's sign-in name.
    var username: String? { text("preferred_username") ?? text("upn") ?? text("email") }
    /// The user's display name.
    var name: String? { text("name") }
    /// A random value of this sign-in, which excludes responses to other ones.
    var nonce: String? { text("nonce") }
    /// The client for which the token was issued.
    var audience: String? { text("aud") }

    private func text(_ name: String) -> String? {
        guard let text = claims[name]?.string, !text.isEmpty else { return nil }
        return text
    }
}
