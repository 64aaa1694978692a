import Promises

extension Function {
    /// The members of `with` that define the search; at most one is allowed.
    private static let queries = ["startsWith", "search", "filter"]

    static let users = Function(
        "users", summary: "Finds people of the organisation, by the beginning of a name, by words, or by a filter.",
        input: FunctionSchema.object([
            "startsWith": FunctionSchema.text("What a name, first name, last name or address begins with."),
            "search": FunctionSchema.text("What a word of a name, or an address, begins with."),
            "filter": FunctionSchema.text("A filter of OData: department eq 'Sales'."),
            "select": [
                "type": "array", "items": FunctionSchema.text("The name of a property."), "uniqueItems": true,
                "description": "The properties to get; id, name and addresses are always included.",
            ],
            "top": [
                "type": "integer", "minimum": 1, "maximum": .integer(GraphClient.largestUserPage),
                "description": "How many people at most; with 'all', how many per page. Default: 100.",
            ],
            "all": [
                "type": "boolean", "default": false, "description": "Whether to read all pages.",
            ],
        ]),
        output: [
            "type": "array",
            "items": FunctionSchema.answer(
                required: ["id", "displayName", "email"],
                [
                    "id": FunctionSchema.text("The id."),
                    "displayName": FunctionSchema.text("The name, or 'Mysterious Stranger' if there is none."),
                    "email": [
                        "type": ["string", "null"],
                        "description": "The address for mail, else the user principal name.",
                    ],
                ]),
            "description": "The people, in Graph's order.",
        ],
        permissions: .users, effect: .read,
        check: { with, _ in
            let given = queries.filter { !(with[$0]?.isNull ?? true) }
            guard given.count > 1 else { return [] }
            return [
                Finding(
                    pointer: JSONPointer([given[1]]), id: "users-query",
                    message: "'\(given[0])' and '\(given[1])' cannot be given together",
                    hint: "put both conditions into one 'filter'")
            ]
        },
        body: { input, context in
            let arguments = try Arguments(input)
            return context.graph.users(
                try query(arguments), select: try arguments.texts("select"), top: arguments["top"]?.integer,
                unknownTop: context.isPlanning ? arguments["top"]?.string : nil, all: try arguments.flag("all") ?? false
            ).map(on: nil) { .array($0.map(\.value)) }
        })

    private static func query(_ arguments: Arguments) throws(FunctionError) -> UserQuery {
        var found: [UserQuery] = []
        if let prefix = try arguments.text("startsWith") { found.append(.startsWith(prefix)) }
        if let words = try arguments.text("search") { found.append(.search(words)) }
        if let filter = try arguments.text("filter") { found.append(.filter(filter)) }
        guard found.count <= 1 else {
            throw FunctionError("Only one of \(queries.joined(separator: ", ")) can be given", at: .root)
        }
        return found.first ?? .everyone
    }
}
