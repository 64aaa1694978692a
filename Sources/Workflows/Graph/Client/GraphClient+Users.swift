import Foundation
public import Promises

extension GraphClient {
    /// How many people one page can hold.
    package static let largestUserPage = 999

    /// Finds people of the organisation.
    ///
    /// - Parameters:
    ///   - query: Whom to look for.
    ///   - select: The properties to get; none for those that Graph gives by itself. Id, name and addresses always come.
    ///   - top: How many people at most, from 1 to 999, or with `all` how many a page; nil for what Graph has as its
    ///     default, which is 100.
    ///   - all: Whether to go on from page to page up to the end.
    /// - Returns: The people, in Graph's order.
    public func users(
        _ query: UserQuery = .everyone, select: [String] = [], top: Int? = nil, all: Bool = false
    ) -> Promise<[User]> {
        // The brackets say that nobody knows how many there are.
        let name = "\(symbol("users"))[]"
        return pages {
            if let top, !(1...Self.largestUserPage).contains(top) {
                throw GraphError(
                    .invalidInput, message: "'top' is \(top), and must be from 1 to \(Self.largestUserPage).",
                    hint: "To get everybody, ask for all.")
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

    /// Finds the people whose name or address begins with a text.
    public func users(startsWith prefix: String, top: Int? = nil) -> Promise<[User]> {
        users(.startsWith(prefix), top: top)
    }
}

extension GraphPath {
    /// All people of the organisation.
    fileprivate static let users = GraphPath(literal: "users")
}
