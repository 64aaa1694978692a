struct UnusedDefinitionsValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        let tasks = workflow.allTasks.map(\.definition)
        let used: [String: [String?]] = [
            "retries": tasks.map { $0["catch"]?["retry"]?.string },
            "timeouts": tasks.map { $0["timeout"]?.string } + [workflow.document.value["timeout"]?.string],
            "errors": tasks.map { $0["raise"]?["error"]?.string },
            "authentications": workflow.authentications.map { if case .named(let name, _) = $0 { name } else { nil } },
        ]
        return unusedSecrets(of: workflow)
            + used.flatMap { kind, references -> [Diagnostic] in
                let names = Set(references.compactMap(\.self))
                let place = JSONPointer(["use", kind])
                return (workflow.document.value["use"]?[kind]?.object?.keys ?? []).filter { !names.contains($0) }.map {
                    name in
                    workflow.document.diagnostic(
                        .warning, id: "unused", "nothing uses '\(name)'", hint: "remove it from 'use.\(kind)'",
                        at: place.appending(name), part: .key)
                }
            }
    }

    private func unusedSecrets(of workflow: WorkflowOutline) -> [Diagnostic] {
        guard !workflow.components.secrets.isEmpty else { return [] }
        let used = Set(SecretsValidator.uses(of: workflow).compactMap(\.keys.first))
        let place = JSONPointer(["use", "secrets"])
        return (workflow.document.value["use"]?["secrets"]?.array ?? []).enumerated().compactMap { index, name in
            guard let name = name.string, !used.contains(name) else { return nil }
            return workflow.document.diagnostic(
                .warning, id: "unused", "nothing uses the secret '\(name)'", hint: "remove it from 'use.secrets'",
                at: place.appending(index))
        }
    }
}
