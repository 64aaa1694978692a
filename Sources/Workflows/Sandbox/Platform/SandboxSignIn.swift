import Essentials

/// The state of the sandbox's identity platform.
struct SandboxSignIn {
    static let cookie = "sandbox_session"

    let initialRules: Sandbox.SignInRules
    var rules: Sandbox.SignInRules
    /// The claims that requests for Graph's tokens must contain; nil for none.
    var challenge: Value?
    /// The pages that wait for a decision, by their secret.
    var pages: [String: Page] = [:]
    var codes: [String: Code] = [:]
    /// The sign-ins of devices, by the device's secret.
    var devices: [String: Device] = [:]
    var accessTokens: [String: Access] = [:]
    var refreshTokens: [String: Refresh] = [:]
    /// The permissions that each account granted to each application, of each resource.
    var consents: [Consent: Set<String>] = [:]
    /// The signed-in users, by the browser's secret.
    var sessions: [String: SandboxUser] = [:]
    var log = SandboxLog(limit: 10_000)
    var exchanges: [Sandbox.Exchange] { log.all }

    init(_ rules: Sandbox.SignInRules) {
        initialRules = rules
        self.rules = rules
    }

    enum Page {
        case authorization(SandboxAuthorization)
        /// The device whose user code was entered.
        case device(code: String)
    }

    /// What was requested, and who allowed it.
    struct Grant {
        var account: SandboxUser
        var application: String
        var scopes: SandboxScopes
        var claims: Value?
        var nonce: String?
        /// The authorization code that it came by.
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
        /// The application that it is for; nil for Graph.
        var resource: String?
        var permissions: Set<String>
        var claims: Value?
        /// The authorization code that it came by.
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

    /// Whether the account has already consented to all of it.
    func isConsented(_ scopes: SandboxScopes, by account: SandboxUser, to application: String) -> Bool {
        let consented = consented(by: account, to: application, of: scopes.resource)
        return scopes.isDefault ? !consented.isEmpty : scopes.permissions.isSubset(of: consented)
    }

    mutating func consent(to scopes: SandboxScopes, of application: String, by account: SandboxUser) {
        // An application that requests no permissions of Graph, or `.default`, can read the profile.
        let least = scopes.resource == nil ? "User.Read" : "user_impersonation"
        let allowed = scopes.permissions.isEmpty ? [least] : scopes.permissions
        let consent = Consent(account: account.id, application: application, resource: scopes.resource)
        consents[consent, default: []].formUnion(allowed)
    }

    /// Ends every sign-in of the account: its tokens and the browser's session.
    mutating func revoke(_ account: SandboxUser) {
        revokeTokens(where: { $0.account?.id == account.id }, { $0.account.id == account.id })
        sessions = sessions.filter { $0.value.id != account.id }
    }

    /// Revokes what an authorization code was exchanged for, and what came of that.
    mutating func revokeTokens(ofCode code: String) {
        revokeTokens(where: { $0.code == code }, { $0.code == code })
    }

    private mutating func revokeTokens(where isAccess: (Access) -> Bool, _ isGrant: (Grant) -> Bool) {
        for (token, access) in accessTokens where isAccess(access) { accessTokens[token]?.isRevoked = true }
        for (token, refresh) in refreshTokens where isGrant(refresh.grant) { refreshTokens[token]?.isRevoked = true }
    }

    /// Records the decision about the device with a user code.
    mutating func decide(_ decision: Device.Decision, userCode: String, at date: Date) throws(SandboxControlError) {
        guard let code = device(userCode) else {
            throw SandboxControlError("no device has the code '\(userCode)'", status: 404)
        }
        guard let device = devices[code], date < device.expires, case .pending = device.decision else {
            throw SandboxControlError("the code '\(userCode)' has expired or was used already", status: 409)
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
