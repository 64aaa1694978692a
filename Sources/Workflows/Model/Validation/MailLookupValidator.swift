/// Finds mails that another machine could not look up, and would send a second time.
struct MailLookupValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        workflow.mails.compactMap { task, call -> Diagnostic? in
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

extension WorkflowOutline {
    fileprivate var mails: [(task: Workflow.Task, call: Workflow.Call)] {
        self.allTasks.compactMap { task in
            guard case .call(let call) = task.action, self.components.functions[call.function] == nil,
                call.function.prefix(while: { $0 != ":" }) == "sendMail"
            else { return nil }
            return (task, call)
        }
    }
}

extension Workflow {
    /// Whether the workflow, or one that it runs, sends mails.
    package var sendsMail: Bool { ([self] + referencedWorkflows).contains { !WorkflowOutline($0).mails.isEmpty } }

    /// Why a named batch cannot run the workflow: mails that no other machine could look up, at any depth.
    ///
    /// A computed `delivery` is checked before the mail is sent.
    package func mailLookupFindings() -> [Diagnostic] {
        ([self] + referencedWorkflows).flatMap { MailLookupValidator().diagnostics(for: WorkflowOutline($0)) }
    }
}
