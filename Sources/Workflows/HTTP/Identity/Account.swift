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
