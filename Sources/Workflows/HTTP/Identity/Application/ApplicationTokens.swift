/// The tokens of an application without a user (client credentials, RFC 6749, section 4.4), kept in memory.
final class ApplicationTokens: Sendable {
    enum Proof: Sendable {
        case secret(Secret)
        /// A signed assertion (RFC 7523).
        case assertion(Secret)
    }

    /// Creates a proof for an endpoint; the time is the service's.
    typealias Prover = @Sendable (_ endpoint: URL, _ now: Date) -> Promise<Proof>

    private let platform: IdentityPlatform
    private let clientID: String
    private let source: String
    private let prove: Prover
    private let kept = Locked<TokenGrant?>(nil)
    private let flights = SingleFlight<String, TokenGrant>()

    init(_ platform: IdentityPlatform, clientID: String, source: String, prove: @escaping Prover) {
        self.platform = platform
        self.clientID = clientID
        self.source = source
        self.prove = prove
    }

    /// The token covers all permissions that an administrator granted to the application.
    func grant(for need: TokenNeed) -> Promise<TokenGrant> {
        let grant = kept.withLock { $0 }
        if let grant, grant.isGood(now: platform.now(), after: need.refusal) { return .value(grant) }
        let challenge = need.refusal.flatMap { ClaimsChallenge(challenges: $0.challenges) }
        guard platform.authority.isOneTenant else {
            return Promise(
                error: CredentialError(
                    .misconfigured,
                    "An application's own token is for one tenant: set AZURE_TENANT_ID to its id or domain."))
        }
        return flights.join(challenge?.encoded ?? "") { [self] in
            request(challenge, clockOffset: 0).recover(on: nil) { [self] error -> Promise<TokenGrant> in
                // A wrong clock dated the assertion; the response shows by how much.
                guard let refusal = error as? IdentityRefusal, refusal.isAboutTime, let date = refusal.date else {
                    throw error
                }
                return request(challenge, clockOffset: date.timeIntervalSince(platform.now()))
            }.map(on: nil) { [self] grant in
                kept.withLock { $0 = grant }
                return grant
            }.recover(on: nil) { error -> Promise<TokenGrant> in
                throw (error as? IdentityRefusal)?.credentialError(signIn: nil) ?? error
            }
        }
    }

    private func request(_ challenge: ClaimsChallenge?, clockOffset: Double) -> Promise<TokenGrant> {
        let endpoint = platform.authority.endpoint("token")
        return prove(endpoint, platform.now().addingTimeInterval(clockOffset)).then(on: nil) { [self] proof in
            var form = Form().with("client_id", clientID).with("grant_type", "client_credentials")
                .with("scope", "\(platform.resource)/.default")
                .with("claims", challenge == nil ? nil : ClaimsChallenge.parameter(challenge))
            switch proof {
            case .secret(let secret): form = form.with("client_secret", secret)
            case .assertion(let assertion):
                form = form.with("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
                    .with("client_assertion", assertion)
            }
            return platform.post(endpoint, form, for: "clientCredentials")
        }.map(on: nil) { [self] answer in
            let answer = try TokenAnswer(answer, now: platform.now())
            var grant = TokenGrant(
                answer.accessToken, expiresAt: platform.now().addingTimeInterval(Double(answer.expiresIn)),
                scopes: answer.scopes.isEmpty ? nil : answer.scopes.permissionNames,
                tenant: platform.authority.tenant, source: source)
            grant.isApplication = true
            return grant
        }
    }
}

extension TokenGrant {
    func isGood(now: Date, after refusal: TokenRefusal?) -> Bool {
        guard refusal?.token.secret != token.secret else { return false }
        guard let expiresAt else { return true }
        return expiresAt.timeIntervalSince(now) > Double(TokenCacheEntry.margin)
    }
}
