private struct UsersParameters: FunctionParameters {
    @Parameter("What a name, first name, last name or address begins with.") var startsWith: String?
    @Parameter("What a word of a name, or an address, begins with.") var search: String?
    @Parameter("A filter of OData: department eq 'Sales'.") var filter: String?
    @Parameter("The properties to get; id, name and addresses are always included.", schema: FunctionSchema.names)
    var select: [String]?
    @Parameter(
        "How many people at most; with 'all', how many per page. Default: 100.",
        schema: FunctionSchema.number(upTo: GraphClient.largestUserPage))
    var top: Value?
    @Parameter("Whether to read all pages.") var all = false
}

extension Function {
    static let users = Function(
        "users", summary: "Finds people of the organisation, by the beginning of a name, by words, or by a filter.",
        input: UsersParameters.self,
        output: [
            "type": "array",
            "items": FunctionSchema.person(),
            "description": "The people, in Graph's order.",
        ],
        requests: { [ExpectedRequest("GET", "users" + $0.queryOptions(["select", "filter"]))] }, effect: .read,
        exclusive: Exclusive(
            "users-query", ["startsWith", "search", "filter"], hint: "put both conditions into one 'filter'"),
        body: { with, context in
            let query =
                with.startsWith.map(UserQuery.startsWith) ?? with.search.map(UserQuery.search)
                ?? with.filter.map(UserQuery.filter) ?? .everyone
            return context.graph.users(
                query, select: with.select ?? [], top: with.top?.integer,
                unknownTop: with.top?.string, all: with.all
            ).map(on: nil) { .array($0.map(\.value)) }
        })
}
