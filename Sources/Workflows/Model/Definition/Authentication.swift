/// How a call authenticates.
///
/// Specification: dsl-reference.md, "Authentication".
package struct Authentication: Sendable {
    /// The authentication schemes.
    package enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// A user name and a password.
        case basic
        /// An existing token.
        case bearer
        /// A user name and a digest of the password.
        case digest
        /// A token from an authorization server.
        case oauth2
        /// The same, from a server that publishes its endpoints.
        case oidc
    }

    /// Where the properties of the scheme are.
    package enum Properties: Sendable {
        /// In the file, with expressions in them.
        case inline(Template)
        /// In the secret of that name.
        case secret(String)
    }

    package var scheme: Scheme
    /// The properties of the scheme, such as a user name or a token.
    package var properties: Properties
    /// The place of the properties in the file.
    package var pointer: JSONPointer

    /// A call's reference to an authentication.
    package indirect enum Reference: Sendable {
        /// One of `use.authentications`.
        case named(String, JSONPointer)
        /// The call's own.
        case own(Authentication)
    }
}
