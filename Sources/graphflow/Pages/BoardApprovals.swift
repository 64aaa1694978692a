/// Shows what waits for approval on the board, and approves by the approver's sign-in, as `graphflow approve` does.
final class BoardApprovals: Sendable {
    /// How long the sign-in service may take to say where its keys are.
    private static let patience = Duration.seconds(30)

    private let console: Console
    /// Why the last sign-in for a request failed, by the run and the request.
    private let failures = Locked<[String: String]>([:])
    /// The sign-in in progress of each request; a second one ends the first.
    private let signIns = Locked<[String: Promise<Void>]>([:])

    init(environment: [String: String]) { console = Console(environment: environment) }

    /// What a run waits for: the text of each request, and the page of a plan.
    func list(of run: String) throws -> Value {
        let kept = KeptRuns.standard(environment: console.environment)
        let (summary, folder, _) = try kept.find(run)
        let open = try ApprovalRequests(of: run, in: folder).open
        return .array(
            open.map { request in
                let waiting = WaitingRun(summary, folder, request)
                var members: Object = [
                    "id": .string(request.id), "expires": .string(request.expires.iso8601),
                    "text": .string(waiting.text(PlanStyle(hasColour: false))),
                ]
                members["page"] = waiting.page.map(Value.string)
                members["failure"] = failures.withLock { $0["\(run) \(request.id)"] }.map(Value.string)
                return .object(members)
            })
    }

    /// Begins the sign-in of an approver.
    /// - Returns: The address that the approver opens.
    func approve(_ run: String, _ options: Object) throws -> Value {
        let address = try signIn(to: .approve, try waiting(run, options), note: options["note"]?.string ?? "")
        return ["address": .string(address.absoluteString)]
    }

    /// Begins the sign-in of a person who decides.
    /// - Parameters:
    ///   - browser: What distinguishes people who sign in for the same; a second sign-in of one ends the first.
    ///   - redirect: The address to which the browser comes back, and what waits there; nil for a port of this machine.
    /// - Returns: The address that the person opens.
    func signIn(
        to decision: WaitingRun.Decision, _ waiting: WaitingRun, note: String, in browser: String = "",
        redirect: (address: URL, returning: @Sendable (_ state: String) -> SignInReturn)? = nil
    ) throws -> URL {
        let request = waiting.request
        let statement: ApprovalStatement
        let authority: ApprovalAuthority
        var server: SandboxServer?
        if waiting.summary.isSandboxed {
            let sandbox = Sandbox()
            if let redirect { sandbox.signInRules.redirectURIs.append(redirect.address.absoluteString) }
            server = SandboxServer(sandbox)
        }
        do {
            statement = try waiting.statement(to: decision, note)
            authority =
                try server.map { try ApprovalAuthority(servedAt: try $0.start()) }
                ?? ApprovalAuthority(console, in: nil)
        } catch let error as ApprovalRefusal {
            throw BoardActs.Refusal(text: [error.reason, error.hint].compactMap(\.self).joined(separator: "\n"))
        }
        let (address, opened) = Promise<URL>.pending()
        let opening = Browser { url in
            opened.fulfill(url)
            return true
        }
        let place = [waiting.summary.run, request.id, browser].filter { !$0.isEmpty }.joined(separator: " ")
        failures.withLock { $0[place] = nil }
        let policy = ApprovalPolicy(approvers: request.approvers)
        let signIn = authority.sign(statement, as: policy, opening, returning: redirect?.returning, prompt: { _ in }) {
            try waiting.keep(decision, by: $0)
        }.map { _ in }.ensure { [server, signIns] in
            server?.stop()
            // Other machines' browsers are many.
            if !browser.isEmpty { signIns.withLock { $0[place] = nil } }
        }
        signIns.withLock { $0.updateValue(signIn, forKey: place) }?.cancel()
        signIn.catch(policy: .allErrors) { [failures] error in
            // The person reads it in the browser that came back.
            if redirect == nil { failures.withLock { $0[place] = Self.words(of: error) } }
            opened.reject(error)
        }
        do {
            return try address.timeout(Self.patience).wait()
        } catch {
            signIn.cancel()
            throw BoardActs.Refusal(text: Self.words(of: error))
        }
    }

    private static func words(of error: any Error) -> String {
        let words = (error as? ApprovalRefusal)?.reason ?? (error as? CredentialError)?.message ?? "\(error)"
        return PlainText.line(words, limit: 1_000)
    }

    func reject(_ run: String, _ options: Object) throws {
        try waiting(run, options).reject(options["note"]?.string ?? "", console, at: Date())
    }

    private func waiting(_ run: String, _ options: Object) throws -> WaitingRun {
        let (summary, folder, _) = try KeptRuns.standard(environment: console.environment).find(run)
        let id = options["id"]?.string
        // Only the ids of open requests, because an id is part of a path.
        guard let request = try ApprovalRequests(of: run, in: folder).open.first(where: { $0.id == id }) else {
            throw BoardActs.Refusal(text: "the run \(run) no longer waits for this")
        }
        return WaitingRun(summary, folder, request)
    }
}
