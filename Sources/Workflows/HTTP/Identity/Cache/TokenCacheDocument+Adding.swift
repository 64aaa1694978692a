extension TokenCacheDocument {
    struct Addition: Sendable {
        let answer: TokenAnswer
        let clientID: String
        let environment: String
        let tenant: String
        /// Used if the response does not list the granted scopes.
        let scopes: [String]
        /// The account whose refresh token was sent; nil for a sign-in.
        var account: Account?
        let now: Date
    }

    mutating func add(_ addition: Addition) -> Account {
        let answer = addition.answer
        let now = Int(addition.now.timeIntervalSince1970)
        let id = answer.homeAccountID ?? addition.account?.homeAccountID ?? "unknown"
        // An account that is known under another name of its cloud keeps that name.
        let names = Cloud.environments(of: addition.environment)
        let known = entries(.account).compactMap(\.account).first {
            $0.homeAccountID == id && names.contains($0.environment)
        }
        let environment = addition.account?.environment ?? known?.environment ?? addition.environment
        let tenant = answer.idToken?.tenant ?? addition.account?.tenant ?? addition.tenant
        let account = Account(
            homeAccountID: id, environment: environment, tenant: tenant,
            username: answer.idToken?.username ?? addition.account?.username ?? known?.username ?? "",
            name: answer.idToken?.name ?? addition.account?.name ?? known?.name)
        func key(_ parts: String...) -> String { parts.joined(separator: "-").lowercased() }
        let common: Object = [
            "home_account_id": .string(id), "environment": .string(environment),
            "client_id": .string(addition.clientID),
        ]

        let scopes = answer.scopes.isEmpty ? addition.scopes : answer.scopes
        let target = scopes.sorted().joined(separator: " ")
        remove(.accessToken) { entry in
            entry.belongs(to: account) && entry.text("client_id") == addition.clientID
                && entry.text("realm")?.lowercased() == tenant.lowercased()
                && (!entry.isGood(now: addition.now) || scopes.cover(entry.scopes))
        }
        var accessToken = common
        accessToken["credential_type"] = "AccessToken"
        accessToken["secret"] = .string(answer.accessToken.secret.revealed)
        accessToken["target"] = .string(target)
        accessToken["realm"] = .string(tenant)
        accessToken["token_type"] = .string(answer.tokenType)
        accessToken["cached_at"] = .string("\(now)")
        accessToken["expires_on"] = .string("\(now + answer.expiresIn)")
        accessToken["extended_expires_on"] = .string("\(now + (answer.extendedExpiresIn ?? answer.expiresIn))")
        if let refreshIn = answer.refreshIn { accessToken["refresh_on"] = .string("\(now + refreshIn)") }
        set(.accessToken, key(id, environment, "accesstoken", addition.clientID, tenant, target), accessToken)

        if let secret = answer.refreshToken {
            var refreshToken = common
            refreshToken["credential_type"] = "RefreshToken"
            refreshToken["secret"] = .string(secret.revealed)
            refreshToken["target"] = .string(target)
            refreshToken["last_modification_time"] = .string("\(now)")
            if let family = answer.family { refreshToken["family_id"] = .string(family) }
            let name = key(id, environment, "refreshtoken", addition.clientID, "", "")
            // Readers of this schema build keys in different ways; older refresh tokens must not remain next to the new
            // one.
            remove(.refreshToken) { entry in
                entry.key != name && entry.belongs(to: account) && entry.text("client_id") == addition.clientID
            }
            set(.refreshToken, name, refreshToken)
        }
        if let secret = answer.idTokenText {
            var idToken = common
            idToken["credential_type"] = "IdToken"
            idToken["secret"] = .string(secret.revealed)
            idToken["realm"] = .string(tenant)
            set(.idToken, key(id, environment, "idtoken", addition.clientID, tenant, ""), idToken)
        }
        var entry: Object = [
            "home_account_id": .string(id), "environment": .string(environment), "realm": .string(tenant),
            "local_account_id": .string(
                answer.idToken?.objectID ?? id.split(separator: ".").first.map(String.init) ?? id),
            "username": .string(account.username), "authority_type": "MSSTS",
        ]
        entry["name"] = account.name.map { .string($0) }
        // Later runs use the account that signed in last; a refresh does not change this.
        if addition.account == nil { entry["last_modification_time"] = .string("\(now)") }
        set(.account, key(id, environment, tenant), entry)
        var metadata: Object = ["client_id": .string(addition.clientID), "environment": .string(environment)]
        if let family = answer.family { metadata["family_id"] = .string(family) }
        set(.appMetadata, key("appmetadata", environment, addition.clientID), metadata)
        return account
    }
}
