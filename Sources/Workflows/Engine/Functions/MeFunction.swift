import Promises

extension Function {
    static let me = Function(
        "me", summary: "Gets the signed-in user, or the user that is given.",
        input: FunctionSchema.object([
            "user": FunctionSchema.user,
            "select": [
                "type": "array", "items": FunctionSchema.text("The name of a property."), "uniqueItems": true,
                "description": "The properties to get; id, name and addresses are always included.",
            ],
        ]),
        output: FunctionSchema.answer(
            required: ["id", "displayName", "email"],
            [
                "id": FunctionSchema.text("The id."),
                "displayName": FunctionSchema.text("The name, or 'Mysterious Stranger' if there is none."),
                "email": [
                    "type": ["string", "null"], "description": "The address for mail, else the user principal name.",
                ],
                "mail": ["type": ["string", "null"], "description": "The address for mail."],
                "userPrincipalName": ["type": ["string", "null"], "description": "The name for signing in."],
            ]),
        permissions: .me, effect: .read
    ) { input, context in
        let arguments = try Arguments(input)
        return context.graph.me(user: try arguments.text("user"), select: try arguments.texts("select"))
            .map(on: nil) { $0.value }
    }
}
