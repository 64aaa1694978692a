extension FunctionContext {
    /// The text escaped for HTML; in a plan, an unknown replaces unknown escaped text.
    fileprivate func escaped(_ text: String) -> String {
        guard let plan = graph.plan, UnknownTokens.isIn(text) else { return text.htmlEscaped }
        let marked = plan.unknowns.marked(text)
        let name = marked.unknown?.name ?? "text"
        return plan.unknowns.token(
            for: Unknown(name, .text, from: .computed(Derivation("@html", input: marked))))
    }
}

private struct RenderParameters: FunctionParameters {
    @Parameter("A file next to the workflow, in UTF-8.") var template: String?
    @Parameter("The template itself.", schema: FunctionSchema.anyText) var text: String?
    @Parameter(
        "The values of the placeholders, by their names.",
        schema: ["type": "object", "additionalProperties": ["type": ["string", "number", "boolean"]]])
    var values: Value?
    @Parameter(
        "How values are written: escaped for HTML, or unchanged.", schema: FunctionSchema.choice(["html", "none"]))
    var escape = "html"
}

extension Function {
    static let render = Function(
        "render", summary: "Fills the placeholders of a template, {{ name }}, with values that are escaped for HTML.",
        input: RenderParameters.self, output: ["type": "string", "description": "The text with the values in it."],
        effect: .read,
        check: { with, files in
            Finding.caught("template", at: JSONPointer([with["template"] == nil ? "text" : "template"])) {
                guard let template = try template(with, files, computed: \.isComputed) else { return }
                guard let values = with["values"] else { return try template.check(names: []) }
                if let names = values.object?.keys { try template.check(names: names) }
            }
        },
        body: { with, context in
            guard let template = try template(with.argument, context.files, computed: { _ in false }) else {
                throw FunctionError("'template' or 'text' is missing", at: .root)
            }
            var values: [String: String] = [:]
            for (name, value) in with.values?.object ?? Object() {
                let text = try value.scalarText(at: JSONPointer(["values", name]))
                values[name] = with.escape == "none" ? text : context.escaped(text)
            }
            return .value(.string(try template.fill(values)))
        })

    private static func template(
        _ input: Value, _ files: WorkflowFiles, computed: (Value) -> Bool
    ) throws(FunctionError) -> TextTemplate? {
        switch (input["template"], input["text"]) {
        case (let file?, nil):
            guard !computed(file) else { return nil }
            return try FunctionError.placed(at: JSONPointer(["template"])) {
                try TextTemplate(try files.text(of: file.string ?? ""))
            }
        case (nil, let text?):
            guard !computed(text) else { return nil }
            return try FunctionError.placed(at: JSONPointer(["text"])) { try TextTemplate(text.string ?? "") }
        case (nil, nil): throw FunctionError("'template' or 'text' is missing", at: .root)
        case (.some, .some): throw FunctionError("'template' and 'text' exclude each other", at: JSONPointer(["text"]))
        }
    }
}
