struct ForEachParameters: FunctionParameters {
    @Parameter("The items.", schema: ["type": "array"]) var `in`: Value
    @Parameter("The workflow that runs for each item, in a file next to this one.", schema: Reference.parameterSchema)
    var workflow: Value?
    @Parameter(
        """
        The tasks that run for each item, instead of a workflow. They begin with the item, merged into 'input', as \
        '.'; they see no other data of this workflow.
        """, schema: ["type": "array", "minItems": 1, "items": ["type": "object"]])
    var `do`: Value?
    @Parameter(
        """
        The input shared by all runs. The members of an item override it; an item that is not an object becomes its \
        member 'item'.
        """, schema: ["type": "object"])
    var input: Value?
    @Parameter(
        """
        The key of an item: jq over the item without '${ }', such as '.mail'; by default the whole item.
        """)
    var key: String?
    @Parameter("How many items run at the same time.", schema: FunctionSchema.number(upTo: ForEach.mostAtWork))
    var concurrency: Value = 1
    @Parameter(
        """
        After an item fails: with 'stop', no other item begins and the task fails; with 'continue', the others run and \
        the output has the failures.
        """)
    var onFailure = ForEach.Failure.stop

    private struct Reference: FunctionParameters {
        @Parameter("The namespace of the workflow, as its 'document' has it.") var namespace: String
        @Parameter("Its name.") var name: String
        @Parameter("Its version, or 'latest' for the highest one.") var version: String
    }
}

extension Function {
    static let forEach = Function(
        Workflow.Call.forEach,
        summary: "Performs tasks for each item of a list, several at a time, and collects what completed and failed.",
        input: ForEachParameters.self,
        output: FunctionSchema.object(
            required: ["completed", "failed"],
            [
                "completed": results(
                    "output", ["description": "What its run returned."], "The items that completed, in their order."),
                "failed": results(
                    "error", ["type": "object", "description": "The error as RFC 7807 has it."],
                    "The items that failed, in their order."),
            ]),
        // The actual effect is the called workflow's.
        effect: .once, by: .items,
        check: { with, _ in
            var findings: [Finding] = []
            for (name, message, hint) in [
                ("key", "the key is jq without '${ }'", "write 'key: .mail': it is evaluated for each item"),
                ("onFailure", "'onFailure' cannot be computed", "write stop or continue"),
            ] where with[name]?.isComputed ?? false {
                findings.append(Finding("computed-argument", at: [name], message, hint: hint))
            }
            if (with["workflow"] == nil) == (with["do"] == nil) {
                findings.append(
                    with["do"] == nil
                        ? Finding(
                            "arguments", at: [], "'forEach' needs 'do' or 'workflow'",
                            hint: "write the tasks for an item in 'do', or name a workflow in a file next to this one")
                        : Finding(
                            "arguments", at: ["do"], "'forEach' has 'do' and 'workflow'",
                            hint: "leave one of them out"))
            }
            for (name, part) in with["workflow"]?.object ?? [:] where part.isComputed {
                findings.append(
                    Finding(
                        "computed-argument", at: ["workflow", name],
                        "the workflow that runs for each item cannot be computed",
                        hint: "write its namespace, name and version as its file has them"))
            }
            guard let key = with["key"]?.literal else { return findings }
            do throws(ExpressionError) {
                _ = try ForEach.key(key)
            } catch {
                var finding = Finding("expression", at: ["key"], error.message)
                finding.offset = error.offset
                findings.append(finding)
            }
            return findings
        },
        body: { _, _ in
            throw FunctionError("'\(Workflow.Call.forEach)' can only be called in a workflow: it runs another one")
        })

    private static func results(_ name: String, _ schema: Value, _ description: String) -> Value {
        [
            "type": "array", "items": FunctionSchema.object(required: ["key"], ["key": true, .init(name): schema]),
            "description": .string(description),
        ]
    }
}
