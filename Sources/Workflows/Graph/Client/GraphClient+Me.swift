extension GraphClient {
    /// Gets the signed-in user, or another one.
    ///
    /// - Parameters:
    ///   - user: An id or user principal name; nil for the signed-in user.
    ///   - select: The properties to get; empty for Graph's default.
    public func me(user: String? = nil, select: [String] = []) -> Promise<User> {
        let answer = plannedAnswer("me")
        return json {
            var path = try GraphPath(user: user)
            // Without these a user would lack an id, a name or an address.
            let always = ["id", "displayName", "mail", "userPrincipalName"]
            path = adding(select, and: always, to: path)
            return GraphRequest(
                "me", .read, "GET", path, headers: ["Accept": "application/json"],
                example: .json(
                    200,
                    [
                        "id": .string(answer("id", .text)), "displayName": .string(answer("displayName")),
                        "mail": .string(answer("mail")),
                        "userPrincipalName": .string(answer("userPrincipalName")),
                    ]))
        } as: { user throws(GraphError) in
            try User(user)
        }
    }
}
