/// How a call proves who asks.
///
/// Specification: dsl-reference.md, "Authentication".
public struct Authentication: Sendable {
    /// The ways of proving it.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
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
    public enum Properties: Sendable {
        /// In the file, with expressions in them.
        case inline(Template)
        /// In a secret of that name.
        case secret(String)
    }

    /// The way of proving it.
    public var scheme: Scheme
    /// The user name, the token, or whatever else the scheme needs.
    public var properties: Properties
    /// Where the properties stand.
    public var pointer: JSONPointer

    /// An authentication as a call names it.
    public indirect enum Reference: Sendable {
        /// One of `use.authentications`.
        case named(String, JSONPointer)
        /// One of the call's own.
        case own(Authentication)
    }
}
