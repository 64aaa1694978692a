extension EffectPerspective {
    /// Names the organization's domains, separated by commas.
    private static let variable = "GRAPHFLOW_DOMAINS"

    /// The account of a command's requests, as far as it is known without a request or a question.
    /// - Parameter sandbox: The sandbox that answers; nil for the service.
    init(_ console: Console, in sandbox: Sandbox?) {
        let domains = (console.environment[Self.variable] ?? "").split(separator: ",")
            .map { $0.trimmingPrefix("@").filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
        let (account, objectID) = sandbox.map { ($0.account, $0.accountID) } ?? Self.account(console)
        self.init(account: account, domains: domains)
        self.objectID = objectID
    }

    private static func account(_ console: Console) -> (address: String?, objectID: String?) {
        if let token = console.variable("GRAPHFLOW_ACCESS_TOKEN").map({ AccessToken($0) }) {
            return (token.claimedUser, token.claimedObjectID)
        }
        // An application has no account.
        guard !SignInArguments.isApplication(console.environment), let account = console.signedInAccount else {
            return (nil, nil)
        }
        return (account.username.isEmpty ? nil : account.username, account.objectID)
    }
}

extension Console {
    /// A variable of the environment; nil if it is empty.
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// The account of the tenant in the environment, or else the one that signed in last; nil if none is signed in.
    var signedInAccount: Account? {
        guard let accounts = try? SignInArguments.cache(self).accounts else { return nil }
        let tenant = variable("AZURE_TENANT_ID")?.lowercased()
        return accounts.first { $0.tenant.lowercased() == tenant } ?? accounts.first
    }
}
