import Foundation
public import Promises

extension GraphClient {
    /// The largest number of users on one page.
    package static let largestUserPage = 999

    /// Finds users of the organisation.
    ///
    /// - Parameters:
    ///   - query: Which users to find.
    ///   - select: The properties to get; none for Graph's default. Id, name and addresses are always included.
    ///   - top: How many users at most, from 1 to 999, or with `all` how many a page; nil for Graph's default, 100.
    ///   - all: Whether to read all pages.
    /// - Returns: The users, in Graph's order.
    public func users(
        _ query: UserQuery = .everyone, select: [String] = [], top: Int? = nil, all: Bool = false
    ) -> Promise<[User]> {
        // The brackets say that the number of users is unknown.
        let name = "\(symbol("users"))[]"
        return pages {
            if let top, !(1...Self.largestUserPage).contains(top) {
                throw GraphError(
                    .invalidInput, message: "'top' is \(top), and must be from 1 to \(Self.largestUserPage).",
                    hint: "To get all users, set 'all'.")
            }
            var path = try query.added(to: .users)
            let always = ["id", "displayName", "mail", "userPrincipalName"]
            if !select.isEmpty {
                let names = select + always.filter { !select.contains($0) }
                path = path.adding(query: "$select", names.joined(separator: ","))
            }
            if let top = top ?? (all ? Self.largestUserPage : nil) { path = path.adding(query: "$top", String(top)) }
            return GraphRequest(
                "users", .read, .users, "GET", path, headers: query.headers,
                example: .json(
                    200,
                    [
                        "value": [
                            [
                                "id": "‹\(name).id›", "displayName": "‹\(name).displayName›",
                                "mail": "‹\(name).mail›",
                                "userPrincipalName": "‹\(name).userPrincipalName›",
                            ]
                        ]
                    ]))
        } upTo: {
            all ? nil : top ?? 100
        } as: { answer throws(GraphError) in
            try User(answer)
        }
    }

    /// Finds the users whose name or address begins with a text.
    public func users(startsWith prefix: String, top: Int? = nil) -> Promise<[User]> {
        users(.startsWith(prefix), top: top)
    }
}

extension GraphPath {
    /// All users of the organisation.
    fileprivate static let users = GraphPath(literal: "users")
}
