/// `graphflow logout`: forgets the tokens of a signed-in account.
struct LogoutCommand: Command {
    static let name = "logout"
    static let summary = "Forget the tokens of the signed-in account."
    static let examples = ["logout"]
    static let discussion = """
        Forgets every token of the account, for all tenants and applications. The service is not notified: a browser
        that is signed in stays signed in.
        """

    @Flag("all", "Forget every account.") private var isForAll
    @Option("account", "NAME", "The account, by its user principal name.") private var username: String?

    static func hint(insteadOf operand: String) -> String? { "graphflow logout --account NAME" }

    func validate() throws(UsageError) { try exclude($isForAll, $username) }

    func run(on console: Console) async throws -> ExitStatus {
        let cache = SignInArguments.cache(console)
        if isForAll {
            let names = try await cache.forgetAll().value.map(\.username)
            console.complain(names.isEmpty ? "No account was signed in." : "Signed out: \(Self.text(names)).")
            return .success
        }
        let accounts = try cache.accounts
        guard let account = accounts.first(where: { username.map($0.isNamed) ?? true }) else {
            guard let username else {
                console.complain("No account was signed in.")
                return .success
            }
            throw UsageError(
                "'\(username)' is not signed in",
                hint: accounts.isEmpty
                    ? "no account is signed in" : "signed in: \(Self.text(accounts.map(\.username)))")
        }
        try await cache.forget([account]).value
        console.complain("Signed out: \(Self.text([account.username])).")
        let rest = try cache.accounts
        if let next = rest.first {
            console.complain("Still signed in, and now in use: \(Self.text([next.username])).")
        }
        return .success
    }

    private static func text(_ names: [String]) -> String {
        PlainText.line(names.joined(separator: ", "), limit: 1_000)
    }
}
