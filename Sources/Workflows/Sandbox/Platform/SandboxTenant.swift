enum SandboxTenant {
    static let id = "b5a1e9f2-6c0d-4f0e-9a53-2f1f3c8e7d40"
    static let name = "Contoso"
    /// The tenant of personal accounts, which the sandbox lacks.
    static let consumersID = "9188040d-6c67-4c5b-b112-36a304b66dad"

    private static let shared: Set<String> = ["common", "organizations", "consumers"]
    private static let own: Set<String> = [id, "contoso.com", "contoso.onmicrosoft.com"]

    static func isKnown(_ name: String) -> Bool {
        shared.contains(name.lowercased()) || own.contains(name.lowercased()) || isConsumers(name)
    }

    /// Whether the segment names one tenant, as a sign-in without a person requires.
    static func isOne(_ name: String) -> Bool { own.contains(name.lowercased()) }

    static func isConsumers(_ name: String) -> Bool {
        name.lowercased() == "consumers" || name.lowercased() == consumersID
    }
}

extension SandboxUser {
    /// The people who can sign in; a room cannot.
    static let accounts = people.filter { $0.givenName != nil }

    static func account(_ name: String) -> SandboxUser? {
        let name = name.lowercased()
        return accounts.first { $0.userPrincipalName.lowercased() == name || $0.id == name }
    }

    static func signingIn(_ name: String) throws(Sandbox.SignInError) -> SandboxUser {
        guard let account = account(name) else {
            let names = accounts.map(\.userPrincipalName).joined(separator: ", ")
            throw Sandbox.SignInError("'\(name)' is not an account of the sandbox, only \(names)")
        }
        return account
    }
}
