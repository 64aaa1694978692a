struct SandboxSignIn {
    static let cookie = "sandbox_session"

    let initialRules: Sandbox.SignInRules
    var rules: Sandbox.SignInRules
    var challenge: Value?
    var pages: [String: Page] = [:]
    var codes: [String: Code] = [:]
    var devices: [String: Device] = [:]
    var accessTokens: [String: Access] = [:]
    var refreshTokens: [String: Refresh] = [:]
    var consents: [Consent: Set<String>] = [:]
    var sessions: [String: SandboxUser] = [:]
    var log = SandboxLog(limit: 10_000)
    var exchanges: [Sandbox.Exchange] { log.all }

    init(_ rules: Sandbox.SignInRules) {
        initialRules = rules
        self.rules = rules
    }

    enum Page {
        case authorization(SandboxAuthorization)
        case device(code: String)
    }

    struct Grant {
        var account: SandboxUser
        var application: String
        var scopes: SandboxScopes
        var claims: Value?
        var nonce: String?
        var code: String?
    }

    struct Code {
        var grant: Grant
        var redirectURI: String
        var challenge: String?
        var expires: Date
        var isUsed = false
    }

    struct Device {
        enum Decision {
            case pending
            case approved(SandboxUser)
            case declined
            case redeemed
        }

        var userCode: String
        var application: String
        var scopes: SandboxScopes
        var claims: Value?
        var expires: Date
        var interval: Int
        var lastAsked: Date?
        var decision = Decision.pending
    }

    struct Access {
        /// Nil for an application without a user.
        var account: SandboxUser?
        var application: String
        /// The application with the permissions; nil for Graph.
        var resource: String?
        var permissions: Set<String>
        var claims: Value?
        /// The authorization code it was exchanged for.
        var code: String?
        var expires: Date
        var isRevoked = false
    }

    struct Refresh {
        var grant: Grant
        var expires: Date
        var isUsed = false
        var isRevoked = false
    }

    struct Consent: Hashable {
        var account: String
        var application: String
        var resource: String?
    }

    func consented(by account: SandboxUser, to application: String, of resource: String?) -> Set<String> {
        consents[Consent(account: account.id, application: application, resource: resource)] ?? []
    }

    func isConsented(_ scopes: SandboxScopes, by account: SandboxUser, to application: String) -> Bool {
        let consented = consented(by: account, to: application, of: scopes.resource)
        return scopes.isDefault ? !consented.isEmpty : scopes.permissions.isSubset(of: consented)
    }

    mutating func consent(to scopes: SandboxScopes, of application: String, by account: SandboxUser) {
        // An application that requests no Graph permissions, or `.default`, can read the profile.
        let least = scopes.resource == nil ? "User.Read" : "user_impersonation"
        let allowed = scopes.permissions.isEmpty ? [least] : scopes.permissions
        let consent = Consent(account: account.id, application: application, resource: scopes.resource)
        consents[consent, default: []].formUnion(allowed)
    }

    mutating func revoke(_ account: SandboxUser) {
        revokeTokens(where: { $0.account?.id == account.id }, { $0.account.id == account.id })
        sessions = sessions.filter { $0.value.id != account.id }
    }

    /// Revokes the tokens that an authorization code was exchanged for, and their successors.
    mutating func revokeTokens(ofCode code: String) {
        revokeTokens(where: { $0.code == code }, { $0.code == code })
    }

    private mutating func revokeTokens(where isAccess: (Access) -> Bool, _ isGrant: (Grant) -> Bool) {
        for (token, access) in accessTokens where isAccess(access) { accessTokens[token]?.isRevoked = true }
        for (token, refresh) in refreshTokens where isGrant(refresh.grant) { refreshTokens[token]?.isRevoked = true }
    }

    mutating func decide(_ decision: Device.Decision, userCode: String, at date: Date) throws(Sandbox.SignInError) {
        guard let code = device(userCode) else {
            throw Sandbox.SignInError("no device has the code '\(userCode)'", status: 404)
        }
        guard let device = devices[code], date < device.expires, case .pending = device.decision else {
            throw Sandbox.SignInError("the code '\(userCode)' has expired or was used already", status: 409)
        }
        if case .approved(let account) = decision {
            consent(to: device.scopes, of: device.application, by: account)
        }
        devices[code]?.decision = decision
    }

    /// The device's secret; spaces, hyphens and case of the user code are ignored.
    func device(_ userCode: String) -> String? {
        let wanted = userCode.uppercased().filter { $0.isLetter || $0.isNumber }
        return devices.first { $0.value.userCode == wanted }?.key
    }
}
