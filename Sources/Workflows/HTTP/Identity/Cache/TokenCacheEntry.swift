struct TokenCacheEntry: Sendable {
    /// A token with less time left than this counts as expired, as in MSAL.
    static let margin = 300

    let key: String
    let value: Value

    func text(_ name: String) -> String? { value[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    /// A member that is a time; MSAL writes numbers as strings, older versions as numbers.
    func seconds(_ name: String) -> Int? {
        value[name].flatMap { $0.integer ?? $0.string.flatMap { Int($0) } }
    }

    var secret: Secret? { text("secret").map { Secret($0) } }

    var scopes: [String] { (text("target") ?? "").split(separator: " ").map(String.init) }

    var expiresAt: Date? { seconds("expires_on").map { Date(timeIntervalSince1970: Double($0)) } }

    var isBearer: Bool { (text("token_type") ?? "Bearer").lowercased() == "bearer" }

    var account: Account? {
        guard let id = text("home_account_id"), let environment = text("environment") else { return nil }
        return Account(
            homeAccountID: id, environment: environment.lowercased(), tenant: text("realm") ?? "",
            username: text("username") ?? "", name: text("name"), objectID: text("local_account_id"))
    }

    /// Whether the entry belongs to the account, in any tenant and under any name of its cloud.
    func belongs(to account: Account) -> Bool {
        text("home_account_id") == account.homeAccountID
            && Cloud.environments(of: account.environment).contains((text("environment") ?? "").lowercased())
    }

    func isGood(now: Date) -> Bool {
        let now = Int(now.timeIntervalSince1970)
        guard secret != nil, let end = seconds("expires_on"), end - Self.margin > now else { return false }
        // If the clock was set back, the remaining time is unknown.
        return (seconds("cached_at") ?? 0) <= now + Self.margin
    }

    func isDueForRefresh(now: Date) -> Bool {
        seconds("refresh_on").map { $0 <= Int(now.timeIntervalSince1970) } ?? false
    }
}
