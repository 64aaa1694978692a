/// The pages at which people look at what a run waits for, sign in, and so approve or reject it.
///
/// Everyone who knows an address can look. To decide needs the sign-in of an approver, in the browser that opened the
/// page: no one can be led to a sign-in that decides something unseen.
final class ApprovalPages: Sendable {
    /// A sign-in that comes back here.
    private struct Visit: Sendable {
        /// The browser that began it, as its cookie names it.
        let browser: String
        let place: SignInReturn
    }

    /// The most that a form may have, in bytes.
    private static let largestForm = 1 << 14
    private static let mostVisits = 100

    private let environment: [String: String]
    private let approvals: BoardApprovals
    /// The public address; nil if the pages are for browsers of this machine, to which sign-ins come back.
    private let address: URL?
    private let isShown: @Sendable (RunSummary) -> Bool
    /// A form of another page does not have what is made of it, so that no other page begins a sign-in.
    private let key = Data.random(32)
    private let visits = Locked<[String: Visit]>([:])
    /// The port at which this machine's browsers reach the pages; nil before it is open.
    private let port = Locked<UInt16?>(nil)

    /// - Parameter isShown: Which runs have a page.
    init(
        environment: [String: String], at address: URL? = nil,
        showing isShown: @escaping @Sendable (RunSummary) -> Bool = { _ in true }
    ) {
        (self.environment, self.address, self.isShown) = (environment, address, isShown)
        approvals = BoardApprovals(environment: environment)
    }

    /// The path of the pages, to which sign-ins come back.
    var path: String { address?.path(percentEncoded: true) ?? "/approve" }

    private var isEncrypted: Bool { address?.scheme == "https" }
    /// The prefix keeps sites of the same domain from setting it.
    private var cookie: String { isEncrypted ? "__Host-graphflow-approval" : "graphflow-approval" }

    func open(at port: UInt16) { self.port.withLock { $0 = port } }

    /// The address of a run's page; nil if there is none yet.
    func url(of run: String) -> String? {
        (address?.absoluteString ?? port.withLock { $0 }.map { "http://127.0.0.1:\($0)\(path)" }).map { "\($0)/\(run)" }
    }

    /// The response to a request for a page; nil for any other path.
    func answer(_ request: HTTPRequest) -> HTTPResponse? {
        let asked = request.url.path(percentEncoded: true)
        if asked == path, address != nil { return comeBack(request) }
        guard asked.hasPrefix("\(path)/") else { return nil }
        guard address != nil || HostName.isServed(field: request.headers["Host"] ?? "") else {
            return Self.page("Only this machine is served here: start the service with '--approve-url'.", status: 421)
        }
        let name = String(asked.dropFirst(path.count + 1))
        guard !name.isEmpty, !name.contains("/") else { return Self.page("There is no such page.", status: 404) }
        do {
            let (summary, folder, _) = try KeptRuns.standard(environment: environment).find(name)
            // People at a terminal may name a run by its beginning; an address is whole.
            guard isShown(summary), summary.run == name else {
                return Self.page("There is no such plan.", status: 404)
            }
            let waiting = try ApprovalRequests(of: summary.run, in: folder).open.filter { $0.expires > Date() }
                .map { WaitingRun(summary, folder, $0) }
            guard summary.state == .waiting, !waiting.isEmpty else {
                return Self.page("This run no longer waits for an approval: it is \(summary.state.rawValue).")
            }
            if request.method == "POST" { return try begin(waiting, request) }
            return show(waiting, to: browser(of: request) ?? Data.random(16).hex)
        } catch let refusal as BoardActs.Refusal {
            return Self.page(refusal.text, status: 409)
        } catch {
            return Self.page(Failure(error).text(colour: false), status: 404)
        }
    }

    private func show(_ waiting: [WaitingRun], to browser: String) -> HTTPResponse {
        let shown = waiting.map { one in
            let fields = [("proof", proof(browser)), ("id", one.request.id)].map { name, value in
                "<input type=\"hidden\" name=\"\(name)\" value=\"\(value.htmlEscaped)\">"
            }
            let planned = one.summary.isOfAgent ? "An agent planned it. " : ""
            return """
                \(one.html)
                <form method="post">\(fields.joined())
                <p>\(planned)\(PageText.text(one.limit))</p>
                <p><label>Note <input name="note" size="60" maxlength="1000"></label></p>
                <p><button name="decision" value="approve">Sign in and approve</button>
                <button name="decision" value="reject">Sign in and reject</button></p></form>
                """
        }
        var response = Self.page(html: shown.joined(separator: "\n<hr>\n"))
        if address != nil {
            let safe = isEncrypted ? "; Secure" : ""
            response.headers["Set-Cookie"] = "\(cookie)=\(browser); Path=/; HttpOnly; SameSite=Lax\(safe)"
        }
        return response
    }

    /// Begins the sign-in of an approver.
    private func begin(_ waiting: [WaitingRun], _ request: HTTPRequest) throws -> HTTPResponse {
        guard request.bodySize <= Self.largestForm else { return Self.page("The note is too long.", status: 413) }
        let body = String(decoding: request.body ?? Data(), as: UTF8.self)
        let form = Form.parse(body)
        let browser = browser(of: request)
        guard form.count == body.split(separator: "&", omittingEmptySubsequences: false).count,
            Set(form.keys).isSubset(of: ["proof", "id", "note", "decision"]),
            let browser, form["proof"] == proof(browser)
        else { return Self.page("Open the address of the plan again.", status: 403) }
        let id = form["id"] ?? ApprovalRequest.plan
        guard let one = waiting.first(where: { $0.request.id == id }) else {
            return Self.page("The run no longer waits for this.", status: 409)
        }
        let decision: WaitingRun.Decision
        switch form["decision"] ?? "approve" {
        case "approve": decision = .approve
        case "reject": decision = .reject
        default: return Self.page("Approve or reject it.", status: 400)
        }
        guard visits.withLock({ $0.count }) < Self.mostVisits else {
            return Self.page("Too many people sign in now. Try again in ten minutes.", status: 503)
        }
        let signIn = try approvals.signIn(
            to: decision, one, note: form["note"] ?? "", in: browser,
            redirect: address.map { ($0, returning(to: $0, browser)) })
        let address = signIn.absoluteString.htmlEscaped
        return Self.page(
            html: "<p>The sign-in opens. <a href=\"\(address)\">Open it</a> if it does not.</p>", refresh: address)
    }

    private func returning(to address: URL, _ browser: String) -> @Sendable (_ state: String) -> SignInReturn {
        { [self] state in
            let place = SignInReturn(address: address.absoluteString) { [weak self] in
                self?.visits.withLock { $0[state] = nil }
            }
            visits.withLock { $0[state] = Visit(browser: browser, place: place) }
            return place
        }
    }

    /// Answers the browser that comes back from the sign-in service.
    private func comeBack(_ request: HTTPRequest) -> HTTPResponse {
        guard request.method == "GET" else { return RedirectPage.wrongMethod.response }
        let parameters = Form.parse(request.url.query(percentEncoded: true) ?? "")
        guard parameters["code"] != nil || parameters["error"] != nil else { return RedirectPage.notFound.response }
        let visit = visits.withLock { $0[parameters["state"] ?? ""] }
        guard let visit, visit.browser == browser(of: request) else { return RedirectPage.notThisSignIn.response }
        return visit.place.take(parameters) { $0.response }
    }

    /// What names the browser, empty for those of this machine; nil for one that has not opened a page.
    private func browser(of request: HTTPRequest) -> String? {
        guard address != nil else { return "" }
        let pairs = (request.headers["Cookie"] ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        return pairs.filter { $0.hasPrefix("\(cookie)=") }.map { String($0.dropFirst(cookie.count + 1)) }
            .first { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) }
    }

    private func proof(_ browser: String) -> String { SHA256.hex(of: key + Data(browser.utf8)) }

    static func page(_ text: String, status: Int = 200) -> HTTPResponse {
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
                "Referrer-Policy": "same-origin",
            ], body: Data(page.utf8))
    }
}
