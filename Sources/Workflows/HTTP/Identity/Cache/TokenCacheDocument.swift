/// A token cache's content in MSAL's schema; entries are found by their fields, and unknown content is preserved.
struct TokenCacheDocument: Sendable {
    enum Kind: String, CaseIterable {
        case accessToken = "AccessToken"
        case refreshToken = "RefreshToken"
        case idToken = "IdToken"
        case account = "Account"
        case appMetadata = "AppMetadata"
    }

    struct Problem: Error {
        /// Worded to follow `it`.
        let words: String
    }

    private(set) var root: Object

    init() { root = [:] }

    init(_ data: Data) throws(Problem) {
        guard !data.isEmpty else { throw Problem(words: "is empty") }
        guard let value = try? Value(json: data) else { throw Problem(words: "is not JSON: it may be truncated") }
        guard let root = value.object else { throw Problem(words: "is not a token cache, or one of a newer version") }
        for kind in Kind.allCases {
            guard let section = root[kind.rawValue] else { continue }
            guard let entries = section.object, entries.values.allSatisfy({ $0.object != nil }) else {
                throw Problem(words: "is of a newer version: its '\(kind.rawValue)' has an unknown form")
            }
        }
        self.root = root
    }

    var data: Data { Value.object(root).jsonData(pretty: true) }

    func entries(_ kind: Kind) -> [TokenCacheEntry] {
        (root[kind.rawValue]?.object ?? [:]).map { TokenCacheEntry(key: $0.key, value: $0.value) }
    }

    var accounts: [Account] {
        let refreshTokens = entries(.refreshToken)
        let dated = entries(.account).compactMap { entry -> (account: Account, date: Int)? in
            guard let account = entry.account else { return nil }
            let used = refreshTokens.filter { $0.belongs(to: account) }.compactMap {
                $0.seconds("last_modification_time")
            }
            return (account, entry.seconds("last_modification_time") ?? used.max() ?? 0)
        }
        var seen: Set<String> = []
        return dated.enumerated().sorted { ($0.element.date, $0.offset) > ($1.element.date, $1.offset) }
            .map(\.element.account).filter {
                seen.insert("\($0.homeAccountID) \($0.environment) \($0.tenant)").inserted
            }
    }

    /// The access tokens of an account that have not expired and were not refused.
    ///
    /// - Parameters:
    ///   - client: The client id; nil for any.
    ///   - tenants: The tenants, by any of their names; empty for any.
    func accessTokens(
        of account: Account, client: String?, tenants: Set<String>, now: Date
    ) -> [TokenCacheEntry] {
        entries(.accessToken).filter { entry in
            entry.belongs(to: account) && entry.isGood(now: now) && entry.isBearer
                && (client == nil || entry.text("client_id") == client)
                && (tenants.isEmpty || tenants.contains((entry.text("realm") ?? "").lowercased()))
        }
    }

    /// The account's newest refresh token: the client's own, else one of its family.
    func refreshToken(of account: Account, client: String?) -> TokenCacheEntry? {
        let all = entries(.refreshToken).filter { $0.belongs(to: account) && $0.secret != nil }
        let own = all.filter { client == nil || $0.text("client_id") == client }
        let candidates = own.isEmpty ? all.filter { $0.text("family_id") != nil } : own
        return candidates.enumerated().max { first, second in
            let dates = [first, second].map { $0.element.seconds("last_modification_time") ?? 0 }
            return (dates[0], first.offset) < (dates[1], second.offset)
        }?.element
    }

    /// Stores an entry; members that the new one lacks are kept from an older entry with the same key.
    mutating func set(_ kind: Kind, _ key: String, _ entry: Object) {
        var section = root[kind.rawValue]?.object ?? [:]
        var merged = section[key]?.object ?? [:]
        for (name, value) in entry { merged[name] = value }
        section[key] = .object(merged)
        root[kind.rawValue] = .object(section)
    }

    mutating func remove(_ kind: Kind, where condition: (TokenCacheEntry) -> Bool) {
        guard let section = root[kind.rawValue]?.object else { return }
        root[kind.rawValue] = .object(section.filter { !condition(TokenCacheEntry(key: $0.key, value: $0.value)) })
    }

    /// Removes the account's tokens of all tenants and clients, as in MSAL.
    mutating func forget(_ account: Account) {
        for kind in [Kind.accessToken, .refreshToken, .idToken, .account] {
            remove(kind) { $0.belongs(to: account) }
        }
    }
}
