extension GraphClient {
    /// Finds all matching groups of the organisation.
    ///
    /// - Parameters:
    ///   - filter: A filter of OData; nil for all groups.
    ///   - select: The properties to get; none for Graph's default. Id and name are always included.
    /// - Returns: The groups in Graph's order.
    public func groups(_ filter: String? = nil, select: [String] = []) -> Promise<[DirectoryGroup]> {
        groupList(filter, select: select).map(on: nil) { try $0.map { try DirectoryGroup($0) } }
    }

    /// Finds the groups with a name.
    public func groups(named name: String, select: [String] = []) -> Promise<[DirectoryGroup]> {
        groups(Self.filter(forName: name), select: select)
    }

    package static func filter(forName name: String) -> String {
        "displayName eq '\(name.replacing("'", with: "''"))'"
    }

    /// Finds groups, which a plan may not know.
    package func groupList(_ filter: String?, select: [String]) -> Promise<[Value]> {
        list("groups") { () throws(GraphError) in
            let path = adding(select, and: ["id", "displayName"], to: GraphPath(literal: "groups"))
            return filter.map { path.adding(query: "$filter", $0) } ?? path
        }
    }

    /// Makes a user a member of a group; a user who is one already stays one.
    ///
    /// - Parameters:
    ///   - user: An id or user principal name.
    ///   - group: The group's id.
    public func add(user: String, toGroup group: String) -> Promise<Void> {
        firstly { () throws -> Promise<Void> in
            var member = try baseURL.absoluteString + "/\(GraphPath(user: user))"
            if plan != nil, UnknownTokens.isIn(user) {
                member = plannedToken("member", .text, computed: try Self.member(of: baseURL), from: .string(user))
            }
            var request = GraphRequest(
                "addToGroup", .idempotent, "POST",
                try GraphPath(literal: "groups").adding(id: group, what: "group's id").adding("/members/$ref"),
                headers: ["Content-Type": "application/json", "Accept": "application/json"],
                body: Value.object(["@odata.id": .string(member)]).jsonData(), example: HTTPResponse(status: 204))
            request.consequences = [
                Effect(.member(.init(what: "group", group: .string(group), member: .string(user), added: true)))
            ]
            return send { request }.asVoid().recover(on: nil) { error in
                guard let error = error as? GraphError, error.status == 400,
                    RetryDecision.findsWork(of: "POST", 400, error.message)
                else { throw error }
            }
        }
    }

    /// The expression for the address of a user that is only known at run time, as ``GraphPath`` writes it.
    private static func member(of service: URL) -> String {
        let encoded = #"@uri | gsub("%40"; "@") | gsub("%21"; "!")"#
        let quoted = #""users('" + (gsub("'"; "''") | \#(encoded)) + "')""#
        return #"""
            \#(Value.string(service.absoluteString + "/").json())
              + if startswith("$") then \#(quoted) else "users/" + (\#(encoded)) end
            """#
    }
}
