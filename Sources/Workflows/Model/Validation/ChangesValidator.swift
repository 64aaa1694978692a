/// Finds sources of changes that start nothing, and types of changes that no source reports.
struct ChangesValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        guard let first = workflow.changes.first else { return [] }
        let reported = workflow.changes.flatMap(\.types)
        guard case .on? = workflow.schedule else {
            guard !workflow.allTasks.contains(where: { if case .listen = $0.action { true } else { false } }) else {
                return []
            }
            let hint = "add schedule: { on: { one: { with: { type: \(first.types.first ?? "") } } } }"
            let text = "nothing begins with these changes"
            return [workflow.document.diagnostic(.warning, id: "changes", text, hint: hint, at: first.place)]
        }
        let place = JSONPointer(["schedule", "on"])
        let filters = ["one", "any", "all"].flatMap { strategy -> [(JSONPointer, Value)] in
            let place = place.appending(strategy)
            switch workflow.document.value[place] {
            case nil: return []
            case .array(let filters)?: return filters.enumerated().map { (place.appending($0), $1) }
            case let filter?: return [(place, filter)]
            }
        }
        return filters.compactMap { place, filter in
            guard let type = filter["with"]?["type"]?.string, type.hasPrefix("microsoft.graph."),
                // Other texts are patterns.
                type.allSatisfy({ $0.isLetter || $0 == "." }), !reported.contains(type)
            else { return nil }
            return workflow.document.diagnostic(
                .warning, id: "changes", "no source of this workflow reports '\(type)'",
                hint: Diagnostic.didYouMean(type, among: reported) ?? "there is \(reported.quoted)",
                at: place.appending("with").appending("type"))
        }
    }
}
