/// `graphflow whoami`: shows who is signed in, and for how long.
struct WhoamiCommand: Command {
    static let name = "whoami"
    static let summary = "Show who is signed in, and what the token allows."
    static let examples = ["whoami", "whoami --sandbox"]
    static let discussion = "Asks Microsoft Graph, with the credential that a run would use."

    @Flag("json", "Print JSON.") private var wantsJSON
    private let sandbox = SandboxOption()
    private let arguments = SignInArguments()

    static func hint(insteadOf operand: String) -> String? { "graphflow whoami --account NAME" }

    func run(on console: Console) async throws -> ExitStatus {
        let access = try arguments.access(console, in: sandbox)
        var grant = try await access.credential.grant(for: TokenNeed([])).value
        var user: User?
        if !grant.isApplication {
            user = try await access.graph.me(user: nil).value
            // The request may have used another token.
            grant = try await access.credential.grant(for: TokenNeed([])).value
        }
        if wantsJSON {
            console.print(json(user, grant))
        } else {
            console.print(text(user, grant, now: Date()))
        }
        return .success
    }

    private func json(_ user: User?, _ grant: TokenGrant) -> Value {
        func text(_ text: String?) -> Value { text.map { .string($0) } ?? .null }
        return [
            "displayName": text(user?.displayName), "email": text(user?.email), "id": text(user?.id),
            "userPrincipalName": user?.value["userPrincipalName"] ?? .null, "tenant": text(grant.tenant),
            "scopes": grant.scopes.map { .array($0.map { .string($0) }) } ?? .null,
            "expiresAt": text(grant.expiresAt?.formatted(.iso8601)), "source": .string(grant.source),
            "application": .bool(grant.isApplication),
        ]
    }

    private func text(_ user: User?, _ grant: TokenGrant, now: Date) -> String {
        var lines = user.map { [$0.displayName, $0.email].compactMap(\.self) } ?? ["An application without a user"]
        lines.append("tenant:  \(grant.tenant ?? "unknown")")
        lines.append("scopes:  \(grant.scopes.map { $0.joined(separator: ", ") } ?? "unknown")")
        let end = grant.expiresAt.map { end in
            let minutes = Int(end.timeIntervalSince(now) / 60)
            return "expires \(end.formatted(.iso8601)) (\(minutes < 0 ? "expired" : "in \(minutes) min"))"
        }
        lines.append("token:   \(end ?? "its expiry is unknown"), from \(grant.source)")
        return lines.map { PlainText.line($0, limit: 2_000) }.joined(separator: "\n")
    }
}
