/// Signs a user in with a code that they enter in a browser on any device (RFC 8628).
///
/// The user is only asked if neither the cache nor the refresh token provides a token.
public struct DeviceCodeCredential: GrantingCredential {
    private let interactive: InteractiveSignIn

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - clientID: The application's id; its registration has to allow public client flows.
    ///   - username: The account to use; nil for the one that signed in last.
    ///   - cache: Where tokens are kept.
    ///   - platform: The issuer of tokens.
    ///   - prompt: Shows the user what to do.
    public init(
        clientID: String, username: String? = nil, cache: TokenCache = .inMemory(),
        on platform: IdentityPlatform = IdentityPlatform(), prompt: @escaping @Sendable (SignInPrompt) -> Void
    ) {
        interactive = InteractiveSignIn(
            platform, clientID: clientID, username: username, cache: cache, prompt: prompt)
    }

    /// Gets a token, silently if possible.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> {
        interactive.grant(for: need) { DeviceCodeFlow(interactive, $0).run() }
    }

    /// Asks the user to sign in, even if an account is already signed in.
    ///
    /// - Parameters:
    ///   - scopes: The permissions to ask for.
    ///   - claimsChallenge: The required claims in Base64, as in an error.
    public func signIn(for scopes: [String], claimsChallenge: String? = nil) -> Promise<TokenGrant> {
        let challenge = claimsChallenge.flatMap { ClaimsChallenge($0) }
        return DeviceCodeFlow(interactive, .init(scopes: scopes, challenge: challenge)).run()
    }
}

struct DeviceCodeFlow: Sendable {
    private static let longestPause = Duration.seconds(60)

    private let interactive: InteractiveSignIn
    private let request: InteractiveSignIn.Request
    private var platform: IdentityPlatform { interactive.platform }

    init(_ interactive: InteractiveSignIn, _ request: InteractiveSignIn.Request) {
        self.interactive = interactive
        self.request = request
    }

    private struct Code: Sendable {
        let secret: Secret
        let interval: Duration
        let deadline: Duration
    }

    func run() -> Promise<TokenGrant> {
        let form = Form().with("client_id", interactive.clientID).with("scope", interactive.scope(request))
            .with("claims", request.challenge == nil ? nil : ClaimsChallenge.parameter(request.challenge))
        return platform.post(platform.authority.endpoint("devicecode"), form, for: "deviceCode").then(on: nil) {
            answer in
            poll(try code(answer), pause: nil)
        }.then(on: nil) { answer in
            try interactive.keep(answer, request)
        }.recover(on: nil) { error -> Promise<TokenGrant> in
            throw (error as? IdentityRefusal)?.credentialError() ?? error
        }
    }

    private func code(_ answer: IdentityAnswer) throws -> Code {
        let members = answer.members
        func seconds(_ name: String) -> Int? {
            members[name].flatMap { $0.integer ?? $0.string.flatMap { Int($0) } }
        }
        guard let secret = members["device_code"]?.string, let shown = members["user_code"]?.string,
            let address = members["verification_uri"]?.string ?? members["verification_url"]?.string,
            let url = URL(string: address), Origin(url)?.isPrivate == true
        else { throw CredentialError(.badAnswer, "The sign-in service's response contains no code to enter.") }
        let life = Duration.seconds(min(max(seconds("expires_in") ?? 900, 1), 86_400))
        interactive.prompt(.enterCode(PlainText.line(shown, limit: 100), at: url, within: life))
        return Code(
            secret: Secret(secret), interval: .seconds(min(max(seconds("interval") ?? 5, 1), 300)),
            deadline: platform.clock.now + life)
    }

    /// - Parameter pause: The pause before the first poll; nil for the service's interval.
    private func poll(_ code: Code, pause: Duration?) -> Promise<TokenAnswer> {
        after(pause ?? code.interval, clock: platform.clock).then(on: nil) {
            platform.exchange(platform.authority.endpoint("token"), form(code), for: "deviceToken")
        }.map(on: nil) { answer in
            try TokenAnswer(answer, now: platform.now())
        }.recover(on: nil) { error -> Promise<TokenAnswer> in
            let next = try delay(after: error, code, pause)
            let slower = Code(
                secret: code.secret, interval: next.interval ?? code.interval, deadline: code.deadline)
            guard platform.clock.now + next.pause < code.deadline else {
                guard error is IdentityRefusal else { throw platform.unreachable(error) }
                throw CredentialError(
                    .expired, "The code expired before anyone signed in. To try again: graphflow login")
            }
            return poll(slower, pause: next.pause)
        }
    }

    private func delay(
        after error: any Error, _ code: Code, _ pause: Duration?
    ) throws -> (pause: Duration, interval: Duration?) {
        switch error {
        case let refusal as IdentityRefusal:
            switch refusal.error {
            case "authorization_pending": return (code.interval, nil)
            case "slow_down":
                // RFC 8628, section 3.5: 5 seconds longer, for this and all later requests.
                let slower = code.interval + .seconds(5)
                return (slower, slower)
            default:
                guard refusal.isTransient else { throw refusal }
                return (growing(code, pause, atLeast: refusal.retryAfter), nil)
            }
        case let trouble as IdentityTrouble where trouble.isTransient:
            return (growing(code, pause, atLeast: trouble.retryAfter), nil)
        case let failure as HTTPFailure where failure.reason != .cancelled && failure.reason != .untrustedCertificate:
            // Network failures may be temporary, and the code stays valid.
            return (growing(code, pause, atLeast: nil), nil)
        default: throw platform.unreachable(error)
        }
    }

    private func growing(_ code: Code, _ pause: Duration?, atLeast: Int?) -> Duration {
        let doubled = min((pause ?? code.interval) * 2, Self.longestPause)
        return max(doubled, code.interval, .seconds(min(atLeast ?? 0, 900)))
    }

    private func form(_ code: Code) -> Form {
        Form().with("grant_type", "urn:ietf:params:oauth:grant-type:device_code")
            .with("client_id", interactive.clientID).with("device_code", code.secret).with("client_info", "1")
            .with("claims", ClaimsChallenge.parameter(request.challenge))
    }
}
