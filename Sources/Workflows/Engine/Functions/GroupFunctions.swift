import Promises

extension Function {
    /// The members of `with` that define the groups; at most one is allowed.
    private static let queries = ["name", "filter"]

    static let groups = Function(
        "groups", summary: "Finds groups of the organisation, by name or by a filter.",
        input: FunctionSchema.object([
            "name": FunctionSchema.text("The group's name."),
            "filter": FunctionSchema.text("A filter of OData: startswith(displayName,'Sales')."),
            "select": [
                "type": "array", "items": FunctionSchema.text("The name of a property."), "uniqueItems": true,
                "description": "The properties to get; id and name are always included.",
            ],
        ]),
        output: [
            "type": "array",
            "items": FunctionSchema.answer(
                required: ["id", "displayName"],
                ["id": FunctionSchema.text("The id."), "displayName": FunctionSchema.text("The name.")]),
            "description": "The groups, in Graph's order.",
        ],
        permissions: .groups, effect: .read,
        check: { with, _ in
            guard queries.allSatisfy({ !(with[$0]?.isNull ?? true) }) else { return [] }
            return [
                Finding(
                    pointer: JSONPointer(["filter"]), id: "groups-query",
                    message: "'name' and 'filter' cannot be given together",
                    hint: "put the name into the filter: displayName eq 'Sales'")
            ]
        },
        body: { input, context in
            let arguments = try Arguments(input)
            let select = try arguments.texts("select")
            let (name, filter) = (try arguments.text("name"), try arguments.text("filter"))
            guard name == nil || filter == nil else {
                throw FunctionError("Only one of \(queries.joined(separator: ", ")) can be given", at: .root)
            }
            let groups = name.map { context.graph.groups(named: $0, select: select) }
            return (groups ?? context.graph.groups(filter, select: select)).map(on: nil) { .array($0) }
        })

    static let addToGroup = Function(
        "addToGroup", summary: "Makes a user a member of a group, or leaves it so.",
        input: FunctionSchema.object(
            required: ["group", "user"],
            [
                "group": FunctionSchema.text("The group's id, as groups returns it."),
                "user": FunctionSchema.text("The user's id or user principal name."),
            ]),
        output: FunctionSchema.answer(
            required: ["group", "user"],
            ["group": FunctionSchema.text("The group's id."), "user": FunctionSchema.text("The user.")]),
        permissions: .groupMembers, effect: .idempotent
    ) { input, context in
        let arguments = try Arguments(input)
        let (group, user) = (try arguments.required("group"), try arguments.required("user"))
        return context.graph.add(user: user, toGroup: group)
            .map(on: nil) { ["group": .string(group), "user": .string(user)] }
    }
}
