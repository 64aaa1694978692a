extension GraphClient {
    package static let largestUserPage = 999

    /// Finds users of the organisation.
    ///
    /// - Parameters:
    ///   - query: Which users to find.
    ///   - select: The properties to get; empty for Graph's default. Id, name and addresses are always included.
    ///   - top: The maximum number of users, from 1 to 999, or with `all` the page size; nil for Graph's default, 100.
    ///   - all: Whether to read all pages.
    /// - Returns: The users, in Graph's order.
    public func users(
        _ query: UserQuery = .everyone, select: [String] = [], top: Int? = nil, all: Bool = false
    ) -> Promise<[User]> {
        users(query, select: select, top: top, unknownTop: nil, all: all)
    }

    /// - Parameters:
    ///   - unknownTop: The token for the number of users if a plan does not know it.
    ///   - permissions: The permissions to request, with which some properties may be null; nil for those that the
    ///     properties need.
    package func users(
        _ query: UserQuery, select: [String], top: Int?, unknownTop: String?, all: Bool,
        permissions: Permissions? = nil
    ) -> Promise<[User]> {
        let answer = plannedAnswer("users", isElement: true)
        let list = plannedAnswer("users.page")
        return pages {
            if let top, !(1...Self.largestUserPage).contains(top) {
                throw GraphError(
                    .invalidInput, message: "'top' must be from 1 to \(Self.largestUserPage), but is \(top).",
                    hint: "To get all users, set 'all'.")
            }
            var path = try query.added(to: .users)
            let always = ["id", "displayName", "mail", "userPrincipalName"]
            path = adding(select, and: always, to: path)
            if let unknownTop {
                path = path.adding(query: "$top", unknownTop)
            } else if let top = top ?? (all ? Self.largestUserPage : nil) {
                path = path.adding(query: "$top", String(top))
            }
            var request = GraphRequest(
                "users", .read, "GET", path, headers: query.headers,
                example: .json(
                    200,
                    .members([
                        ("@odata.nextLink", plannedNextPage(list)),
                        (
                            "value",
                            [
                                [
                                    "id": .string(answer("id", .text)), "displayName": .string(answer("displayName")),
                                    "mail": .string(answer("mail")),
                                    "userPrincipalName": .string(answer("userPrincipalName")),
                                ]
                            ]
                        ),
                    ])))
            request.permissions = permissions
            return request
        } upTo: {
            all ? nil : top ?? 100
        } as: { user throws(GraphError) in
            try User(user)
        }
    }

    /// Finds the users whose name or address begins with a text.
    public func users(startsWith prefix: String, top: Int? = nil) -> Promise<[User]> {
        users(.startsWith(prefix), top: top)
    }
}

extension GraphPath {
    fileprivate static let users = GraphPath(literal: "users")
}

extension GraphClient {
    /// Adds the selected properties and the required ones; if a plan does not know one, the whole list is unknown.
    func adding(_ select: [String], and always: [String], to path: GraphPath) -> GraphPath {
        guard !select.isEmpty else { return path }
        let names = select + always.filter { !select.contains($0) }
        let isKnown = plan == nil || !select.contains(where: UnknownTokens.isIn(_:))
        let text =
            isKnown
            ? names.joined(separator: ",")
            : plannedToken(
                "select", .text, computed: "(.[0] | flatten) as $own | $own + (.[1] - $own) | join(\",\")",
                from: [.array(select.map(Value.string)), .array(always.map(Value.string))])
        return path.adding(query: "$select", text)
    }
}
