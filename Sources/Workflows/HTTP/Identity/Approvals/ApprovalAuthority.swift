/// The tenant and the application to which approvers sign in.
package struct ApprovalAuthority: Sendable {
    /// Names the application for approvals, if it is not that of runs.
    package static let variable = "GRAPHFLOW_APPROVAL_CLIENT_ID"

    let platform: IdentityPlatform
    package let client: String
    private let isSandbox: Bool

    /// - Parameter isSandbox: Whether the platform is that of a sandbox inside this process.
    package init(_ platform: IdentityPlatform, client: String, isSandbox: Bool = false) {
        (self.platform, self.client, self.isSandbox) = (platform, client, isSandbox)
    }

    /// - Throws: ``ApprovalRefusal`` if the approvers' tenant is not configured.
    package func demandTenant() throws(ApprovalRefusal) {
        guard !platform.authority.isOneTenant else { return }
        throw ApprovalRefusal(
            "the tenant of the approvers is not known", hint: "set AZURE_TENANT_ID, or sign in: graphflow login")
    }

    /// Reads the keys that the tenant publishes; rejected with ``ApprovalRefusal`` if they cannot be had.
    package func keys() -> Promise<ApprovalKeys> {
        let authority = platform.authority
        do throws(ApprovalRefusal) { try demandTenant() } catch { return Promise(error: error) }
        return platform.read(authority.discovery, for: "keys").then(on: nil) { discovery -> Promise<ApprovalKeys> in
            guard let issuer = discovery.members["issuer"]?.string, !issuer.contains("{"),
                let place = discovery.members["jwks_uri"]?.string.flatMap({ URL(string: $0) }),
                Origin(place)?.isPrivate == true
            else { throw ApprovalRefusal("\(authority.environment) does not say where its keys are") }
            return platform.read(place, for: "keys").map(on: nil) { answer in
                let keys = ApprovalKeys(
                    issuer: issuer, tenant: tenant(of: issuer), client: client, isSandbox: isSandbox,
                    keys: answer.members["keys"]?.array ?? [],
                    clocks: answer.date.map { ($0, platform.now()) })
                try keys.checkClock()
                return keys
            }
        }.recover(on: nil) { error -> Promise<ApprovalKeys> in
            if error is ApprovalRefusal { throw error }
            let words = (error as? CredentialError)?.message ?? "\(error)"
            throw ApprovalRefusal("the keys of the sign-in service cannot be had: \(PlainText.line(words, limit: 400))")
        }
    }

    /// The id of the configured tenant, or else the one in the issuer's address.
    private func tenant(of issuer: String) -> String? {
        let named = platform.authority.tenant
        if UUID(uuidString: named) != nil { return named }
        return URL(string: issuer)?.pathComponents.first { UUID(uuidString: $0) != nil }
    }

    /// Signs the approver in, with the statement's nonce; no one stays signed in, and no token is kept.
    /// - Parameters:
    ///   - policy: Whose approval counts.
    ///   - returning: Where the browser comes back, for a `state`; nil for a port of this machine.
    ///   - keep: Keeps the approval, and says what the person reads in the browser then.
    package func sign(
        _ statement: ApprovalStatement, as policy: ApprovalPolicy, port: UInt16 = 0, _ browser: Browser,
        returning: (@Sendable (_ state: String) -> SignInReturn)? = nil,
        prompt: @escaping @Sendable (SignInPrompt) -> Void,
        keep: @escaping @Sendable (CheckedApproval) throws -> RedirectPage
    ) -> Promise<CheckedApproval> {
        keys().then(on: nil) { keys -> Promise<CheckedApproval> in
            let flow = try BrowserFlow(
                platform, clientID: client, scope: "openid profile", nonce: statement.nonce, prompt: "login",
                hint: nil, port: port, command: "graphflow approve", returning: returning)
            let failure: @Sendable (any Error) -> RedirectPage = { error in
                guard let refusal = error as? ApprovalRefusal else { return RedirectPage(error) }
                let text = [refusal.reason, refusal.hint].compactMap(\.self).joined(separator: "; ")
                return .decided(title: "Nothing was decided", text: text)
            }
            return flow.run(browser, prompt: prompt, failure: failure) {
                answer -> Promise<(CheckedApproval, RedirectPage)> in
                guard let token = answer.idTokenText?.revealed else {
                    throw ApprovalRefusal("the sign-in service returned no ID token")
                }
                let id = JSONWebToken(token)?.head["kid"]?.string
                let checked = try policy.check(
                    SignedApproval(statement, idToken: token, key: keys.published(id)), with: keys,
                    now: platform.now())
                guard ApprovalKeys.ageAtSignIn.contains(platform.now().timeIntervalSince(checked.at)) else {
                    throw ApprovalRefusal(
                        "this machine's clock differs from the sign-in service's", hint: "set the clock")
                }
                return .value((checked, try keep(checked)))
            }
        }
    }
}
