import Foundation

/// One entry of a token cache.
struct TokenCacheEntry: Sendable {
    /// A token with less than this left counts as ended, as MSAL has it.
    static let margin = 300

    let key: String
    let value: Value

    /// A member that is a text, and not an empty one.
    func text(_ name: String) -> String? { value[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    /// A member that is a time; MSAL writes numbers as texts, and older versions did not.
    func seconds(_ name: String) -> Int? {
        value[name].flatMap { $0.integer ?? $0.string.flatMap { Int($0) } }
    }

    /// The token.
    var secret: Secret? { text("secret").map { Secret($0) } }

    /// What an access token is good for.
    var scopes: [String] { (text("target") ?? "").split(separator: " ").map(String.init) }

    /// When an access token ends.
    var expiresAt: Date? { seconds("expires_on").map { Date(timeIntervalSince1970: Double($0)) } }

    /// Whether an access token is one that a request carries as it is.
    var isBearer: Bool { (text("token_type") ?? "Bearer").lowercased() == "bearer" }

    /// The account that an entry of that kind describes.
    var account: Account? {
        guard let id = text("home_account_id"), let environment = text("environment") else { return nil }
        return Account(
            homeAccountID: id, environment: environment.lowercased(), tenant: text("realm") ?? "",
            username: text("username") ?? "", name: text("name"))
    }

    /// Whether the entry is of that account, in whatever tenant, and under whatever name of its cloud.
    func belongs(to account: Account) -> Bool {
        text("home_account_id") == account.homeAccountID
            && Cloud.environments(of: account.environment).contains((text("environment") ?? "").lowercased())
    }

    /// Whether an access token has enough time left.
    func isGood(now: Date) -> Bool {
        let now = Int(now.timeIntervalSince1970)
        guard secret != nil, let end = seconds("expires_on"), end - Self.margin > now else { return false }
        // Where the clock was set back, nobody knows any more how much time is left.
        return (seconds("cached_at") ?? 0) <= now + Self.margin
    }

    /// Whether another access token should be got, though this one is still good.
    func isDueForRefresh(now: Date) -> Bool {
        seconds("refresh_on").map { $0 <= Int(now.timeIntervalSince1970) } ?? false
    }
}
