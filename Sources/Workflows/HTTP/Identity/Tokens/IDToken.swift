import Essentials

/// A token from the token endpoint, whose authenticated connection makes verifying the signature needless.
///
/// Specification: OpenID Connect Core, section 3.1.3.7.
struct IDToken: Sendable {
    private let claims: Object

    init?(_ token: Secret) {
        guard let claims = JSONWebToken.claims(of: token) else { return nil }
        self.claims = claims
    }

    var tenant: String? { text("tid") }
    var objectID: String? { text("oid") ?? text("sub") }
    var username: String? { text("preferred_username") ?? text("upn") ?? text("email") }
    var name: String? { text("name") }
    /// A random value that ties the response to this sign-in.
    var nonce: String? { text("nonce") }
    var audience: String? { text("aud") }

    private func text(_ name: String) -> String? {
        guard let text = claims[name]?.string, !text.isEmpty else { return nil }
        return text
    }
}
