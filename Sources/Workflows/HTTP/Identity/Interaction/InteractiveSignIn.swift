struct InteractiveSignIn: Sendable {
    struct Request: Sendable, Hashable {
        var scopes: [String]
        var challenge: ClaimsChallenge?
        var username: String?
    }

    let platform: IdentityPlatform
    let clientID: String
    let cache: TokenCache
    let prompt: @Sendable (SignInPrompt) -> Void
    private let silent: SilentSignIn
    private let flights = SingleFlight<Request, TokenGrant>()

    init(
        _ platform: IdentityPlatform, clientID: String, username: String?, cache: TokenCache,
        prompt: @escaping @Sendable (SignInPrompt) -> Void
    ) {
        self.platform = platform
        self.clientID = clientID
        self.cache = cache
        self.prompt = prompt
        silent = SilentSignIn(platform, clientID: clientID, username: username, cache: cache)
    }

    func grant(
        for need: TokenNeed, signIn: @escaping @Sendable (Request) -> Promise<TokenGrant>
    ) -> Promise<TokenGrant> {
        silent.grant(for: need).recover(on: nil) { error -> Promise<TokenGrant> in
            guard let error = error as? CredentialError, error.code == .signInRequired else { throw error }
            let challenge =
                error.claimsChallenge.flatMap { ClaimsChallenge($0) }
                ?? need.refusal.flatMap { ClaimsChallenge(challenges: $0.challenges) }
            let known = (try? cache.read()).flatMap { try? silent.account(in: $0) }
            let request = Request(
                scopes: need.scopes, challenge: challenge, username: known?.username ?? silent.username)
            return flights.join(request) { signIn(request) }
        }
    }

    func scope(_ request: Request) -> String { platform.delegatedScope(scopes(request)) }

    func keep(_ answer: TokenAnswer, _ request: Request) throws -> Promise<TokenGrant> {
        if let audience = answer.idToken?.audience, audience.lowercased() != clientID.lowercased() {
            throw CredentialError(.badAnswer, "The sign-in service's response is for another application.")
        }
        if let notice = answer.clockNotice { prompt(.notice(notice)) }
        let asked = platform.qualified(scopes(request))
        let addition = TokenCacheDocument.Addition(
            answer: answer, clientID: clientID, environment: platform.authority.environment,
            tenant: platform.authority.tenant, scopes: asked, now: platform.now())
        return cache.update { $0.add(addition) }.map(on: nil) { account in
            TokenGrant(
                answer.accessToken, expiresAt: platform.now().addingTimeInterval(Double(answer.expiresIn)),
                scopes: (answer.scopes.isEmpty ? asked : answer.scopes).permissionNames, tenant: account.tenant,
                username: account.username, source: "the signed-in account")
        }
    }

    private func scopes(_ request: Request) -> [String] { request.scopes.isEmpty ? ["User.Read"] : request.scopes }
}
