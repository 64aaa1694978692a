/// Finds calls of functions that do not exist, and arguments that are wrong whatever their expressions return.
struct FunctionCallsValidator: WorkflowValidator {
    let catalog: any FunctionCatalog
    /// Whether functions in files next to the workflow are read.
    var readsFunctions = true

    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        let files = workflow.files
        var schemas: [String: JSONSchema?] = [:]
        return workflow.allTasks.flatMap { task -> [Diagnostic] in
            guard case .call(let call) = task.action else { return [] }
            if let source = call.source {
                guard let (id, message, hint) = problem(of: source, workflow.files) else { return [] }
                let place = task.reference.appending("call")
                return [workflow.document.diagnostic(id: id, message, hint: hint, at: place)]
            }
            let place = task.reference.appending("with")
            if let definition = workflow.components.functions[call.function] {
                let schema = definition.input.schema
                return diagnostics(
                    of: violations(of: call, by: schema?.compiled), of: call, schema?.document ?? true, in: workflow,
                    at: place)
            }
            // The errors of a definition in this file have been reported already.
            let isDefinedHere = workflow.document.value["use"]?["functions"]?[call.function] != nil
            guard let function = catalog.signature(call.function) else {
                return isDefinedHere
                    ? [] : [unknown(call, at: task.reference.appending("call"), in: workflow)]
            }
            // Compiled once for each function, however often it is called.
            let schema = schemas[call.function] ?? (try? JSONSchema(function.input))
            schemas[call.function] = .some(schema)
            return diagnostics(
                of: violations(of: call, by: schema), of: call, function.input, in: workflow, at: place)
                + user(call, function, at: place, in: workflow)
                + function.check(call.literal, files: files).map { finding in
                    let place = JSONPointer(place.tokens + finding.pointer.tokens)
                    guard let offset = finding.offset else {
                        return workflow.document.diagnostic(
                            finding.severity, id: finding.id, finding.message, hint: finding.hint, at: place)
                    }
                    return workflow.document.diagnostic(
                        finding.severity, id: finding.id, finding.message, hint: finding.hint, at: place,
                        offset: offset)
                }
        }
    }

    /// The findings about arguments; a misnamed parameter is one finding, not two.
    private func diagnostics(
        of violations: [JSONSchema.Violation], of call: Workflow.Call, _ schema: Value, in workflow: WorkflowOutline,
        at place: JSONPointer
    ) -> [Diagnostic] {
        guard !violations.isEmpty else { return [] }
        let known = (schema["properties"]?.object ?? [:]).keys
        let free = known.filter { call.literal[$0] == nil }
        var meant: [JSONPointer: String] = [:]
        for violation in violations where violation.part == .key && violation.instance.tokens.count == 1 {
            guard let name = violation.instance.tokens.first, !known.contains(name) else { continue }
            meant[violation.instance] =
                Habits.parameter(name, among: free) ?? Diagnostic.nearest(to: name, among: free)
        }
        return violations.compactMap { violation in
            if case .missing(let name)? = violation.cause, violation.instance == .root,
                meant.values.contains(name)
            {
                return nil
            }
            let name = violation.instance.tokens.last ?? ""
            var (message, hint) = (violation.message, violation.hint)
            // A list of one is a list, too.
            if violation.schema.tokens.last == "type", hint == nil, violation.message.hasPrefix("must be an array"),
                let one = call.literal[violation.instance]?.literal
            {
                hint = "write '[\(PlainText.exact(one, limit: 60))]'"
            }
            if violation.schema.tokens.last == "pattern" { message = "'\(name)' \(message)" }
            if violation.part == .key {
                hint =
                    meant[violation.instance].map { "did you mean '\($0)'?" }
                    ?? Habits.hint(insteadOfTaskProperty: name) ?? hint
            }
            return workflow.document.diagnostic(
                id: "arguments", message, hint: hint, at: JSONPointer(place.tokens + violation.instance.tokens),
                part: violation.part)
        }
    }

    /// Finds a person's name where an id or a user principal name belongs, and characters that are not seen.
    private func user(
        _ call: Workflow.Call, _ function: any FunctionSignature, at place: JSONPointer, in workflow: WorkflowOutline
    ) -> [Diagnostic] {
        guard function.input["properties"]?["user"] != nil, let user = call.literal["user"]?.literal else { return [] }
        let place = place.appending("user")
        if let reason = PlainText.invisible(in: user) {
            return [workflow.document.diagnostic(id: "user", reason, hint: PlainText.visibly, at: place)]
        }
        guard user.contains(" "), !user.contains("@") else { return [] }
        let first = PlainText.line(String(user.prefix { $0 != " " }), limit: 60)
        return [
            workflow.document.diagnostic(
                id: "user", "'\(PlainText.exact(user, limit: 100))' is neither a user principal name nor an id",
                hint: "write the sign-in address: 'graphflow users \(first)' lists people", at: place)
        ]
    }

    /// Why a function next to the workflow cannot be called; one on the network is read by the run.
    private func problem(
        of source: FunctionSource, _ files: WorkflowFiles
    ) -> (id: String, message: String, hint: String?)? {
        guard readsFunctions else { return nil }
        do {
            _ = try ExternalFunction.beside(files, source, catalog)
            return nil
        } catch let error as WorkflowError {
            return ("function", error.detail ?? error.type, nil)
        } catch {
            return ResourceAddress.finding(of: error)
        }
    }

    private func unknown(_ call: Workflow.Call, at pointer: JSONPointer, in workflow: WorkflowOutline) -> Diagnostic {
        let name = String(call.function.prefix { $0 != ":" && $0 != "@" })
        // Including those with errors.
        let ownFunctions = workflow.document.value["use"]?["functions"]?.object?.keys.sorted() ?? []
        let hint =
            catalog.signature(name).map { "'\(name)' has version \($0.version)" }
            ?? Diagnostic.didYouMean(name, among: catalog.names + Workflow.Call.supportedProtocols + ownFunctions)
            ?? "the catalog has \(catalog.names.quoted)"
        return workflow.document.diagnostic(
            id: "unknown-function", "there is no function '\(call.function)'", hint: hint, at: pointer)
    }

    /// The arguments' violations of the function's schema, except those that an expression may resolve.
    private func violations(of call: Workflow.Call, by schema: JSONSchema?) -> [JSONSchema.Violation] {
        // A schema that does not compile is reported by the call itself: the error is the function's, not the file's.
        guard let schema else { return [] }
        let expressions = call.literal.texts().filter { $0.value.isComputed }.map(\.pointer)
        return schema.validate(call.literal).filter { violation in
            !expressions.contains { expression in
                let isWhole = violation.instance == expression && violation.part == .value
                let isPartOf = expression.tokens.starts(with: violation.instance.tokens)
                return isWhole || isPartOf && !Self.certain.contains(violation.schema.tokens.last ?? "")
            }
        }
    }

    /// The keywords whose result for an object does not depend on the values of its members.
    private static let certain: Set<String> = ["required", "additionalProperties", "type"]
}
