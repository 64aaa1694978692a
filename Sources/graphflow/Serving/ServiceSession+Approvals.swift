extension ServiceSession {
    /// What the service gets from this program: signed approvals, and mails with pages.
    func program(
        _ inbox: Inbox?, over runner: Runner, _ pages: ApprovalPages?, _ console: Console
    ) -> WorkflowService.Program {
        var program = WorkflowService.Program(
            home: GraphflowHome.folder(console.environment), used: UsedApprovals(environment: console.environment)
        ) { notice in
            guard case .asked(let run, _, _) = notice, let page = pages?.url(of: run) else {
                return console.tell(notice)
            }
            console.complain("\(notice.text), or \(page)")
        }
        (program.inbox, program.hook, program.catchUp) = (inbox, hook, service.catchUp)
        program.desk = runner.journals.map {
            RunDesk($0, in: sandbox, over: { runner.graph }, now: now, console)
        }
        program.order = RunOrder(.service, under: approvals?.policy, patience: approvals?.patience ?? .seconds(86_400))
        program.order.hasSandbox = sandbox != nil
        program.mailing = approvals?.mailAddress.map { address -> HeldRuns.Mailing in
            { run, plan, workflow, end in
                .asking(about: run, plan, of: workflow, at: pages?.url(of: run), until: end, to: address)
            }
        }
        program.lastly = { [notifier] in notifier?.noneLeft ?? .value(()) }
        return program
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
