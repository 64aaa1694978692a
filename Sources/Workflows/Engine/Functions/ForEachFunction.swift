extension Function {
    static let forEach = Function(
        ForEach.name,
        summary: "Runs a workflow for each item of a list, several at a time, and collects what completed and failed.",
        input: FunctionSchema.object(
            required: ["in", "workflow"],
            [
                "in": ["type": "array", "description": "The items."],
                "workflow": [
                    "type": "object",
                    "properties": [
                        "namespace": FunctionSchema.text("The namespace of the workflow, as its 'document' has it."),
                        "name": FunctionSchema.text("Its name."),
                        "version": FunctionSchema.text("Its version, or 'latest' for the highest one."),
                    ],
                    "required": ["namespace", "name", "version"], "additionalProperties": false,
                    "description": "The workflow that runs for each item, in a file beside this one.",
                ],
                "input": [
                    "type": "object",
                    "description":
                        "The input that all runs have in common. The members of an item are laid over it; an item that is no object is its member 'item'.",
                ],
                "key": FunctionSchema.text(
                    "What tells an item from the others: jq over the item without '${ }', such as '.mail'; by default the whole item."
                ),
                "concurrency": [
                    "type": "integer", "minimum": 1, "maximum": .integer(ForEach.mostAtWork), "default": 1,
                    "description": "How many items are at work at the same time.",
                ],
                "onFailure": FunctionSchema.choice(
                    ForEach.Failure.self, default: .stop,
                    "Whether no other item begins after one has failed, and the task fails, or the others go on and the output has the failures."
                ),
            ]),
        output: FunctionSchema.object(
            required: ["completed", "failed"],
            [
                "completed": results(
                    "output", ["description": "What its run returned."], "The items that completed, in their order."),
                "failed": results(
                    "error", ["type": "object", "description": "The error as RFC 7807 has it."],
                    "The items that failed, in their order."),
            ]),
        // That of the workflow, whatever it is.
        effect: .once, runsWorkflow: true,
        check: { with, _ in
            var findings: [Finding] = []
            for name in ["key", "onFailure"] where with[name]?.isComputed ?? false {
                findings.append(
                    Finding(
                        pointer: JSONPointer([name]), id: "computed-argument",
                        message: name == "key" ? "the key is jq without '${ }'" : "'onFailure' cannot be computed",
                        hint: name == "key"
                            ? "write 'key: .mail': it is evaluated for each item" : "write stop or continue"))
            }
            for (name, part) in with["workflow"]?.object ?? [:] where part.isComputed {
                findings.append(
                    Finding(
                        pointer: JSONPointer(["workflow", name]), id: "computed-argument",
                        message: "the workflow that runs for each item cannot be computed",
                        hint: "write its namespace, name and version as its file has them"))
            }
            guard let key = with["key"]?.literal else { return findings }
            do throws(ExpressionError) {
                _ = try ForEach.key(key)
            } catch {
                var finding = Finding(
                    pointer: JSONPointer(["key"]), id: "expression", message: error.message)
                finding.offset = error.offset
                findings.append(finding)
            }
            return findings
        },
        body: { _, _ in throw FunctionError("'\(ForEach.name)' is performed in a workflow only: it runs another one") })

    private static func results(_ name: String, _ schema: Value, _ description: String) -> Value {
        [
            "type": "array", "items": FunctionSchema.object(required: ["key"], ["key": true, .init(name): schema]),
            "description": .string(description),
        ]
    }
}
