/// An access token for Microsoft Graph, in a dedicated type that keeps it out of texts.
///
/// Printing, dumping, reflecting or describing it shows a drawing, interpolating it causes a warning, and it cannot be
/// encoded. The secret leaves it only as a request's header.
public struct AccessToken: Sendable {
    package let secret: Secret

    /// Creates a token from the text issued by the sign-in service; surrounding white space is ignored.
    public init(_ secret: String) {
        var secret = Substring(secret)
        while let first = secret.first, first.isWhitespace { secret.removeFirst() }
        while let last = secret.last, last.isWhitespace { secret.removeLast() }
        self.secret = Secret(String(secret))
    }

    private var isWellFormed: Bool {
        !secret.isEmpty && secret.revealed.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Adds the token to a request's headers; the secret leaves this type in no other way.
    package func authorize(_ headers: inout HTTPHeaders) throws(CredentialError) {
        guard isWellFormed else { throw CredentialError.malformedToken }
        headers["Authorization"] = "Bearer \(secret.revealed)"
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A drawing, never the secret.
    public var description: String { Drawing.named("access token") }

    /// A drawing, never the secret.
    public var debugDescription: String { description }

    /// A mirror without children, so `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension String.StringInterpolation {
    /// Writes the drawing, with a warning, because interpolating a token is always a mistake.
    @available(*, deprecated, message: "a token must not be written into a string")
    public mutating func appendInterpolation(_ token: AccessToken) {
        appendLiteral(token.description)
    }
}

extension AccessToken {
    /// The permissions that the token claims; nil if they cannot be read.
    ///
    /// Only the service can verify them, so they serve as advice. A delegated token lists them in `scp`, an
    /// application's own token in `roles`.
    package var claimedPermissions: (names: [String], isApplication: Bool)? {
        guard let claims = JSONWebToken.claims(of: secret) else { return nil }
        if let scopes = claims["scp"]?.string { return (scopes.split(separator: " ").map(String.init), false) }
        guard let roles = claims["roles"]?.array else { return nil }
        return (roles.compactMap(\.string), true)
    }

    package var claimedUser: String? {
        guard let claims = JSONWebToken.claims(of: secret) else { return nil }
        return claims["upn"]?.string ?? claims["preferred_username"]?.string
    }

    /// The object id of the user, or of the application; nil if it cannot be read.
    package var claimedObjectID: String? { JSONWebToken.claims(of: secret)?["oid"]?.string }

    package var isOfApplication: Bool? {
        JSONWebToken.claims(of: secret)?["idtyp"]?.string.map { $0 == "app" } ?? claimedPermissions?.isApplication
    }
}

/// A signed-in account.
public struct Account: Sendable, Hashable {
    /// The id that is the same in every tenant: `uid.utid`.
    public let homeAccountID: String
    /// The sign-in host's name.
    public let environment: String
    /// The tenant's id.
    public let tenant: String
    /// The user principal name; empty if unknown.
    public let username: String
    /// The display name; nil if unknown.
    public let name: String?
    /// The object id in the tenant; nil if unknown.
    package var objectID: String?

    package func isNamed(_ text: String) -> Bool {
        username.lowercased() == text.lowercased() || homeAccountID.lowercased() == text.lowercased()
    }
}
