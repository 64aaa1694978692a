/// Finds mails that another machine could not look up, so that it would send them a second time.
struct MailLookupValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        workflow.allTasks.compactMap { task -> Diagnostic? in
            guard case .call(let call) = task.action, workflow.components.functions[call.function] == nil,
                call.function.prefix(while: { $0 != ":" }) == "sendMail"
            else { return nil }
            let member: String
            if call.literal["delivery"]?.literal == "direct" {
                member = "delivery"
            } else if call.literal["saveToSentItems"]?.bool == false {
                member = "saveToSentItems"
            } else {
                return nil
            }
            return workflow.document.diagnostic(
                id: "mail-lookup", "a mail that is delivered directly cannot be looked up by another machine",
                hint: "leave '\(member)' out, or start the batch with --no-lookup",
                at: JSONPointer(task.reference.tokens + ["with", member]))
        }
    }
}

extension Workflow {
    /// What keeps a batch with a name from running the workflow: mails that no other machine could look up, also in the
    /// workflows that it runs.
    ///
    /// A `delivery` that is an expression is checked when the mail is sent, and then it fails before it is.
    package func mailLookupFindings() -> [Diagnostic] {
        ([self] + referencedWorkflows).flatMap { MailLookupValidator().diagnostics(for: WorkflowOutline($0)) }
    }
}
