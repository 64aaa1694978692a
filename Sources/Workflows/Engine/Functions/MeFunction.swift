private struct MeParameters: FunctionParameters {
    @Parameter(FunctionSchema.user) var user: String?
    @Parameter("The properties to get; id, name and addresses are always included.", schema: FunctionSchema.names)
    var select: [String]?
}

extension Function {
    static let me = Function(
        "me", summary: "Gets the signed-in user, or the user that is given.",
        input: MeParameters.self,
        output: FunctionSchema.person([
            "mail": ["type": ["string", "null"], "description": "The address for mail."],
            "userPrincipalName": ["type": ["string", "null"], "description": "The name for signing in."],
        ]),
        requests: { [ExpectedRequest("GET", $0.userPath + $0.queryOptions(["select"]))] }, effect: .read
    ) { with, context in
        context.graph.me(user: with.user, select: with.select ?? []).map(on: nil) { $0.value }
    }
}
