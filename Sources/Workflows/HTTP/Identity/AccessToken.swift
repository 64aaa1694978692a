import Foundation

/// What Microsoft Graph takes as proof of who asks; a type of its own, so that it never ends in a text by accident.
///
/// It has no representation: printing, dumping, reflecting or describing it shows a placeholder, writing it into a string
/// is warned about, and it cannot be encoded. The secret leaves it in one way only, as a request's header.
public struct AccessToken: Sendable {
    /// The token's text, for the token cache.
    package let secret: Secret

    /// Creates a token from the text that the sign-in service gave; white space around it does not count.
    public init(_ secret: String) {
        var secret = Substring(secret)
        while let first = secret.first, first.isWhitespace { secret.removeFirst() }
        while let last = secret.last, last.isWhitespace { secret.removeLast() }
        self.secret = Secret(String(secret))
    }

    /// Whether a header can carry it: visible ASCII only, and at least one character.
    private var isWellFormed: Bool {
        !secret.isEmpty && secret.revealed.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Puts the token into a request's headers: the only way in which the secret leaves this type.
    package func authorize(_ headers: inout HTTPHeaders) throws(CredentialError) {
        guard isWellFormed else { throw CredentialError.malformedToken }
        headers["Authorization"] = "Bearer \(secret.revealed)"
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder, never the secret.
    public var description: String { "‹access token›" }

    /// A placeholder, never the secret.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension String.StringInterpolation {
    /// Writes the placeholder, and warns: whoever writes a token into a text means something else.
    @available(*, deprecated, message: "a token does not belong into a text")
    public mutating func appendInterpolation(_ token: AccessToken) {
        appendLiteral(token.description)
    }
}

extension AccessToken {
    /// The permissions that the token itself says it carries; nil where it says nothing that can be read.
    ///
    /// Only the service can tell whether that is true, so it is good for advice and for nothing else. A token for a
    /// signed-in user names its permissions in `scp`, a program's own in `roles`.
    package var claimedPermissions: (names: [String], isApplication: Bool)? {
        guard let claims = JSONWebToken.claims(of: secret) else { return nil }
        if let scopes = claims["scp"]?.string { return (scopes.split(separator: " ").map(String.init), false) }
        guard let roles = claims["roles"]?.array else { return nil }
        return (roles.compactMap(\.string), true)
    }
}

/// A person who signed in.
public struct Account: Sendable, Hashable {
    /// The id that stays the same in every tenant: `uid.utid`.
    public let homeAccountID: String
    /// The sign-in host's name.
    public let environment: String
    /// The tenant's id.
    public let tenant: String
    /// The user principal name; empty where nobody said.
    public let username: String
    /// The name; nil where nobody said.
    public let name: String?

    /// Whether a text names this account: its user principal name or its id.
    package func isNamed(_ text: String) -> Bool {
        username.lowercased() == text.lowercased() || homeAccountID.lowercased() == text.lowercased()
    }
}
