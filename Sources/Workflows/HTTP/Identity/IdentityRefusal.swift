/// An error response of the sign-in service.
///
/// Decisions depend on `error` and `suberror`; the numbers after `AADSTS` only select messages, because Microsoft may
/// change them.
struct IdentityRefusal: Error, Sendable {
    let status: Int
    let error: String
    let suberror: String?
    let message: String?
    let codes: Set<Int>
    let correlationID: String?
    let claims: String?
    let retryAfter: Int?
    let date: Date?

    init?(_ response: HTTPResponse, _ body: Value?) {
        guard let error = body?["error"]?.string, !error.isEmpty else { return nil }
        self.init(
            status: response.status, error: error, suberror: body?["suberror"]?.string,
            description: body?["error_description"]?.string, codes: body?["error_codes"]?.array ?? [],
            correlationID: body?["correlation_id"]?.string, claims: body?["claims"]?.string,
            retryAfter: response.retryAfter(now: Date()), date: response.headers.date)
    }

    init(
        status: Int, error: String, suberror: String? = nil, description: String?, codes: [Value] = [],
        correlationID: String? = nil, claims: String? = nil, retryAfter: Int? = nil, date: Date? = nil
    ) {
        self.status = status
        self.error = PlainText.line(error, limit: 100)
        self.suberror = suberror.map { PlainText.line($0, limit: 100) }
        message = description.map { PlainText.line(Self.withoutIDs($0)) }
        let inText = (message ?? "").matches(of: #/AADSTS(\d{4,9})/#).compactMap { Int($0.output.1) }
        let inWords = [error, suberror].compactMap { $0.flatMap { Self.numbers[$0] } }
        self.codes = Set(codes.compactMap(\.integer) + inText + inWords)
        self.correlationID = correlationID.map { PlainText.line($0, limit: 100) }
        self.claims = claims
        self.retryAfter = retryAfter
        self.date = date
    }

    /// The numbers of refusals that are told in words only.
    private static let numbers = ["consent_required": 65001, "token_expired": 700082]

    /// The service's message without the lines that repeat ids and the time.
    private static func withoutIDs(_ description: String) -> String {
        let isRepeated = #/\s*(Trace ID|Correlation ID|Timestamp): [-0-9A-Za-z:. ]{0,60}/#
        return description.split(whereSeparator: \.isNewline).filter { $0.wholeMatch(of: isRepeated) == nil }
            .joined(separator: "\n")
    }

    var isTransient: Bool {
        error == "temporarily_unavailable" || error == "server_error" || status == 429 || status >= 500
            || !codes.isDisjoint(with: [90006, 90012, 50087])
    }

    var isInteractionRequired: Bool {
        let words = ["interaction_required", "consent_required", "login_required", "invalid_grant"]
        return words.contains(error) && !isBlocked && !isTransient
    }

    var isBlocked: Bool { needsManagedDevice || !codes.isDisjoint(with: [53003, 530035, 50057, 50105, 50020]) }

    /// Whether the organization requires a managed device, and so a broker, which this program lacks.
    var needsManagedDevice: Bool {
        !codes.isDisjoint(with: [53000, 53001, 53002, 50097, 50129, 50155])
            || ["device_authentication_failed", "protection_policy_required"].contains(suberror)
    }

    var isAboutTime: Bool { codes.contains(700024) || codes.contains(700021) && error == "invalid_client" }

    /// The refusal with advice for the user.
    /// - Parameter signIn: The command to sign in, without the options that this refusal adds; nil for an application
    ///   without a user.
    func credentialError(signIn: String? = "graphflow login") -> CredentialError {
        let challenge = claims.flatMap { ClaimsChallenge($0) }
        let command = challenge.map { "\(signIn ?? "") --claims-challenge \($0.encoded)" } ?? signIn ?? ""
        var (code, text) = explanation(command)
        if signIn == nil, code == .signInRequired {
            code = .misconfigured
            text = challenge?.advice(isApplication: true) ?? reasonForApplication
        }
        if isBlocked, let words = challenge?.requirements, !words.isEmpty { text += " It demands \(words)." }
        var result = CredentialError(code, text)
        result.serviceMessage = message ?? "\(error)\(suberror.map { ", \($0)" } ?? "")"
        result.correlationID = correlationID
        result.claimsChallenge = signIn.flatMap { _ in challenge?.encoded }
        return result
    }

    /// The advice where no user could sign in.
    private var reasonForApplication: String {
        if codes.contains(65001) {
            "Consent is missing: an administrator has to grant the application its permissions."
        } else if !codes.isDisjoint(with: Self.expired) {
            "The refresh token has expired or was revoked, so the application needs a new one."
        } else {
            "The sign-in service refused the application's request for a token."
        }
    }

    /// The refusals of a refresh token that is too old, was not used for long, or was revoked.
    private static let expired: Set = [700082, 700081, 700084, 70008, 70043, 50173, 50089]

    private func explanation(_ signIn: String) -> (CredentialError.Code, String) {
        if isTransient { return (.serviceUnavailable, "The sign-in service is unavailable. Try again later.") }
        if needsManagedDevice {
            return (
                .blocked,
                "Your organization only allows managed devices (conditional access), and a program without a sign-in "
                    + "broker cannot prove that it runs on one. Signing in again does not help: ask your administrator "
                    + "to exempt this application, or use an application with its own secret or certificate."
            )
        }
        let known: [(Set<Int>, CredentialError.Code, String)] = [
            (
                [53003], .blocked,
                "Your organization's conditional access blocks this sign-in. Signing in again does not "
                    + "help: ask your administrator."
            ),
            (
                [530035], .blocked,
                "Your organization's security defaults forbid this sign-in. Ask your administrator."
            ),
            ([50057], .blocked, "The account is disabled. Ask your administrator."),
            ([50105], .blocked, "The account is not assigned to this application. Ask your administrator."),
            ([50020], .blocked, "The account is not in this tenant. Choose another tenant with '--tenant'."),
            ([65004], .declined, "The permissions were declined, so there is no token."),
            (
                [65001], .signInRequired,
                "Consent is missing: these permissions of the application need it. Sign in to consent: \(signIn)"
            ),
            (
                Self.expired, .signInRequired,
                "The refresh token has expired or was revoked. Sign in again: \(signIn)"
            ),
            (
                [700016, 70001, 700011], .misconfigured,
                "There is no application with this client id in this tenant. Check the client id and the tenant."
            ),
            (
                [50011], .misconfigured,
                "The application does not allow this redirect address: register 'http://localhost' as a redirect "
                    + "address of the platform 'Mobile and desktop applications'."
            ),
            ([70011, 650057, 650056], .misconfigured, "The application cannot ask for these permissions."),
            (
                [7000215, 70002, 7000222], .misconfigured,
                "The client secret is wrong or has expired: create a new one."
            ),
            (
                [7000218], .misconfigured,
                "The application does not allow public client flows: enable 'Allow public client flows' in its "
                    + "registration."
            ),
            ([700025], .misconfigured, "The application is a public client, which has no secret."),
            ([700027, 700030, 50012], .misconfigured, "The application does not know this certificate."),
            (
                [700021, 700022, 70021, 700211, 700212, 700213], .misconfigured,
                "The application does not trust this issuer: check its federated credential."
            ),
            (
                [700024], .misconfigured,
                "The assertion's date is wrong, even by the sign-in service's clock. Set this machine's clock."
            ),
            ([50194], .misconfigured, "The application is for a single tenant: give that tenant with '--tenant'."),
            ([90002], .misconfigured, "There is no such tenant. Check '--tenant' and AZURE_TENANT_ID."),
            (
                [9001023, 50059], .misconfigured, "An application's own token is for one tenant: set AZURE_TENANT_ID."
            ),
            ([50196], .blocked, "The sign-in service received the same request too often. Wait, then sign in."),
            (
                [54005], .signInRequired,
                "The code has already been used, and is valid only once. Sign in again: \(signIn)"
            ),
        ]
        if let (_, code, text) = known.first(where: { !$0.0.isDisjoint(with: codes) }) { return (code, text) }
        switch error {
        case "authorization_declined", "access_denied":
            return (.declined, "The sign-in was declined, so there is no token. To try again: \(signIn)")
        case "expired_token":
            return (.expired, "The code expired before anyone signed in. To try again: \(signIn)")
        case "unauthorized_client", "invalid_client", "invalid_request", "unsupported_grant_type", "invalid_scope":
            return (.misconfigured, "The sign-in service does not accept the application or what it asks for.")
        case "bad_verification_code":
            return (.signInRequired, "The sign-in service no longer knows the code. Try again: \(signIn)")
        default:
            guard isInteractionRequired else { return (.misconfigured, "The sign-in service refused the request.") }
            return (.signInRequired, "The user has to sign in again: \(signIn)")
        }
    }
}
