/// Finds expressions that read data that is not there: members that no data has, and names that no task has written.
///
/// It also finds uses of the last round's result of a loop where those of all rounds are intended.
struct DataTypesValidator: WorkflowValidator {
    let catalog: any FunctionCatalog

    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        // An extension may replace a task's output with anything.
        guard workflow.components.extensions.isEmpty else { return [] }
        let flow = TypeFlow(workflow.workflow, with: catalog)
        let unwritten = flow.unwritten.map { self.unwritten($0.name, at: $0.pointer, flow, in: workflow) }
        return unwritten + flow.findings.compactMap { diagnostic($0, flow, in: workflow) }
    }

    private func unwritten(
        _ name: String, at pointer: JSONPointer, _ flow: TypeFlow, in workflow: WorkflowOutline
    ) -> Diagnostic {
        workflow.document.diagnostic(
            .warning, id: "unwritten-context", "no earlier task writes '$context.\(name)'",
            hint: flow.exports[name].map { "'\($0)' exports it later" }
                ?? Diagnostic.didYouMean(name, among: flow.exports.keys.sorted()) ?? "export it from an earlier task",
            at: pointer)
    }

    /// A name that Microsoft Graph has, and answers only if it is asked for it.
    private func unasked(
        _ name: String, _ source: DataType.Source?, at pointer: JSONPointer, in workflow: WorkflowOutline
    ) -> Diagnostic? {
        guard let source, source.unasked?.contains(name) == true else { return nil }
        return workflow.document.diagnostic(
            .warning, id: "unselected-data", "\(source.name) returns '\(name)' only if it is asked for",
            hint: "select: [\(name)], with the other properties that are used; relations take '$expand'", at: pointer)
    }

    /// The variables of the standard that people look for in the data.
    private static let variables: Set = ["workflow", "context", "input", "task", "runtime", "secrets"]

    private func diagnostic(_ finding: TypeFlow.Finding, _ flow: TypeFlow, in workflow: WorkflowOutline) -> Diagnostic?
    {
        let found = finding.found
        switch found.kind {
        case .absent(let reason):
            return workflow.document.diagnostic(
                .warning, id: "null-data", "this can be null: \(reason)",
                hint: "give a default: '// \"…\"', or '// error(\"…\")'", at: finding.pointer)
        case .lastRound(let loop):
            return workflow.document.diagnostic(
                .warning, id: "last-round",
                "after the loop '\(loop)', '.' is the result of the last round, not a list of all results",
                hint: "collect them in the loop: export: { as: '$context + { all: (($context.all // []) + [.]) }' }",
                at: finding.pointer)
        case .missing(let name, let known):
            if found.source == TypeFlow.contextSource, found.isCertain {
                return unwritten(name, at: finding.pointer, flow, in: workflow)
            }
            // Extensions and annotations have names that no one knows beforehand.
            if found.source?.unasked != nil, name.contains(where: { "_@.".contains($0) }) { return nil }
            if let finding = unasked(name, found.source, at: finding.pointer, in: workflow) { return finding }
            let spelling = name.spelling
            let same = known.first { $0.spelling == spelling }
            // The data may have members that are not known.
            guard found.isCertain || same != nil else { return nil }
            let message =
                switch found.source?.name {
                case "the input"?: "the input has no '\(name)'"
                case let source? where source.hasPrefix("$"): "\(source) has no '\(name)'"
                case let source? where found.isCertain: "\(source) returns no '\(name)'"
                case let source?: "\(source) is not known to return '\(name)'"
                case nil: "there is no '\(name)' in this data"
                }
            return workflow.document.diagnostic(
                found.isCertain && !found.isTested && found.source?.isDeclared == true ? .error : .warning,
                id: "unknown-data",
                message,
                hint: (same ?? (Self.variables.contains(name) ? "$\(name)" : nil)).map { "did you mean '\($0)'?" }
                    ?? Diagnostic.didYouMean(name, among: known)
                    ?? (known.isEmpty ? nil : "there is \(known.quoted)"), at: finding.pointer)
        }
    }
}
