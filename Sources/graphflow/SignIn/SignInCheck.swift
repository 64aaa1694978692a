/// `graphflow login --check`: finds the problems that keep a run from signing in, and says how to fix each.
struct SignInCheck {
    /// The result of one check.
    struct Finding {
        var isGood: Bool
        var text: String

        var line: String { "\(isGood ? "✓" : "✗") \(text)" }
    }

    /// The address to which a browser returns after a sign-in.
    private static let redirectAddress = "http://localhost"

    let platform: IdentityPlatform
    /// The application for signed-in users; nil if none is given.
    let client: String?
    /// The permissions that are needed with a signed-in user, and with an application.
    let wanted: Permissions
    let access: () throws -> GraphAccess
    /// Whether the environment has an application's credential or a token.
    let isUnattended: Bool
    /// The paths of the files that need the permissions, as given.
    let files: [String]

    func findings() async -> [Finding] {
        let tenant = await tenant()
        guard tenant.isGood else { return [tenant] }
        var findings = [tenant]
        if !isUnattended {
            findings.append(await application())
            guard findings.allSatisfy(\.isGood) else { return findings }
        }
        return findings + (await account())
    }

    private func tenant() async -> Finding {
        let name = PlainText.line(platform.authority.tenant, limit: 100)
        do {
            try await platform.checkTenant().value
            return Finding(
                isGood: true,
                text: platform.authority.isOneTenant ? "the tenant \(name) exists" : "any tenant (\(name))")
        } catch {
            return Finding(isGood: false, text: "the tenant \(name): \(Self.words(error))")
        }
    }

    private func application() async -> Finding {
        guard let client else {
            return Finding(
                isGood: false,
                text: "no application to sign in to: give '--client-id ID', or set AZURE_CLIENT_ID; register one at "
                    + "https://entra.microsoft.com")
        }
        let name = PlainText.line(client, limit: 100)
        do {
            try await platform.checkApplication(client, redirectingTo: Self.redirectAddress).value
            return Finding(
                isGood: true, text: "the application \(name) allows the redirect address \(Self.redirectAddress)")
        } catch {
            return Finding(isGood: false, text: "the application \(name): \(Self.words(error))")
        }
    }

    private func account() async -> [Finding] {
        do {
            let access = try access()
            let grant = try await access.credential.grant(for: TokenNeed([])).value
            let who = grant.isApplication ? "an application" : PlainText.line(grant.username ?? "somebody", limit: 200)
            var findings = [Finding(isGood: true, text: "there is a token for \(who), from \(grant.source)")]
            findings.append(permissions(of: grant))
            if !grant.isApplication { findings.append(await answer(of: access.graph)) }
            return findings
        } catch {
            return [Finding(isGood: false, text: Self.words(error))]
        }
    }

    private func permissions(of grant: TokenGrant) -> Finding {
        let names = grant.isApplication ? wanted.application : wanted.delegated
        let granted = grant.scopes ?? []
        let missing = names.filter { !granted.cover([$0]) }
        guard !missing.isEmpty else {
            let has = granted.isEmpty ? "none" : granted.joined(separator: ", ")
            return Finding(
                isGood: true,
                text: names.isEmpty
                    ? "permissions: \(has)" : "it has the needed permissions: \(names.joined(separator: ", "))"
            )
        }
        let list = missing.joined(separator: ", ")
        guard !grant.isApplication else {
            return Finding(
                isGood: false,
                text: "it lacks the application permissions \(list): add them in the application's registration, then "
                    + "grant admin consent: \(adminConsent(grant))")
        }
        let options = files.map { " --for \($0.shellWord)" }.joined()
        return Finding(
            isGood: false,
            text: "it lacks the permissions \(list): run 'graphflow login\(options)'; if you may not consent to them, "
                + "ask an administrator to open \(adminConsent(grant))")
    }

    /// The page where an administrator grants the permissions in the application's registration.
    private func adminConsent(_ grant: TokenGrant) -> String {
        let tenant = grant.tenant ?? platform.authority.tenant
        let name = PlainText.line(client ?? "CLIENT-ID", limit: 100)
        return "\(platform.authority.host.absoluteString)/\(tenant)/adminconsent?client_id=\(name)"
    }

    private func answer(of graph: GraphClient) async -> Finding {
        do {
            let user = try await graph.me(user: nil).value
            return Finding(
                isGood: true, text: "Microsoft Graph answers as \(PlainText.line(user.displayName, limit: 200))")
        } catch {
            return Finding(isGood: false, text: "Microsoft Graph: \(Self.words(error))")
        }
    }

    private static func words(_ error: any Error) -> String {
        guard let error = error as? CredentialError else { return PlainText.line("\(error)", limit: 1_000) }
        let service = error.serviceMessage.map { " (\(PlainText.line($0, limit: 300)))" } ?? ""
        return PlainText.line(error.message, limit: 1_000) + service
    }
}
