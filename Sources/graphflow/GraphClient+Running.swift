import Promises
import Workflows

extension GraphClient {
    /// The Microsoft Graph that workflows call: a sandbox, or the real one as who the environment says or who signed in.
    ///
    /// Asked for a token before anything runs: a workflow that nobody is signed in for shall not stop in its middle.
    /// - Parameters:
    ///   - workflows: The workflows.
    ///   - profile: The profile of the sandbox; nil for the real service.
    ///   - console: Where the environment is, and where a person is asked to sign in.
    ///   - isPlanned: Whether a token for what there is is enough: what is missing the plan says.
    static func forRunning(
        _ workflows: [Workflow], in profile: Sandbox.Profile? = nil, _ console: Console, isPlanned: Bool = false
    ) async throws -> GraphClient {
        if let profile {
            let sandbox = Sandbox(profile: profile)
            return GraphClient(
                credential: .fixed(AccessToken(sandbox.accessToken)), baseURL: Sandbox.baseURL,
                transport: sandbox.transport, gate: RequestGate())
        }
        let scopes = workflows.flatMap { [$0] + $0.referencedWorkflows }.flatMap { $0.neededScopes() }
            .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        guard !scopes.isEmpty else {
            // A workflow that asks Graph for nothing needs nobody.
            let graph = GraphClient(credential: .environment(console.environment), environment: console.environment)
            _ = try graph.baseURL
            return graph
        }
        let access = try SignInArguments.none.access(console)
        _ = try await access.credential.token(for: isPlanned ? [] : scopes).value
        return access.graph
    }
}
