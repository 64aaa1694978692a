struct ApprovalParameters: FunctionParameters {
    @Parameter("Who may approve: user principal names or object ids.", schema: people) var approvers: [String]
    @Parameter("What the person approves, in plain text.") var text: String
    @Parameter("Data that the person sees with the text.") var data: Value?
    @Parameter(
        "How long the task waits, as an ISO 8601 duration such as PT8H.",
        schema: ["type": "string", "pattern": "^P", "examples": ["PT8H"]])
    var expires = "P1D"

    /// How long a task waits; nil if the text is not a duration, or one of more than a thousand years.
    static func patience(_ text: String) -> Duration? {
        Duration(iso8601: text).flatMap { $0 > .zero && $0 < .seconds(31_536_000_000) ? $0 : nil }
    }

    private static let people: Object = [
        "type": "array", "minItems": 1, "items": .object(String.parameterSchema),
    ]
}

extension Function {
    static let approval = Function(
        Approver.function, summary: "Asks a person, and waits until that person has approved or rejected.",
        input: ApprovalParameters.self,
        output: FunctionSchema.object(
            required: ["approved", "by", "name", "at", "note"],
            [
                "approved": ["type": "boolean", "description": "True: a rejection is an error of status 403."],
                "by": FunctionSchema.text("The approver's object id."),
                "name": FunctionSchema.text("The approver's user principal name."),
                "at": FunctionSchema.text("When the approver signed in for it."),
                "note": FunctionSchema.text("The approver's note; empty without one."),
            ]),
        effect: .read, by: .approval,
        check: { with, _ in
            let invisible = (with["approvers"]?.array ?? []).enumerated().compactMap { position, name in
                name.literal.flatMap(PlainText.invisible).map {
                    Finding("user", at: ["approvers", "\(position)"], $0, hint: PlainText.visibly)
                }
            }
            guard let text = with["expires"]?.literal, !text.isEmpty, ApprovalParameters.patience(text) == nil else {
                return invisible
            }
            return invisible + [
                Finding("time", at: ["expires"], "'\(text)' is not a duration", hint: "write it like PT8H or P2D")
            ]
        },
        body: { _, _ in
            throw FunctionError("'\(Approver.function)' can only be called in a workflow: a person answers it")
        })
}
