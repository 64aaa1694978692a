/// Finds syntax that other tools have but jq and OData do not: `=` in a condition, `{{ … }}`, other quotes, and
/// expressions without `${ }` where only text stands.
struct ForeignSyntaxValidator: WorkflowValidator {
    let catalog: any FunctionCatalog

    /// The functions with their own templates, or that send any argument unchanged.
    private static let unread: Set<String> = ["render", "graph", "forEach"]

    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        workflow.allTasks.flatMap { task in
            conditions(of: task, in: workflow) + arguments(of: task, in: workflow) + bareTexts(of: task, in: workflow)
        }
    }

    /// Where a task has data in which only `${ }` begins an expression.
    private static let data = [
        ["set"], ["with"], ["emit", "event", "with"], ["raise", "error"], ["listen", "to"], ["run"], ["input", "from"],
        ["output", "as"], ["export", "as"],
    ]

    private func bareTexts(of task: Workflow.Task, in workflow: WorkflowOutline) -> [Diagnostic] {
        // There, every text is an expression if it can be one.
        if workflow.document.value["evaluate"]?["mode"] == "loose" { return [] }
        return Self.data.flatMap { path -> [(pointer: JSONPointer, value: Value)] in
            let place = JSONPointer(task.reference.tokens + path)
            guard let data = workflow.document.value[place] else { return [] }
            // A text as a whole is an expression there.
            let isTransformation = ["from", "as"].contains(path.last)
            // The key of an item is jq.
            if path == ["with"], case .call(let call) = task.action, call.function == "forEach" {
                return data["input"]?.texts(at: place.appending("input")) ?? []
            }
            return isTransformation && data.string != nil ? [] : data.texts(at: place)
        }.compactMap { pointer, text in
            guard let text = text.string, pointer.tokens.last != "from", !Self.isName(text, at: pointer),
                text.looksLikeExpression
            else { return nil }
            let shown = PlainText.line(text, limit: 100)
            return workflow.document.diagnostic(
                .warning, id: "bare-expression", "'\(shown)' is text here, and is not evaluated",
                hint: "write '${ \(shown) }' for its value", at: pointer)
        }
    }

    /// Whether a text may well be the name or the ending of a file, such as `.env`.
    private static func isName(_ text: String, at pointer: JSONPointer) -> Bool {
        let places = ["file", "path", "name", "folder", "command", "code", "arguments", "endpoint"]
        let names = ["env", "gitignore", "config", "profile", "bashrc", "net"]
        let word = text.dropFirst().lowercased()
        return pointer.tokens.contains(where: places.contains) || names.contains(word)
            || ContentType.isFileExtension(String(word))
    }

    private func conditions(of task: Workflow.Task, in workflow: WorkflowOutline) -> [Diagnostic] {
        task.conditions.compactMap { pointer, expression in
            guard expression.isAssignment else { return nil }
            return workflow.document.diagnostic(
                .warning, id: "assigned-condition",
                "this condition assigns a value, so it is true for every object: "
                    + "'\(PlainText.exact(expression.shown, limit: 100))'",
                hint: "write '==' to compare", at: pointer)
        }
    }

    private func arguments(of task: Workflow.Task, in workflow: WorkflowOutline) -> [Diagnostic] {
        guard case .call(let call) = task.action, let function = catalog.signature(call.function) else { return [] }
        let place = task.reference.appending("with")
        var findings: [Diagnostic] = []
        if !Self.unread.contains(function.name) {
            findings += call.literal.texts(at: place).compactMap { pointer, text in
                text.string.flatMap { template($0, at: pointer, in: workflow) }
            }
        }
        let filter = function.name == "graph" ? call.literal["query"]?["$filter"] : call.literal["filter"]
        let path = function.name == "graph" ? ["query", "$filter"] : ["filter"]
        if let filter, let found = quotes(filter, at: JSONPointer(place.tokens + path), in: workflow) {
            findings.append(found)
        }
        return findings
    }

    private func template(_ text: String, at pointer: JSONPointer, in workflow: WorkflowOutline) -> Diagnostic? {
        guard text.contains("{{") else { return nil }
        let plain = Template.text(text, replacingExpressionsBy: " ")
        guard let open = plain.firstRange(of: "{{"), let close = plain[open.upperBound...].firstRange(of: "}}") else {
            return nil
        }
        let name = plain[open.upperBound..<close.lowerBound].filter { $0 != " " && $0 != "$" }
        let isPath = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        let path = isPath ? (name.hasPrefix(".") ? name : ".\(name)") : ".name"
        return workflow.document.diagnostic(
            .warning, id: "foreign-template", "'{{ … }}' is not replaced here: only 'render' fills it",
            hint: "write '${ \(PlainText.line(path, limit: 100)) }'", at: pointer)
    }

    private func quotes(_ filter: Value, at pointer: JSONPointer, in workflow: WorkflowOutline) -> Diagnostic? {
        guard let text = filter.string else { return nil }
        let plain = Template.text(text, replacingExpressionsBy: "x")
        guard plain.contains("`") || plain.contains("\""), !plain.contains("'"), !Template.isExpression(text) else {
            return nil
        }
        let right = text.replacing("`", with: "'").replacing("\"", with: "'")
        return workflow.document.diagnostic(
            id: "odata-quotes", "a string in an OData filter needs single quotes",
            hint: text.contains("${") ? "write ' instead of \" and `" : "write \(PlainText.line(right, limit: 200))",
            at: pointer)
    }
}

extension String {
    /// Whether this is a path or a variable of the standard, alone or with an operator after it, and valid jq.
    fileprivate var looksLikeExpression: Bool {
        var rest = trimmed[...]
        let isVariable = rest.first == "$"
        if isVariable {
            rest = rest.dropFirst()
            let name = rest.prefix { $0.isLetter }
            guard Decoding.reservedVariables.contains(String(name)) else { return false }
            rest = rest.dropFirst(name.count)
        } else {
            guard rest.first == ".", let second = rest.dropFirst().first, second.isLetter || "_[\"".contains(second)
            else { return false }
        }
        rest = rest.drop { !$0.isWhitespace && $0 != "|" }
        let operators = ["|", "//", "==", "!=", "+", "-", "*", "<", ">", "and ", "or "]
        let next = String(rest).trimmed
        guard next.isEmpty || operators.contains(where: next.hasPrefix) else { return false }
        return (try? Expression(bare: self)) != nil
    }
}

extension Workflow.Task {
    fileprivate var conditions: [(JSONPointer, Expression)] {
        var all: [(JSONPointer, Expression?)] = [(reference.appending("if"), condition)]
        switch action {
        case .for(let loop): all.append((reference.appending("while"), loop.condition))
        case .switch(let cases):
            all += cases.enumerated().map { index, candidate in
                (JSONPointer(reference.tokens + ["switch", "\(index)", candidate.name, "when"]), candidate.condition)
            }
        case .try(let attempt):
            all.append((JSONPointer(reference.tokens + ["catch", "when"]), attempt.catch.when))
            all.append((JSONPointer(reference.tokens + ["catch", "exceptWhen"]), attempt.catch.exceptWhen))
        default: break
        }
        return all.compactMap { pointer, expression in expression.map { (pointer, $0) } }
    }
}
