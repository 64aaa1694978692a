/// How a call authenticates.
///
/// Specification: dsl-reference.md, "Authentication".
package struct Authentication: Sendable {
    package enum Scheme: String, Sendable, Hashable, CaseIterable {
        case basic
        case bearer
        /// A user name and a digest of the password.
        case digest
        case oauth2
        /// OAuth 2 with a server that publishes its endpoints.
        case oidc
    }

    package enum Properties: Sendable {
        case inline(Template)
        case secret(String)
    }

    package var scheme: Scheme
    package var properties: Properties
    package var pointer: JSONPointer

    package indirect enum Reference: Sendable {
        /// The name of one of `use.authentications`.
        case named(String, JSONPointer)
        case own(Authentication)
    }
}
