extension SandboxState {
    /// `/oauth2/v2.0/devicecode`: the code that a person enters elsewhere.
    mutating func deviceCode(_ call: SandboxSignInCall) throws(SandboxSignInError) -> HTTPResponse {
        if let repeated = call.form.repeated { throw .malformed("'\(repeated)' is given more than once.") }
        guard SandboxTenant.isKnown(call.route.tenant) else { throw .noTenant(call.route.tenant) }
        let application = try SandboxAuthorization.application(try call.required("client_id"))
        _ = try call.required("scope")
        let scopes = try SandboxScopes(call.form.words("scope"), application: application, call, signIn.rules)
        let claims = try call.claims()
        let code = secret()
        // Without letters and digits that look alike.
        let userCode = text(9, of: "ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        let rules = signIn.rules
        signIn.devices[code] = SandboxSignIn.Device(
            userCode: userCode, application: application, scopes: scopes, claims: claims,
            expires: call.date.addingTimeInterval(TimeInterval(rules.deviceCodeLifetime)),
            interval: rules.deviceInterval)
        switch rules.person {
        case .asked: break
        case .declining: signIn.devices[code]?.decision = .declined
        case .approving(let name):
            guard let account = SandboxUser.account(name) else { throw .loginRequired }
            signIn.consent(to: scopes, of: application, by: account)
            signIn.devices[code]?.decision = .approved(account)
        }
        let address = "\(call.origin)/devicelogin"
        return Self.answer([
            "user_code": .string(userCode), "device_code": .string(code), "verification_uri": .string(address),
            "expires_in": .integer(rules.deviceCodeLifetime), "interval": .integer(rules.deviceInterval),
            "message": .string(
                "To sign in, use a web browser to open the page \(address) and enter the code \(userCode) to"
                    + " authenticate."),
        ])
    }

    /// `/common/oauth2/deviceauth`: the page to enter the code, then the one to choose an account.
    mutating func devicePage(_ call: SandboxSignInCall) -> HTTPResponse {
        guard call.request.method == "POST" else { return SandboxSignInPage.enterCode() }
        let entered = call.form["user_code"] ?? ""
        guard let code = signIn.device(entered), let device = signIn.devices[code],
            case .pending = device.decision, call.date < device.expires
        else {
            return SandboxSignInPage.enterCode(
                problem: "That code is not right, or it has expired. Check it in your program.", entered: entered)
        }
        let page = secret(32)
        signIn.pages[page] = .device(code: code)
        return SandboxSignInPage.ask(
            SandboxSignInPage.Question(
                page: page, application: device.application, scopes: device.scopes, userCode: device.userCode,
                signedIn: call.session.flatMap { signIn.sessions[$0] }))
    }

    mutating func decide(
        about code: String, account: SandboxUser?, _ call: SandboxSignInCall
    ) throws(SandboxSignInError) -> HTTPResponse {
        guard let device = signIn.devices[code] else { throw .malformed("The code is not known.") }
        do throws(Sandbox.SignInError) {
            try signIn.decide(account.map { .approved($0) } ?? .declined, userCode: device.userCode, at: call.date)
        } catch {
            throw .malformed("\(error). Start the sign-in again in your program.")
        }
        guard let account else {
            return SandboxSignInPage.message("Declined", "The program was notified. You can close this window.")
        }
        return SandboxSignInPage.message(
            "You are signed in", "\(account.displayName) is signed in to the program now. You can close this window.")
    }

    mutating func redeemDevice(
        _ call: SandboxSignInCall, application: String
    ) throws(SandboxSignInError) -> SandboxSignIn.Grant {
        let code = try call.required("device_code")
        guard let device = signIn.devices[code], device.application == application else {
            throw SandboxSignInError(
                "bad_verification_code", 70_018, "Invalid verification code. The device code is not known.")
        }
        guard call.date < device.expires else {
            throw SandboxSignInError(
                "expired_token", 70_019, "Verification code expired. Have the user retry the sign-in.")
        }
        switch device.decision {
        case .declined:
            throw SandboxSignInError(
                "authorization_declined", 65_004, "The user declined the authorization request.")
        case .redeemed:
            throw SandboxSignInError(
                "invalid_grant", 54_005, "The device code was already redeemed, please retry with a new valid code.")
        case .pending:
            let last = device.lastAsked
            signIn.devices[code]?.lastAsked = call.date
            // Half a second is tolerated, because clients' clocks are imprecise.
            if let last, call.date.timeIntervalSince(last) < Double(device.interval) - 0.5 {
                signIn.devices[code]?.interval += 5
                throw SandboxSignInError(
                    "slow_down", nil, "The device asks too often. Wait 5 seconds longer from now on (RFC 8628).")
            }
            throw SandboxSignInError(
                "authorization_pending", 70_016,
                "OAuth 2.0 device flow error. Authorization is pending. Continue polling.")
        case .approved(let account):
            signIn.devices[code]?.decision = .redeemed
            return SandboxSignIn.Grant(
                account: account, application: application, scopes: device.scopes, claims: device.claims)
        }
    }
}
