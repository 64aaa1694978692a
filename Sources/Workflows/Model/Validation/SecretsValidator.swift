/// Finds secrets that are used but not named in `use.secrets`.
///
/// Specification: dsl.md, "Secret". A run can only read named secrets: missing ones are reported before it starts.
package struct SecretsValidator: WorkflowValidator {
    package static func uses(of workflow: WorkflowOutline) -> [VariablesValidator.SecretRead] {
        let own = workflow.authentications.compactMap { reference -> Authentication? in
            if case .own(let policy) = reference { policy } else { nil }
        }
        let named = workflow.components.authentications.sorted { $0.key < $1.key }.map(\.value)
        let reads = (named + own).flatMap { policy -> [VariablesValidator.SecretRead] in
            guard case .secret(let name) = policy.properties else { return [] }
            let pointer = policy.pointer.appending("use")
            return policy.scheme.names.map { VariablesValidator.SecretRead(keys: [name] + $0, pointer: pointer) }
        }
        return workflow.reads.ofSecrets + reads
    }

    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        let names = workflow.components.secrets
        var seen: Set<JSONPointer> = []
        return Self.uses(of: workflow).compactMap { use in
            // One finding for each place, however many parts of a secret are used there.
            if use.pointer.tokens.last == "use", !seen.insert(use.pointer).inserted { return nil }
            guard let name = use.keys.first else {
                return workflow.document.diagnostic(
                    id: "unnamed-secret", "a secret must be read by its name",
                    hint: "write '$secrets.\(names.first ?? "NAME")'", at: use.pointer)
            }
            guard !names.contains(name) else { return nil }
            return workflow.document.diagnostic(
                id: "unknown-secret", "'use.secrets' does not name '\(name)'",
                hint: Diagnostic.didYouMean(name, among: names) ?? "add it: 'use: { secrets: [\(name)] }'",
                at: use.pointer)
        }
    }
}

extension Authentication.Scheme {
    /// The parts of a secret that the scheme uses, as paths.
    fileprivate var names: [[String]] {
        switch self {
        case .basic, .digest: [["username"], ["password"]]
        case .bearer: [[]]
        case .oauth2, .oidc: [["authority"], ["grant"], ["client", "id"], ["client", "secret"]]
        }
    }
}

extension Workflow {
    /// The names of the secrets that the workflow's tasks use, in the order in which it names them.
    public var usedSecrets: [String] {
        guard !components.secrets.isEmpty else { return [] }
        let used = Set(SecretsValidator.uses(of: WorkflowOutline(self)).compactMap(\.keys.first))
        return components.secrets.filter(used.contains)
    }
}
