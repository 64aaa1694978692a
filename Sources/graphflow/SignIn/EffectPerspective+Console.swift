import Essentials
import Workflows

extension EffectPerspective {
    /// Names the organization's domains, separated by commas.
    private static let variable = "GRAPHFLOW_DOMAINS"

    /// The account of a command's requests, as far as it is known without a request or a question.
    /// - Parameter sandbox: The sandbox that answers; nil for the service.
    init(_ console: Console, in sandbox: Sandbox?) {
        let domains = (console.environment[Self.variable] ?? "").split(separator: ",")
            .map { $0.trimmingPrefix("@").filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
        self.init(account: sandbox?.account ?? Self.account(console), domains: domains)
    }

    private static func account(_ console: Console) -> String? {
        func variable(_ name: String) -> String? { console.environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let token = variable("GRAPHFLOW_ACCESS_TOKEN") { return AccessToken(token).claimedUser }
        // An application has no account.
        guard !SignInArguments.isApplication(console.environment) else { return nil }
        guard let accounts = try? SignInArguments.cache(console).accounts else { return nil }
        let tenant = variable("AZURE_TENANT_ID")?.lowercased()
        let account = accounts.first { $0.tenant.lowercased() == tenant } ?? accounts.first
        return account.flatMap { $0.username.isEmpty ? nil : $0.username }
    }
}
