import Essentials
import Promises

extension FunctionContext {
    /// The text escaped for HTML; in a plan, an unknown stands for the escaped text.
    fileprivate func escaped(_ text: String) -> String {
        guard let plan = graph.plan, UnknownTokens.isIn(text) else { return text.htmlEscaped }
        let marked = plan.unknowns.marked(text)
        let name = marked.unknown?.name ?? "text"
        return plan.unknowns.token(
            for: Unknown(name, .text, from: .computed(Derivation("@html", input: marked))))
    }
}

extension Function {
    static let render = Function(
        "render", summary: "Fills the placeholders of a template, {{ name }}, with values that are escaped for HTML.",
        input: FunctionSchema.object([
            "template": FunctionSchema.text("A file beside the workflow, in UTF-8."),
            "text": FunctionSchema.text("The template itself.", minLength: 0),
            "values": [
                "type": "object", "additionalProperties": ["type": ["string", "number", "boolean"]],
                "description": "The values of the placeholders, by their names.",
            ],
            "escape": FunctionSchema.choice(
                ["html", "none"], default: "html", "How values are written: escaped for HTML, or unchanged."),
        ]),
        output: ["type": "string", "description": "The text with the values in it."],
        effect: .read,
        check: { with, files in
            do throws(FunctionError) {
                guard let template = try template(with, files, computed: \.isComputed) else { return [] }
                guard let values = with["values"] else {
                    try template.check(names: [])
                    return []
                }
                if let names = values.object?.keys { try template.check(names: names) }
                return []
            } catch {
                let member = with["template"] == nil ? "text" : "template"
                return [Finding(error, id: "template", at: member)]
            }
        },
        body: { input, context in
            guard let template = try template(input, context.files, computed: { _ in false }) else {
                throw FunctionError("'template' or 'text' is missing", at: .root)
            }
            let escapes = input["escape"]?.string != "none"
            var values: [String: String] = [:]
            for (name, value) in input["values"]?.object ?? Object() {
                let text = try value.scalarText(at: JSONPointer(["values", name]))
                values[name] = escapes ? context.escaped(text) : text
            }
            return .value(.string(try template.fill(values)))
        })

    /// Reads the template that an input names; nil if it is unknown.
    private static func template(
        _ input: Value, _ files: WorkflowFiles, computed: (Value) -> Bool
    ) throws(FunctionError) -> TextTemplate? {
        switch (input["template"], input["text"]) {
        case (let file?, nil):
            guard !computed(file) else { return nil }
            do throws(FunctionError) {
                return try TextTemplate(try files.text(of: file.string ?? ""))
            } catch {
                throw error.at(JSONPointer(["template"]))
            }
        case (nil, let text?):
            guard !computed(text) else { return nil }
            do throws(FunctionError) {
                return try TextTemplate(text.string ?? "")
            } catch {
                throw error.at(JSONPointer(["text"]))
            }
        case (nil, nil): throw FunctionError("'template' or 'text' is missing", at: .root)
        case (.some, .some): throw FunctionError("'template' and 'text' exclude each other", at: JSONPointer(["text"]))
        }
    }
}
