/// Finds passwords, tokens and client secrets that the file spells out.
///
/// They are not secrets: where they occur in data, they are not concealed.
struct LiteralCredentialsValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        let own = workflow.authentications.compactMap { reference -> Authentication? in
            if case .own(let policy) = reference { policy } else { nil }
        }
        return (workflow.components.authentications.map(\.value) + own).flatMap { policy -> [Diagnostic] in
            policy.scheme.credentials.compactMap { path in
                let pointer = JSONPointer(policy.pointer.tokens + path)
                guard let text = workflow.document.value[pointer]?.string, !text.isEmpty,
                    (try? Template(.string(text)))?.isConstant ?? false
                else { return nil }
                var finding = workflow.document.diagnostic(
                    .warning, id: "literal-credential", "anyone who can read this file can read this credential",
                    hint: "name a secret in 'use.secrets', and write '${ $secrets.NAME }' here", at: pointer)
                // The terminal and a pipeline's log have other readers than the file.
                finding.sourceLine = nil
                return finding
            }
        }
    }
}

extension Authentication.Scheme {
    fileprivate var credentials: [[String]] {
        switch self {
        case .basic, .digest: [["password"]]
        case .bearer: [["token"]]
        case .oauth2, .oidc:
            [["client", "secret"], ["client", "assertion"], ["password"], ["subject", "token"], ["actor", "token"]]
        }
    }
}
