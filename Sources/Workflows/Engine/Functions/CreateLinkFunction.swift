import Promises

extension Function {
    static let createLink = Function(
        "createLink", summary: "Creates a link that opens a file for others, or returns the existing one.",
        input: FunctionSchema.object(
            required: ["itemId"],
            [
                "itemId": FunctionSchema.text("The file's id, as upload returns it."),
                "type": FunctionSchema.choice(
                    SharingLink.Kind.self, default: .view, "What the link allows; embed in personal OneDrive only."
                ),
                "scope": FunctionSchema.choice(
                    SharingLink.Scope.self, "Who may use it; by default what the organisation has set."),
                "password": FunctionSchema.text("A password that readers must enter; personal OneDrive only."),
                "expirationDateTime": [
                    "type": "string", "format": "date-time",
                    "description": "When the link expires: 2026-12-31T00:00:00Z.",
                ],
                "user": FunctionSchema.user,
            ]),
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
        permissions: .files, effect: .idempotent
    ) { input, context in
        let arguments = try Arguments(input)
        return context.graph.createLink(
            toItem: try arguments.required("itemId"),
            type: try arguments.choice("type", of: SharingLink.Kind.self) ?? .view,
            scope: try arguments.choice("scope", of: SharingLink.Scope.self),
            password: try arguments.text("password"), expirationDateTime: try arguments.text("expirationDateTime"),
            user: try arguments.text("user")
        ).map(on: nil) { $0.value }
    }
}
