extension SharingLink.Kind: ParameterValue {}
extension SharingLink.Scope: ParameterValue {}

private struct CreateLinkParameters: FunctionParameters {
    @Parameter("The file's id, as upload returns it.") var itemId: String
    @Parameter("What the link allows; embed in personal OneDrive only.") var type = SharingLink.Kind.view
    @Parameter("Who may use it; by default what the organisation has set.") var scope: SharingLink.Scope?
    @Parameter("A password that readers must enter; personal OneDrive only.") var password: String?
    @Parameter("When the link expires: 2026-12-31T00:00:00Z.", schema: ["type": "string", "format": "date-time"])
    var expirationDateTime: String?
    @Parameter(FunctionSchema.user) var user: String?
}

extension Function {
    static let createLink = Function(
        "createLink", summary: "Creates a link that opens a file for others, or returns the existing one.",
        input: CreateLinkParameters.self,
        output: FunctionSchema.answer(
            required: ["webUrl", "link"],
            [
                "webUrl": FunctionSchema.text("The address that opens the file."),
                "id": FunctionSchema.text("The permission's id."),
                "link": FunctionSchema.answer(
                    required: ["webUrl"],
                    [
                        "type": FunctionSchema.text("What the link allows."),
                        "scope": FunctionSchema.text("Who may use it."),
                        "webUrl": FunctionSchema.text("The address that opens the file."),
                    ]),
            ]),
        requests: { [ExpectedRequest("POST", $0.userPath + "/drive/items/x/createLink")] }, effect: .idempotent
    ) { with, context in
        context.graph.createLink(
            toItem: with.itemId, type: with.type, scope: with.scope, password: with.password,
            expirationDateTime: with.expirationDateTime, user: with.user
        ).map(on: nil) { $0.value }
    }
}
