/// Signs a user in with this machine's browser: authorization code with PKCE (RFC 7636, RFC 8252).
///
/// The user is only asked if neither the cache nor the refresh token provides a token. The application's registration
/// needs the redirect address `http://localhost`; any port works with it.
public struct BrowserCredential: GrantingCredential {
    private let interactive: InteractiveSignIn
    private let browser: Browser
    private let port: UInt16

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - clientID: The application's id.
    ///   - username: The account to use; nil for the one that signed in last.
    ///   - port: The redirect port; 0 for a free one.
    ///   - cache: Where tokens are kept.
    ///   - platform: The issuer of tokens.
    ///   - browser: Opens the URL; nil for the desktop's browser.
    ///   - prompt: Shows the user what to do.
    public init(
        clientID: String, username: String? = nil, port: UInt16 = 0, cache: TokenCache = .inMemory(),
        on platform: IdentityPlatform = IdentityPlatform(), browser: Browser? = nil,
        prompt: @escaping @Sendable (SignInPrompt) -> Void
    ) {
        interactive = InteractiveSignIn(
            platform, clientID: clientID, username: username, cache: cache, prompt: prompt)
        self.browser = browser ?? .system(environment: ProcessInfo.processInfo.environment)
        self.port = port
    }

    /// Gets a token, silently if possible.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> { interactive.grant(for: need) { run($0) } }

    /// Asks the user to sign in, even if an account is already signed in.
    ///
    /// - Parameters:
    ///   - scopes: The permissions to ask for.
    ///   - claimsChallenge: The required claims in Base64, as in an error.
    ///   - username: The user principal name to suggest; nil to let the user choose.
    public func signIn(
        for scopes: [String], claimsChallenge: String? = nil, username: String? = nil
    ) -> Promise<TokenGrant> {
        let challenge = claimsChallenge.flatMap { ClaimsChallenge($0) }
        return run(.init(scopes: scopes, challenge: challenge, username: username))
    }

    private func run(_ request: InteractiveSignIn.Request) -> Promise<TokenGrant> {
        firstly { () throws -> Promise<TokenGrant> in
            let flow = try BrowserFlow(
                interactive.platform, clientID: interactive.clientID, scope: interactive.scope(request),
                claims: ClaimsChallenge.parameter(request.challenge),
                prompt: request.username == nil ? "select_account" : nil, hint: request.username, port: port,
                command: "graphflow login")
            return flow.run(browser, prompt: interactive.prompt) { answer in
                try interactive.keep(answer, request).map { ($0, .done) }
            }
        }
    }
}

/// A sign-in with a browser: the authorization code comes back to this machine, and is redeemed for tokens.
struct BrowserFlow: Sendable {
    private static let patience = Duration.seconds(600)

    private let platform: IdentityPlatform
    private let clientID: String
    private let scope: String
    private let claims: String?
    /// The `prompt` and the `login_hint` of the request; nil for none.
    private let prompt: String?
    private let hint: String?
    /// What the person types to try again.
    private let command: String
    private let place: SignInReturn
    private let state: String
    private let nonce: String
    private let verifier: Secret

    init(
        _ platform: IdentityPlatform, clientID: String, scope: String, claims: String? = nil, nonce: String? = nil,
        prompt: String?, hint: String?, port: UInt16, command: String,
        returning: (@Sendable (_ state: String) -> SignInReturn)? = nil
    ) throws(CredentialError) {
        let bytes = platform.randomBytes
        (self.platform, self.clientID, self.scope, self.claims) = (platform, clientID, scope, claims)
        (self.prompt, self.hint, self.command) = (prompt, hint, command)
        state = Base64URL.encode(bytes(24))
        self.nonce = nonce ?? Base64URL.encode(bytes(24))
        // 32 bytes encode as 43 characters, the minimum of RFC 7636, section 4.1.
        verifier = Secret(Base64URL.encode(bytes(32)))
        guard let returning else {
            place = try RedirectListener(port: port, state: state).place
            return
        }
        place = returning(state)
    }

    /// - Parameters:
    ///   - failure: What the person reads in the browser after an error.
    ///   - end: Keeps what the sign-in was for, and says what the person reads then.
    func run<Result: Sendable>(
        _ browser: Browser, prompt: (SignInPrompt) -> Void,
        failure: @escaping @Sendable (any Error) -> RedirectPage = { RedirectPage($0) },
        end: @escaping @Sendable (TokenAnswer) throws -> Promise<(Result, RedirectPage)>
    ) -> Promise<Result> {
        guard let url = address else {
            place.stop()
            return Promise(error: CredentialError(.misconfigured, "The sign-in host has no valid address."))
        }
        prompt(.openBrowser(url, isOpened: browser.open(url)))
        return place.answer.timeout(Self.patience, clock: platform.clock).recover(on: nil) {
            error -> Promise<[String: String]> in
            guard case PromiseError.timedOut = error else { throw error }
            throw CredentialError(
                .expired,
                "The sign-in was not completed within \(Self.patience.components.seconds / 60) minutes. "
                    + "To try again: \(command)")
        }.then(on: nil) { parameters in
            try redeem(parameters)
        }.map(on: nil) { answer -> TokenAnswer in
            // A response to another sign-in would have another nonce.
            if let idToken = answer.idToken, idToken.nonce != nonce {
                throw CredentialError(
                    .badAnswer,
                    "The sign-in service's response belongs to another sign-in (its nonce is wrong). "
                        + "Nothing was stored. Try again: \(command)")
            }
            return answer
        }.then(on: nil, end).then(on: nil) { result, page in
            place.conclude(page).map(on: nil) { result }
        }.recover(on: nil) { error -> Promise<Result> in
            let error = (error as? IdentityRefusal)?.credentialError() ?? error
            return place.conclude(failure(error)).then(on: nil) { throw error }
        }.ensure(on: nil) { place.stop() }
    }

    private var address: URL? {
        let form = Form().with("client_id", clientID).with("response_type", "code")
            .with("redirect_uri", place.address).with("response_mode", "query")
            .with("scope", scope).with("state", state).with("nonce", nonce)
            .with("code_challenge", Base64URL.encode(SHA256.hash(of: Data(verifier.revealed.utf8))))
            .with("code_challenge_method", "S256").with("client_info", "1")
            .with("prompt", prompt).with("login_hint", hint).with("claims", claims)
        return URL(string: "\(platform.authority.endpoint("authorize").absoluteString)?\(form.encoded)")
    }

    private func redeem(_ parameters: [String: String]) throws -> Promise<TokenAnswer> {
        guard let code = parameters["code"] else {
            throw IdentityRefusal(
                status: 0, error: parameters["error"] ?? "", suberror: parameters["error_subcode"],
                description: parameters["error_description"], correlationID: parameters["correlation_id"])
        }
        let form = Form().with("client_id", clientID).with("grant_type", "authorization_code")
            .with("code", Secret(code)).with("redirect_uri", place.address).with("code_verifier", verifier)
            .with("scope", scope).with("client_info", "1").with("claims", claims)
        // A code is valid once: a repeated request would be refused.
        return platform.post(platform.authority.endpoint("token"), form, for: "codeToken", mayRepeat: false)
            .map(on: nil) { try TokenAnswer($0, now: platform.now()) }
    }
}

extension RedirectPage {
    /// What a person reads after a sign-in that failed.
    init(_ error: any Error) {
        let known = error as? CredentialError
        self = .refused(known?.serviceMessage ?? known?.message ?? "\(error)")
    }
}
