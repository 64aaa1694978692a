extension ServiceSession {
    /// The runs that wait for people; nil if runs begin at once.
    func held(
        by runner: Runner, in queue: RunQueue,
        onEnd: @escaping @Sendable (Result<Value, any Error>, Workflow) -> Void, _ console: Console
    ) throws -> HeldRuns? {
        guard let approvals, let journals = runner.journals else { return nil }
        let mailing = approvals.mailAddress.map { address -> HeldRuns.Mailing in
            { run, plan, workflow, end in .asking(about: run, plan, of: workflow, until: end, to: address) }
        }
        return HeldRuns(
            under: approvals.policy, for: approvals.patience,
            at: RunDesk(journals, in: sandbox, over: { runner.graph }, now: now, console), by: runner, in: queue,
            used: UsedApprovals(environment: console.environment), mailing: mailing,
            notify: { console.complain($0.text) }, onEnd: onEnd)
    }
}

extension Mail {
    /// The mail about a run that waits for approval, with its plan as a page.
    fileprivate static func asking(
        about run: String, _ plan: ApprovedPlan, of workflow: Workflow, until end: Date, to address: String
    ) -> Mail {
        let page = PlanPage(view: PlanView(plan.plan), workflow: workflow).html
        let title = workflow.metadata.title ?? workflow.metadata.name
        var mail = Mail(
            to: [address], subject: "To approve: \(PlainText.line(title, limit: 200))",
            body: .text(
                "A run of '\(title)' waits until \(end.formatted(.iso8601)). The attached page says what it "
                    + "would do. To decide, on the machine of the service:\n\n"
                    + "graphflow approve \(run)\ngraphflow reject \(run)\n"))
        mail.attachments = [
            Mail.Attachment(name: "plan.html", content: Blob(Data(page.utf8), contentType: "text/html"))
        ]
        return mail
    }
}
