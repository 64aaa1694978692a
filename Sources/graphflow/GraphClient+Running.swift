extension GraphClient {
    /// The client for workflows: a sandbox, or the service with the credential of the environment or the sign-in.
    ///
    /// Requests a token before anything runs, so that a workflow does not stop halfway because a sign-in is missing or
    /// because an application has no user.
    /// - Parameters:
    ///   - sandbox: The sandbox; nil for the service.
    ///   - others: What answers for services other than the sandbox.
    ///   - console: The environment, and the terminal for signing in.
    ///   - mode: How the workflows are planned, which asks for no token, or takes any, because the plan reports missing
    ///     permissions; nil if they run.
    static func forRunning(
        _ workflows: [Workflow], in sandbox: Sandbox? = nil, others: SandboxOption.Others = .network,
        _ console: Console, planned mode: Plan.Mode? = nil
    ) async throws -> GraphClient {
        guard mode != .dry else {
            return GraphClient(credential: .environment(console.environment), environment: console.environment)
        }
        if let sandbox { return .forSandbox(sandbox, others: others) }
        let scopes = workflows.flatMap { $0.neededScopes() }
            .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        guard workflows.contains(where: \.needsToken) else {
            // A workflow that does not call Graph needs no sign-in.
            let graph = GraphClient(
                credential: .environment(console.environment), transport: console.network,
                environment: console.environment)
            _ = try graph.baseURL
            return graph
        }
        let access = try SignInArguments().access(console)
        let token = try await access.credential.token(for: mode == nil ? scopes : []).value
        if token.isOfApplication == true {
            let findings = workflows.flatMap { $0.findingsForApplication() }
            guard findings.isEmpty else { throw InvalidWorkflow(diagnostics: findings) }
        }
        var graph = access.graph
        // A token that is renewed during the run needs all permissions.
        if mode == nil { graph.askedPermissions = scopes }
        return graph
    }

    /// The client for a sandbox, which answers for Microsoft.
    static func forSandbox(_ sandbox: Sandbox, others: SandboxOption.Others = .network) -> GraphClient {
        GraphClient(
            credential: .fixed(AccessToken(sandbox.accessToken)), baseURL: Sandbox.baseURL,
            transport: SandboxNetwork(sandbox, others: others.transport), gate: RequestGate())
    }

    /// Fails if the runs of a journal called another service.
    /// - Parameters:
    ///   - name: What called it, in words.
    ///   - hint: What to do, with the variable that names that service.
    func demandService(of header: Journal.Header, called name: String, _ hint: (String) -> String) throws {
        let address = try baseURL.absoluteString
        guard let other = header.graphURL, other != address else { return }
        let shown = PlainText.exact(other, limit: 200)
        throw UsageError(
            "\(name) called \(shown), but GRAPHFLOW_GRAPH_URL is \(address)", hint: hint("GRAPHFLOW_GRAPH_URL=\(shown)")
        )
    }
}
