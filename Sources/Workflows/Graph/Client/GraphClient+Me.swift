public import Promises

extension GraphClient {
    /// Gets the signed-in user, or another one.
    ///
    /// - Parameters:
    ///   - user: An id or user principal name; nil for the signed-in user.
    ///   - select: The properties to get; none for Graph's default.
    public func me(user: String? = nil, select: [String] = []) -> Promise<User> {
        let name = symbol("me")
        return json {
            var path = try GraphPath(user: user)
            // Without these three a user would have neither an id, nor a name, nor an address.
            let always = ["id", "displayName", "mail", "userPrincipalName"]
            if !select.isEmpty {
                let names = select + always.filter { !select.contains($0) }
                path = path.adding(query: "$select", names.joined(separator: ","))
            }
            return GraphRequest(
                "me", .read, user == nil ? .me : .users, "GET", path, headers: ["Accept": "application/json"],
                example: .json(
                    200,
                    [
                        "id": "‹\(name).id›", "displayName": "‹\(name).displayName›", "mail": "‹\(name).mail›",
                        "userPrincipalName": "‹\(name).userPrincipalName›",
                    ]))
        } as: { answer throws(GraphError) in
            try User(answer)
        }
    }
}

extension Permissions {
    /// The permissions to get the signed-in user.
    package static let me = Permissions(delegated: ["User.Read"], application: ["User.ReadBasic.All"])
    /// The permissions to get any other user.
    package static let users = Permissions(delegated: ["User.ReadBasic.All"], application: ["User.ReadBasic.All"])
}
