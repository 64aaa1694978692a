/// The addresses at which a person looks at a plan of an agent, signs in, and so approves it.
///
/// Only this machine reaches them. Knowing an address does not let anyone approve: that needs the sign-in of an approver.
final class ApprovalAddress: Sendable {
    private let environment: [String: String]
    private let approvals: BoardApprovals
    private let listener = Locked<LoopbackListener?>(nil)
    /// A form of another page does not have it, so that no other page begins a sign-in.
    private let proof = Data.random(16).hex

    init(environment: [String: String]) {
        self.environment = environment
        approvals = BoardApprovals(environment: environment)
    }

    deinit { stop() }

    /// The address of a plan; nil if no port can be opened.
    func url(of run: String) -> String? {
        let port = listener.withLock { listener -> UInt16? in
            if listener == nil {
                listener = try? LoopbackListener(
                    port: 0, bodyLimit: { _ in 1 << 10 },
                    answer: { [weak self] in (self?.answer($0) ?? HTTPResponse(status: 503), .whole) })
                listener?.run()
            }
            return listener?.port
        }
        return port.map { "http://127.0.0.1:\($0)/approve/\(run)" }
    }

    func stop() { listener.take()?.stop() }

    private func answer(_ request: HTTPRequest) -> HTTPResponse {
        let path = request.url.path().split(separator: "/").map(String.init)
        guard path.count == 2, path[0] == "approve" else { return Self.page("There is no such page.", status: 404) }
        do {
            let (summary, folder, _) = try KeptRuns.standard(environment: environment).find(path[1])
            // People at a terminal may name a run by its beginning; an address is whole.
            guard summary.isOfAgent, summary.run == path[1] else {
                return Self.page("There is no such plan.", status: 404)
            }
            let requests = try ApprovalRequests(of: summary.run, in: folder)
            guard summary.state == .waiting, let waiting = requests.request(ApprovalRequest.plan),
                let plan = waiting.plan, waiting.expires > Date()
            else { return Self.page("This plan no longer waits for an approval: it is \(summary.state.rawValue).") }
            if request.method == "POST" {
                guard request.body == Data("proof=\(proof)".utf8) else {
                    return Self.page("Open the address of the plan again.", status: 403)
                }
                let signIn = try approvals.approve(summary.run, ["id": .string(waiting.id)])["address"]?.string ?? ""
                let address = signIn.htmlEscaped
                return Self.page(
                    html: "<p>The sign-in opens. <a href=\"\(address)\">Open it</a> if it does not.</p>",
                    refresh: address)
            }
            let view = PlanView(try ApprovedPlan(plan).plan)
            let workflow = RunReport.workflow(of: summary.run, in: folder)
            return Self.page(
                html: """
                    \(PlanPage(view: view, workflow: workflow).content)
                    <form method="post"><input type="hidden" name="proof" value="\(proof)">
                    <p>An agent planned it. It can be approved until \(waiting.expires.formatted(.iso8601)). To reject it, run
                    <code>graphflow reject \(summary.run)</code>.</p>
                    <p><button>Sign in and approve</button></p></form>
                    """)
        } catch let refusal as BoardActs.Refusal {
            return Self.page(refusal.text, status: 409)
        } catch {
            return Self.page(Failure(error).text(colour: false), status: 404)
        }
    }

    private static func page(_ text: String, status: Int = 200) -> HTTPResponse {
        page(html: "<p>\(PageText.text(text))</p>", status: status)
    }

    /// - Parameter refresh: The address that follows at once, escaped; nil for none.
    private static func page(html: String, status: Int = 200, refresh: String? = nil) -> HTTPResponse {
        let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'self'"
        let next = refresh.map { "<meta http-equiv=\"refresh\" content=\"0;url=\($0)\">" } ?? ""
        let page = PageText.document(
            "Approve a plan", policy: policy, style: PageFiles.planStyle, "\(next)<main>\n\(html)\n</main>")
        return HTTPResponse(
            status: status,
            headers: [
                "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": "frame-ancestors 'none'",
                "X-Frame-Options": "DENY", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            ], body: Data(page.utf8))
    }
}
