/// Which users of the organisation to find.
public enum UserQuery: Sendable, Hashable {
    /// All users.
    case everyone
    /// Users whose name, first name, last name or address begins with a text.
    case startsWith(String)
    /// Users whose name has words that begin with the text's words, or whose address begins with it.
    case search(String)
    /// Users that match an OData filter, such as `department eq 'Sales'`.
    case filter(String)

    private static let prefixed = ["displayName", "givenName", "surname", "mail", "userPrincipalName"]
    private static let searched = ["displayName", "mail", "userPrincipalName"]

    /// Adds the query; the text cannot end the literal or the clause that contains it.
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

    /// Searches and filters use an eventually consistent index, which needs these fields.
    var headers: HTTPHeaders {
        switch self {
        case .everyone, .startsWith: ["Accept": "application/json"]
        case .search, .filter: ["Accept": "application/json", "ConsistencyLevel": "eventual"]
        }
    }

    private static func checked(_ text: String) throws(GraphError) -> String {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw GraphError(.invalidInput, message: "The search text is empty.", hint: "Enter at least one letter.")
        }
        guard text.utf8.count <= 1_000, !text.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            throw GraphError(
                .invalidInput,
                message: "The search text is longer than 1000 characters or contains control characters."
            )
        }
        return text
    }
}
