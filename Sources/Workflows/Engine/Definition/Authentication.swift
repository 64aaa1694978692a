/// How a call proves who asks.
///
/// Specification: dsl-reference.md, "Authentication".
package struct Authentication: Sendable {
    /// The ways of proving it.
    package enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// A user name and a password, as they are.
        case basic
        /// A token that is known already.
        case bearer
        /// A user name and a digest of the password.
        case digest
        /// A token that an authorization server gives.
        case oauth2
        /// The same, of a server that says where its endpoints are.
        case oidc
    }

    /// Where the properties of the scheme are.
    package enum Properties: Sendable {
        /// In the file, with expressions in them.
        case inline(Template)
        /// In a secret of that name.
        case secret(String)
    }

    /// The way of proving it.
    package var scheme: Scheme
    /// The user name, the token, or whatever else the scheme needs.
    package var properties: Properties
    /// Where the properties stand.
    package var pointer: JSONPointer

    /// An authentication as a call names it.
    package indirect enum Reference: Sendable {
        /// One of `use.authentications`.
        case named(String, JSONPointer)
        /// One of the call's own.
        case own(Authentication)
    }
}
