extension ApprovalAuthority {
    /// The tenant and the application of approvers: those of the environment, or else of the signed-in account.
    /// - Parameter sandbox: The sandbox whose people approve; nil for the service.
    init(_ console: Console, in sandbox: Sandbox?) throws {
        guard let sandbox else {
            let platform = try Self.platform(console)
            let configured = [Self.variable, "AZURE_CLIENT_ID"].lazy.compactMap { console.variable($0) }.first
            guard
                let client = configured ?? SignInArguments.cache(console).lastClientID(of: platform.authority)
            else {
                throw ApprovalRefusal(
                    "the application that approvers sign in to is not known",
                    hint: "set \(Self.variable) to the id of an application with the redirect address http://localhost")
            }
            self.init(platform, client: client)
            return
        }
        let platform = IdentityPlatform(
            authority: try Authority(host: "http://127.0.0.1", tenant: Sandbox.tenantID), transport: sandbox.transport)
        self.init(platform, client: Sandbox.applicationID, isSandbox: true)
    }

    /// Reads the keys of the approvers' tenant.
    static func keys(_ console: Console, in sandbox: Sandbox?) -> Promise<ApprovalKeys> {
        do { return try ApprovalAuthority(console, in: sandbox).keys() } catch { return Promise(error: error) }
    }

    private static func platform(_ console: Console) throws -> IdentityPlatform {
        let platform = try IdentityPlatform(environment: console.environment, transport: console.network)
        guard !platform.authority.isOneTenant, let tenant = console.signedInAccount?.tenant else { return platform }
        return try IdentityPlatform(
            environment: console.environment, tenant: tenant, transport: console.network)
    }

    /// The platform of a sandbox that a browser can reach.
    init(servedAt port: Int) throws {
        let platform = IdentityPlatform(
            authority: try Authority(host: "http://127.0.0.1:\(port)", tenant: Sandbox.tenantID))
        self.init(platform, client: Sandbox.applicationID, isSandbox: true)
    }
}

extension Approver {
    /// Waits for answers in the run's folder, and says on standard error what is waited for.
    static func waiting(_ console: Console, in sandbox: Sandbox?) -> Approver {
        watching(
            .continuous, now: { Date() },
            keys: { ApprovalAuthority.keys(console, in: sandbox) },
            onAsk: { request in
                guard case .question(let run, let task, let text, _) = request.subject else { return }
                let names = (request.approvers ?? []).joined(separator: ", ")
                let head =
                    "'\(PlainText.exact(request.name ?? task, limit: 100))' waits until "
                    + "\(request.expires.formatted(.iso8601)) for \(PlainText.line(names, limit: 500)): "
                    + PlainText.line(text, limit: 500)
                console.complain(([head] + request.commands(in: run)).joined(separator: "\n"))
            },
            onRefusal: { request, refusal in
                console.complain(
                    "warning: an approval does not count: \(PlainText.line(refusal.reason, limit: 1_000))")
            })
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
            runs, keys: { ApprovalAuthority.keys(console, in: sandbox) },
            runner: { Promise { await (try graph()).runnerID(console, in: sandbox) } }, now: now)
    }
}
