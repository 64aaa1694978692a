extension Workflow {
    /// All findings of the workflow, in the order of the file.
    ///
    /// Errors in the file's structure are found when it is read; these findings need the catalog or the whole file. The
    /// findings of the workflows that it runs follow, file by file.
    /// - Parameter catalog: The functions that the workflow can call.
    public func validate(with catalog: any FunctionCatalog) -> [Diagnostic] {
        validate(with: catalog, WorkflowLibrary(of: self))
    }

    package func validate(with catalog: any FunctionCatalog, _ library: WorkflowLibrary) -> [Diagnostic] {
        let outline = WorkflowOutline(self)
        return outline.diagnostics(with: catalog, library)
            + library.diagnostics(ofThoseReachableFrom: outline, with: catalog)
    }

    /// Reads a workflow file and validates it.
    /// - Parameters:
    ///   - url: The file.
    ///   - catalog: The functions that the workflow can call.
    /// - Returns: The workflow, nil if it cannot be run, and all findings in the order of the file.
    public static func check(
        contentsOf url: URL, with catalog: any FunctionCatalog
    ) -> (workflow: Workflow?, diagnostics: [Diagnostic]) {
        check(contentsOf: url, with: catalog, OpenTexts())
    }

    package static func check(
        contentsOf url: URL, with catalog: any FunctionCatalog, _ texts: OpenTexts
    ) -> (workflow: Workflow?, diagnostics: [Diagnostic]) {
        do {
            let workflow = try Workflow(contentsOf: url, texts)
            let diagnostics = workflow.validate(with: catalog)
            return (diagnostics.contains { $0.severity == .error } ? nil : workflow, diagnostics)
        } catch {
            guard let decoded = error.decoded else { return (nil, error.diagnostics) }
            // In an incomplete workflow, only findings about its parts are certain.
            let certain: [any WorkflowValidator] = [
                UniqueTaskNamesValidator(), FunctionCallsValidator(catalog: catalog), VariablesValidator(),
                FlowDirectivesValidator(),
            ]
            let diagnostics = (error.diagnostics + WorkflowOutline(decoded).findings(of: certain)).inFileOrder
            return (nil, diagnostics.first(of: decoded.document))
        }
    }

    /// All findings of an input for the workflow.
    ///
    /// The schema's defaults fill missing values first. Each finding points at the part of the schema that it violates.
    /// A schema on the network is only checked by the run.
    public func validate(input: Value) -> [Diagnostic] { validate(input: input) { _ in nil } }

    /// All findings of an input for the workflow.
    /// - Parameter hint: What to do about a missing property, by its name.
    package func validate(input: Value, hint: (String) -> String?) -> [Diagnostic] {
        guard let schema = self.input.schema, let compiled = schema.compiled else { return [] }
        return compiled.validate(self.input.filled(input)).map { violation in
            var advice = violation.hint
            if case .missing(let name)? = violation.cause, violation.instance == .root { advice = advice ?? hint(name) }
            return document.diagnostic(
                id: "input", violation.sentence(about: "the input"), hint: advice,
                at: schema.place(of: violation.schema))
        }.first(of: document)
    }
}

protocol WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic]
}

/// A workflow with its tasks, collected once for all validators.
@dynamicMemberLookup
package struct WorkflowOutline {
    let workflow: Workflow
    let allTasks: [Workflow.Task]
    let taskLists: [[Workflow.Task]]
    package let authentications: [Authentication.Reference]
    private(set) var reads = VariablesValidator.Reads()

    package init(_ workflow: Workflow) {
        self.workflow = workflow
        allTasks = workflow.allTasks
        taskLists = workflow.components.taskLists + [workflow.tasks] + allTasks.flatMap(\.children)
        authentications =
            workflow.ownSchemas.compactMap(\.resource?.endpoint.authentication)
            + allTasks.flatMap(\.authentications)
        reads = VariablesValidator.reads(of: self)
    }

    package subscript<Part>(dynamicMember part: KeyPath<Workflow, Part>) -> Part { workflow[keyPath: part] }

    /// All findings of the workflow itself, in the order of the file.
    /// - Parameter readsFunctions: Whether functions in files next to the workflow are checked as well.
    func diagnostics(
        with catalog: any FunctionCatalog, _ library: WorkflowLibrary, readsFunctions: Bool = true
    ) -> [Diagnostic] {
        let validators: [any WorkflowValidator] = [
            UniqueTaskNamesValidator(), FlowDirectivesValidator(),
            FunctionCallsValidator(catalog: catalog, readsFunctions: readsFunctions), VariablesValidator(),
            DataTypesValidator(catalog: catalog), ForeignSyntaxValidator(catalog: catalog),
            UnreachableTasksValidator(),
            UnusedDefinitionsValidator(), SecretsValidator(), LiteralCredentialsValidator(), CatchValidator(),
            RetriedEffectsValidator(catalog: catalog), ShellInjectionValidator(), NamedArgumentsValidator(),
            ReferencedWorkflowsValidator(library: library), ExternalResourcesValidator(),
            TimeZoneValidator(), InputDefaultsValidator(), PlainHTTPValidator(), EmittedEventsValidator(),
            ChangesValidator(), UndoValidator(),
        ]
        return (workflow.document.warnings + findings(of: validators)).inFileOrder.first(of: workflow.document)
    }

    fileprivate func findings(of validators: [any WorkflowValidator]) -> [Diagnostic] {
        validators.flatMap { $0.diagnostics(for: self) }
    }
}

extension JSONSchema.Violation {
    /// The violation as a sentence that names the place: `the input's 'to' must be a string`.
    package func sentence(about whole: String) -> String {
        var place = instance
        var speaksForItself = false
        if part == .key {
            place = instance.parent ?? .root
            speaksForItself = true
        } else if case .missing = cause {
            speaksForItself = true
        }
        let subject = place.tokens.isEmpty ? whole : "\(whole)'s '\(place.name)'"
        return speaksForItself ? "\(subject): \(message)" : "\(subject) \(message)"
    }
}

extension JSONPointer {
    /// The place as people write it: `attachments[0].name`.
    var name: String {
        tokens.reduce(into: "") { name, token in
            if Int(token) != nil { name += "[\(token)]" } else { name += name.isEmpty ? token : ".\(token)" }
        }
    }
}
