/// A group of the organisation, as Graph describes one.
public struct DirectoryGroup: Sendable, Hashable {
    /// The id.
    public let id: String
    /// The name.
    public let displayName: String?
    /// The mail address; nil if the group has none, or if `mail` was not requested.
    public let mail: String?
    /// All that Graph said.
    public let value: Value

    /// Reads Graph's description of a group.
    init(_ answer: Value) throws(GraphError) {
        (id, value) = (try answer.id(of: "group"), answer)
        displayName = answer["displayName"]?.string
        mail = answer["mail"]?.string
    }

    /// A property as Graph returned it; nil if it is not in the answer.
    public subscript(name: String) -> Value? { value[name] }
}
