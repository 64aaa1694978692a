/// A token from the token endpoint, whose authenticated connection makes verifying the signature needless.
///
/// Specification: OpenID Connect Core, section 3.1.3.7.
struct IDToken: Sendable {
    private let claims: Object

    init?(_ token: Secret) {
        guard let claims = JSONWebToken.claims(of: token) else { return nil }
        self.claims = claims
    }

    init(_ claims: Object) { self.claims = claims }

    var tenant: String? { text("tid") }
    var objectID: String? { directoryObjectID ?? text("sub") }
    var username: String? { principalName ?? text("email") }
    var name: String? { text("name") }
    /// A random value that ties the response to this sign-in.
    var nonce: String? { text("nonce") }
    var audience: String? { text("aud") }
    var issuer: String? { text("iss") }
    var issuedAt: Date? { claims["iat"]?.integer.map { Date(timeIntervalSince1970: Double($0)) } }
    /// The person's id in the tenant.
    var directoryObjectID: String? { text("oid") }
    /// The user principal name; an address that the person can choose does not count.
    var principalName: String? { text("preferred_username") ?? text("upn") }
    /// Whether another organization or service signed the person in; the tenant itself has two names.
    var isOfGuest: Bool {
        let own = [issuer ?? "", "https://sts.windows.net/\(tenant ?? "")/"].map(Value.string)
        return claims["acct"] == 1 || claims["idp"].map { !own.contains($0) } ?? false
    }

    private func text(_ name: String) -> String? {
        guard let text = claims[name]?.string, !text.isEmpty else { return nil }
        return text
    }
}
