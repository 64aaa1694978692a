/// Which people of the organisation are looked for.
public enum UserQuery: Sendable, Hashable {
    /// Everybody.
    case everyone
    /// Those whose name, first name, last name or address begins with a text.
    case startsWith(String)
    /// Those of whose name a word begins with each word of a text, or whose address begins with it.
    case search(String)
    /// Those that an OData filter finds, such as `department eq 'Sales'`.
    case filter(String)

    /// The properties in which people are looked for.
    private static let prefixed = ["displayName", "givenName", "surname", "mail", "userPrincipalName"]
    private static let searched = ["displayName", "mail", "userPrincipalName"]

    /// The path with the query; what people wrote cannot end the literal or the clause that it is in.
    func added(to path: GraphPath) throws(GraphError) -> GraphPath {
        switch self {
        case .everyone: return path
        case .startsWith(let prefix):
            let literal = try Self.checked(prefix).replacing("'", with: "''")
            let clauses = Self.prefixed.map { "startswith(\($0),'\(literal)')" }
            return path.adding(query: "$filter", clauses.joined(separator: " or "))
        case .search(let words):
            let literal = try Self.checked(words).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            let clauses = Self.searched.map { "\"\($0):\(literal)\"" }
            return path.adding(query: "$search", clauses.joined(separator: " OR "))
        case .filter(let filter):
            return path.adding(query: "$filter", try Self.checked(filter)).adding(query: "$count", "true")
        }
    }

    /// What the query asks of the service beyond its address: what needs an index that follows changes with a delay.
    var headers: HTTPHeaders {
        switch self {
        case .everyone, .startsWith: ["Accept": "application/json"]
        case .search, .filter: ["Accept": "application/json", "ConsistencyLevel": "eventual"]
        }
    }

    private static func checked(_ text: String) throws(GraphError) -> String {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw GraphError(.invalidInput, message: "Nothing to look for was given.", hint: "Give at least a letter.")
        }
        guard text.utf8.count <= 1_000, !text.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            throw GraphError(
                .invalidInput,
                message: "What is looked for is longer than 1000 characters, or holds control characters."
            )
        }
        return text
    }
}
