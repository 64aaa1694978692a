/// A user of the organisation, as Graph describes one.
public struct User: Sendable, Hashable {
    static let unnamed = "Mysterious Stranger"

    /// The id.
    public let id: String
    /// The name; `Mysterious Stranger` if Graph has none.
    public let displayName: String
    /// The mail address: `mail`, else the user principal name; nil if neither was requested.
    public let email: String?
    /// Graph's complete description, with `email` and `displayName` as above.
    public let value: Value

    init(_ answer: Value) throws(GraphError) {
        id = try answer.id(of: "user")
        var members = answer.object ?? [:]
        displayName = Self.text(members["displayName"]) ?? Self.unnamed
        email = Self.text(members["mail"]) ?? Self.text(members["userPrincipalName"])
        members["displayName"] = .string(displayName)
        members["email"] = email.map(Value.string) ?? .null
        value = .object(members)
    }

    /// A property as Graph returned it; nil if it is not in the answer.
    public subscript(name: String) -> Value? { value[name] }

    private static func text(_ value: Value?) -> String? {
        guard let text = value?.string, !text.isEmpty else { return nil }
        return text
    }
}
