extension RunNotice {
    /// The line on standard error.
    var text: String {
        func line(_ words: String, _ limit: Int = 1_000) -> String { PlainText.line(words, limit: limit) }
        return switch self {
        case .asked(let run, let workflow, let end):
            "the run \(run) of '\(workflow)' waits for approval until \(end.formatted(.iso8601)): graphflow approve \(run)"
        case .expired(let run, let workflow):
            "the run \(run) of '\(workflow)' is cancelled: no one approved it in time"
        case .refused(let run, let refusal):
            "warning: an approval of the run \(run) does not count: \(line(refusal.reason))"
        case .waits(let run, let why): "warning: the run \(run) waits: \(line(why))"
        case .mailFailed(let run, let why):
            "warning: the mail about the run \(run) was not sent, and is tried again: \(line(why, 500))"
        }
    }
}

extension Mail {
    /// The mail about a run that waits for approval, with its plan as a page.
    static func asking(
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

extension RunDesk {
    /// The desk of this user's runs.
    /// - Parameters:
    ///   - sandbox: What answers instead of Microsoft; nil for Microsoft.
    ///   - graph: Has the credential of the runs.
    init(
        _ runs: RunsFolder, in sandbox: Sandbox?, over graph: @escaping @Sendable () async throws -> GraphClient,
        now: @escaping @Sendable () -> Date = { Date() }, _ console: Console
    ) {
        self.init(
            runs,
            keys: {
                do { return try ApprovalAuthority(console, in: sandbox).keys() } catch { return Promise(error: error) }
            }, runner: { Promise { await (try graph()).runnerID(console, in: sandbox) } }, now: now)
    }
}
