extension ServiceSession {
    /// The runs that wait for people; nil if runs begin at once.
    func held(
        by runner: Runner, in queue: RunQueue, _ pages: ApprovalPages?,
        onEnd: @escaping @Sendable (Result<Value, any Error>, Workflow) -> Void, _ console: Console
    ) throws -> HeldRuns? {
        guard let approvals, let desk = desk(of: runner, console) else { return nil }
        let mailing = approvals.mailAddress.map { address -> HeldRuns.Mailing in
            { run, plan, workflow, end in
                .asking(about: run, plan, of: workflow, at: pages?.url(of: run), until: end, to: address)
            }
        }
        return HeldRuns(
            under: approvals.policy, for: approvals.patience,
            at: desk, by: runner, in: queue,
            used: UsedApprovals(environment: console.environment), mailing: mailing,
            notify: { notice in
                guard case .asked(let run, _, _) = notice, let page = pages?.url(of: run) else {
                    return console.tell(notice)
                }
                console.complain("\(notice.text), or \(page)")
            }, onEnd: onEnd)
    }

    private func desk(of runner: Runner, _ console: Console) -> RunDesk? {
        runner.journals.map { RunDesk($0, in: sandbox, over: { runner.graph }, now: now, console) }
    }

    /// The runs that an earlier service could not end; nil without journals.
    func interrupted(
        of service: Service, _ runs: ServedRuns, in queue: RunQueue, _ inbox: Inbox?, _ held: HeldRuns?,
        notify: @escaping @Sendable (RunNotice) -> Void,
        onEnd: @escaping @Sendable (Result<Value, any Error>, Workflow) -> Void, _ console: Console
    ) -> InterruptedRuns? {
        guard let desk = desk(of: runs.runner, console) else { return nil }
        var order = RunOrder(.service, under: approvals?.policy)
        order.hasSandbox = sandbox != nil
        return InterruptedRuns(
            of: service, runs, in: queue, with: inbox, held: held,
            at: desk, as: order, with: options.secrets,
            notify: notify, onEnd: onEnd)
    }

    /// Opens the port for events, and for the pages on which people approve.
    func open(
        _ server: EventServer, at reception: Reception, with pages: ApprovalPages?, _ console: Console
    ) throws {
        var reception = reception
        let isLocal = reception.address.isLoopback
        // Others on the network need the public address.
        if isLocal || approveURL != nil { reception.approvalPath = pages?.path }
        reception.servesApprovers = approveURL != nil
        let port = try ListenOption.open(server, at: reception, console)
        if isLocal { pages?.open(at: port) }
    }
}

extension Mail {
    /// The mail about a run that waits for approval, with its plan as a page.
    fileprivate static func asking(
        about run: String, _ plan: ApprovedPlan, of workflow: Workflow, at page: String?, until end: Date,
        to address: String
    ) -> Mail {
        let attached = PlanPage(view: PlanView(plan.plan), workflow: workflow).html
        let place = page.map { "To decide, sign in at:\n\n\($0)\n\nOr, on the machine of the service:" }
        let title = workflow.metadata.title ?? workflow.metadata.name
        var mail = Mail(
            to: [address], subject: "To approve: \(PlainText.line(title, limit: 200))",
            body: .text(
                "A run of '\(title)' waits until \(end.formatted(.iso8601)). The attached page says what it "
                    + "would do. \(place ?? "To decide, on the machine of the service:")\n\n"
                    + "graphflow approve \(run)\ngraphflow reject \(run)\n"))
        mail.attachments = [
            Mail.Attachment(name: "plan.html", content: Blob(Data(attached.utf8), contentType: "text/html"))
        ]
        return mail
    }
}
