final class SilentSignIn: Sendable {
    /// How long a refusal is remembered: repeating the request would not change it.
    private static let memory = Duration.seconds(60)

    private struct Key: Hashable, Sendable {
        let account: Account
        let scopes: Set<ScopeName>
        let challenge: ClaimsChallenge?
    }

    private struct State {
        var refusals: [String: (until: Duration, error: CredentialError)] = [:]
        /// Grants whose scopes do not literally cover the need; the service decides whether they suffice.
        var grants: [Key: TokenGrant] = [:]
    }

    let platform: IdentityPlatform
    let clientID: String?
    let username: String?
    let cache: TokenCache
    private let flights = SingleFlight<Key, TokenGrant>()
    private let state = Locked(State())

    init(_ platform: IdentityPlatform, clientID: String?, username: String?, cache: TokenCache) {
        self.platform = platform
        self.clientID = clientID
        self.username = username
        self.cache = cache
    }

    func grant(for need: TokenNeed) -> Promise<TokenGrant> {
        firstly { () throws -> Promise<TokenGrant> in
            let document = try cache.read()
            let account = try account(in: document)
            let challenge = need.refusal.flatMap { ClaimsChallenge(challenges: $0.challenges) }
            let key = Key(account: account, scopes: Set(need.scopes.map { ScopeName($0) }), challenge: challenge)
            let known = challenge == nil ? token(in: document, of: account, for: need, key) : nil
            if let known, !known.isDue { return .value(known.grant) }
            return flights.join(key) { [self] in
                refresh(account, for: need, key).recover(on: nil) { error -> Promise<TokenGrant> in
                    // A token that was only due for renewal can be used until it expires.
                    if let known { return .value(known.grant) }
                    throw error
                }
            }
        }
    }

    func account(in document: TokenCacheDocument) throws(CredentialError) -> Account {
        let environments = Cloud.environments(of: platform.authority.environment)
        let all = document.accounts
        let here = all.filter { environments.contains($0.environment) }
        let named = username.map { name in here.filter { $0.isNamed(name) } } ?? here
        let withClient = named.filter { account in
            clientID == nil || document.refreshToken(of: account, client: clientID) != nil
                || !document.accessTokens(of: account, client: clientID, tenants: [], now: platform.now()).isEmpty
        }
        let tenant = platform.authority.tenant
        if let account = withClient.first(where: { $0.tenant.lowercased() == tenant }) ?? withClient.first {
            return account
        }
        throw CredentialError(.signInRequired, whyNobody(all, here, named))
    }

    private func whyNobody(_ all: [Account], _ here: [Account], _ named: [Account]) -> String {
        func names(_ accounts: [Account]) -> String {
            PlainText.line(accounts.map(\.username).joined(separator: ", "), limit: 300)
        }
        let host = PlainText.line(platform.authority.environment, limit: 200)
        if let username, named.isEmpty, !here.isEmpty {
            return "'\(PlainText.exact(username, limit: 200))' is not signed in, but \(names(here)) is. "
                + "Sign in: graphflow login"
        }
        if clientID != nil, !named.isEmpty {
            return "No account is signed in to the application \(PlainText.line(clientID ?? "", limit: 100)), but "
                + "\(names(named)) is signed in to another one. Sign in: graphflow login"
        }
        if let other = all.first {
            let cloud = Cloud.all.first { Cloud.environments(of: $0.authorityHost).contains(other.environment) }
            return "No account is signed in at \(host), but \(names(all)) is at \(other.environment)"
                + (cloud.map { ": give '--cloud \($0.name)', or sign in" } ?? ". Sign in") + ": graphflow login"
        }
        return "No account is signed in. The option '--sandbox' needs none. Sign in: graphflow login"
    }

    private func token(
        in document: TokenCacheDocument, of account: Account, for need: TokenNeed, _ key: Key
    ) -> (grant: TokenGrant, isDue: Bool)? {
        let now = platform.now()
        let refused = need.refusal?.token.secret
        let good = document.accessTokens(of: account, client: clientID, tenants: tenants(of: account), now: now)
            .filter { $0.secret != refused && isForResource($0) && $0.scopes.cover(need.scopes) }
        if let entry = good.max(by: { ($0.expiresAt ?? now) < ($1.expiresAt ?? now) }), let secret = entry.secret {
            return (grant(AccessToken(secret.revealed), entry, account), entry.isDueForRefresh(now: now))
        }
        guard let grant = state.withLock({ $0.grants[key] }), grant.token.secret != refused,
            let end = grant.expiresAt, end.timeIntervalSince(now) > Double(TokenCacheEntry.margin)
        else { return nil }
        return (grant, false)
    }

    private func tenants(of account: Account) -> Set<String> {
        let authority = platform.authority
        // MSAL for Python stores the requested tenant, other libraries the one that issued the token.
        guard authority.isOneTenant else {
            return [account.tenant.lowercased(), authority.tenant, "organizations", "common"]
        }
        // A tenant's domain does not reveal its id.
        return authority.tenant.contains(".") ? [authority.tenant, account.tenant.lowercased()] : [authority.tenant]
    }

    /// Whether a token is for the requested service: scopes for other services begin with their URL.
    private func isForResource(_ entry: TokenCacheEntry) -> Bool {
        entry.scopes.allSatisfy {
            !$0.contains("://") || $0.lowercased().hasPrefix("\(platform.resource.lowercased())/")
        }
    }

    private func grant(_ token: AccessToken, _ entry: TokenCacheEntry, _ account: Account) -> TokenGrant {
        TokenGrant(
            token, expiresAt: entry.expiresAt, scopes: entry.scopes.permissionNames,
            tenant: account.tenant.isEmpty ? entry.text("realm") : account.tenant,
            username: account.username, source: "the signed-in account")
    }

    private func refresh(_ account: Account, for need: TokenNeed, _ key: Key) -> Promise<TokenGrant> {
        cache.whileRefreshing(account) { [self] in
            firstly { () throws -> Promise<TokenGrant> in
                let document = try cache.read()
                // Another process may have renewed it meanwhile.
                if key.challenge == nil, let known = token(in: document, of: account, for: need, key), !known.isDue {
                    return .value(known.grant)
                }
                guard let entry = document.refreshToken(of: account, client: clientID), let secret = entry.secret,
                    let client = clientID ?? entry.text("client_id")
                else {
                    throw CredentialError(
                        .signInRequired, "The sign-in of \(account.username) has ended. Sign in again: graphflow login")
                }
                return redeem(secret, of: account, client: client, document, need, key)
            }
        }
    }

    private func redeem(
        _ secret: Secret, of account: Account, client: String, _ document: TokenCacheDocument, _ need: TokenNeed,
        _ key: Key
    ) -> Promise<TokenGrant> {
        let scopes = need.scopes.isEmpty ? lastScopes(of: account, client: client, document) : need.scopes
        let form = Form().with("client_id", client).with("grant_type", "refresh_token").with("refresh_token", secret)
            .with("scope", platform.delegatedScope(scopes)).with("client_info", "1")
            .with("claims", ClaimsChallenge.parameter(key.challenge))
        let digest = form.digest
        let now = platform.clock.now
        if let refusal = state.withLock({ $0.refusals[digest] }), refusal.until > now {
            return Promise(error: refusal.error)
        }
        return platform.post(endpoint(of: account), form, for: "refresh").then(on: nil) { [self] answer in
            let answer = try TokenAnswer(answer, now: platform.now())
            let addition = TokenCacheDocument.Addition(
                answer: answer, clientID: client, environment: account.environment, tenant: account.tenant,
                scopes: platform.qualified(scopes), account: account, now: platform.now())
            return cache.update { $0.add(addition) }.map(on: nil) { [self] account in
                let granted = answer.scopes.isEmpty ? scopes : answer.scopes
                let grant = TokenGrant(
                    answer.accessToken, expiresAt: platform.now().addingTimeInterval(Double(answer.expiresIn)),
                    scopes: granted.permissionNames, tenant: account.tenant, username: account.username,
                    source: "the signed-in account")
                if !granted.cover(need.scopes) { state.withLock { $0.grants[key] = grant } }
                return grant
            }
        }.recover(on: nil) { [self] error -> Promise<TokenGrant> in
            guard let refusal = error as? IdentityRefusal else { throw error }
            // The refresh token is kept: a new rule for one permission does not affect the others.
            let isAboutConsent = refusal.codes.contains(65001) || refusal.error == "consent_required"
            let wanted =
                isAboutConsent ? " --scopes '\(PlainText.exact(scopes.joined(separator: " "), limit: 1_000))'" : ""
            let error = refusal.credentialError(signIn: "graphflow login\(wanted)")
            // Temporary failures were already retried, and are not an `IdentityRefusal`.
            state.withLock { $0.refusals[digest] = (platform.clock.now + Self.memory, error) }
            throw error
        }
    }

    private func endpoint(of account: Account) -> URL {
        let authority = platform.authority
        guard !authority.isOneTenant, let own = try? authority.with(tenant: account.tenant) else {
            return authority.endpoint("token")
        }
        return own.endpoint("token")
    }

    private func lastScopes(of account: Account, client: String, _ document: TokenCacheDocument) -> [String] {
        let tokens = document.entries(.accessToken).filter {
            $0.belongs(to: account) && $0.text("client_id") == client && isForResource($0)
        }
        let last = tokens.max { ($0.seconds("cached_at") ?? 0) < ($1.seconds("cached_at") ?? 0) }
        let names = last?.scopes.permissionNames ?? []
        return names.isEmpty ? [".default"] : names
    }
}
