private struct GroupsParameters: FunctionParameters {
    @Parameter("The group's name.") var name: String?
    @Parameter("A filter of OData: startswith(displayName,'Sales').") var filter: String?
    @Parameter("The properties to get; id and name are always included.", schema: FunctionSchema.names)
    var select: [String]?
}

private struct AddToGroupParameters: FunctionParameters {
    @Parameter("The group's id, as groups returns it.") var group: String
    @Parameter("The user's id or user principal name.") var user: String
}

extension Function {
    static let groups = Function(
        "groups", summary: "Finds groups of the organisation, by name or by a filter.",
        input: GroupsParameters.self,
        output: [
            "type": "array",
            "items": FunctionSchema.answer(
                required: ["id", "displayName"],
                ["id": FunctionSchema.text("The id."), "displayName": FunctionSchema.text("The name.")]),
            "description": "The groups, in Graph's order.",
        ],
        requests: { [ExpectedRequest("GET", "groups" + $0.queryOptions(["select", "filter"]))] }, effect: .read,
        exclusive: Exclusive(
            "groups-query", ["name", "filter"], hint: "put the name into the filter: displayName eq 'Sales'"),
        body: { with, context in
            let select = with.select ?? []
            let filter = with.name.map { GraphClient.filter(forName: $0) } ?? with.filter
            return context.graph.groupList(filter, select: select).map(on: nil) { .array($0) }
        })

    static let addToGroup = Function(
        "addToGroup", summary: "Adds a user to a group, unless the user is a member already.",
        input: AddToGroupParameters.self,
        output: FunctionSchema.answer(
            required: ["group", "user"],
            ["group": FunctionSchema.text("The group's id."), "user": FunctionSchema.text("The user.")]),
        requests: { _ in [ExpectedRequest("POST", "groups/x/members/$ref")] }, effect: .idempotent
    ) { with, context in
        context.graph.add(user: with.user, toGroup: with.group).map(on: nil) { with.argument }
    }
}
