extension Sandbox {
    /// The client id that the sign-in page shows as graphflow; any other GUID is an application too.
    public static let applicationID = "7d1c0b52-3f5e-4a4b-9a39-6c2f0e8d5b11"
    /// The id of the sandbox's tenant, contoso.com.
    public static let tenantID = SandboxTenant.id

    /// A control request that the sandbox cannot fulfil.
    public struct SignInError: Error, Sendable, Hashable, CustomStringConvertible {
        /// A description of the error.
        public var description: String
        /// The status of an answer that says it.
        var status = 400

        init(_ description: String, status: Int = 400) { (self.description, self.status) = (description, status) }
    }

    /// The user principal names of the accounts that can sign in.
    public var accounts: [String] { SandboxUser.accounts.map(\.userPrincipalName) }

    /// The rules of the identity platform; they can be changed at any time.
    public var signInRules: SignInRules {
        get { withState { $0.signIn.rules } }
        set { withState { $0.signIn.rules = newValue } }
    }

    /// The claims that requests for Graph's tokens must contain, as a JSON object; nil for none.
    ///
    /// Other tokens are answered 401 `insufficient_claims`, as by conditional access and continuous access evaluation.
    /// Tokens that the sandbox did not issue need no claims.
    public var claimsChallenge: Value? {
        get { withState { $0.signIn.challenge } }
        set { withState { $0.signIn.challenge = newValue } }
    }

    /// The requests for the identity platform, in order, without their secrets.
    public var signInRequests: [Exchange] { withState { $0.signIn.exchanges } }

    /// The sign-ins of devices, in order of expiry.
    public var deviceSignIns: [DeviceSignIn] {
        withState { $0.signIn.devices.values.map(DeviceSignIn.init) }.sorted { $0.expires < $1.expires }
    }

    /// Approves a device's sign-in, as if a person entered its code.
    /// - Parameters:
    ///   - userCode: The code that the device shows.
    ///   - account: The user principal name of the account that approves.
    /// - Throws: ``SignInError`` if there is no such code or account, or the sign-in was already decided.
    public func approve(userCode: String, as account: String = "megan@contoso.com") throws(SignInError) {
        try decide(.approved(try SandboxUser.signingIn(account)), userCode)
    }

    /// Declines a device's sign-in.
    /// - Throws: ``SignInError`` if there is no such code, or the sign-in was already decided.
    public func decline(userCode: String) throws(SignInError) {
        try decide(.declined, userCode)
    }

    /// Revokes all tokens of an account, as a changed password does.
    /// - Throws: ``SignInError`` if there is no such account.
    public func revokeSignIns(of account: String) throws(SignInError) {
        let user = try SandboxUser.signingIn(account)
        withState { $0.signIn.revoke(user) }
    }

    /// Adds a fault after the existing ones.
    public func play(_ fault: Fault) {
        withState { $0.faults.append(fault) }
    }

    private func decide(_ decision: SandboxSignIn.Device.Decision, _ userCode: String) throws(SignInError) {
        let date = now()
        try withState { state throws(SignInError) in
            try state.signIn.decide(decision, userCode: userCode, at: date)
        }
    }
}

extension Sandbox.SignInRules.Person {
    /// Reads `ask`, `decline`, or the user principal name of the account that approves everything.
    /// - Throws: ``Sandbox/SignInError`` if there is no such account.
    public init(parsing text: String) throws(Sandbox.SignInError) {
        switch text {
        case "ask": self = .asked
        case "decline": self = .declining
        default: self = .approving(try SandboxUser.signingIn(text).userPrincipalName)
        }
    }
}
