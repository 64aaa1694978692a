extension SandboxState {
    /// `/oauth2/v2.0/authorize`: the sign-in page, or the answer to the client if no person is needed.
    mutating func authorize(
        _ call: SandboxSignInCall, playing played: SandboxSignInError?
    ) throws(SandboxSignInError) -> HTTPResponse {
        let reply = try SandboxAuthorization.reply(to: call, signIn.rules)
        do throws(SandboxSignInError) {
            if let played { throw played }
            return try ask(try SandboxAuthorization(call, reply, signIn.rules), call)
        } catch {
            return Self.refuse(reply, error, call)
        }
    }

    private mutating func ask(
        _ authorization: SandboxAuthorization, _ call: SandboxSignInCall
    ) throws(SandboxSignInError) -> HTTPResponse {
        switch signIn.rules.person {
        case .declining: throw .declined
        case .approving(let name):
            guard let account = SandboxUser.account(name) else { throw .loginRequired }
            return approve(authorization, by: account, call)
        case .asked: break
        }
        let signedIn = call.session.flatMap { signIn.sessions[$0] }
        if authorization.prompt == SandboxAuthorization.Prompt.none {
            guard let account = signedIn else { throw .loginRequired }
            if let hint = authorization.hint, SandboxUser.account(hint)?.id != account.id { throw .loginRequired }
            guard signIn.isConsented(authorization.scopes, by: account, to: authorization.application) else {
                var error = SandboxSignInError.notConsented(authorization.application)
                error.error = "consent_required"
                throw error
            }
            return approve(authorization, by: account, call)
        }
        let page = secret(32)
        signIn.pages[page] = .authorization(authorization)
        return SandboxSignInPage.ask(
            SandboxSignInPage.Question(
                page: page, application: authorization.application, scopes: authorization.scopes,
                hint: authorization.hint, signedIn: authorization.prompt == .login ? nil : signedIn,
                redirectURI: authorization.redirectURI,
                hasAccounts: !SandboxTenant.isConsumers(authorization.tenant)))
    }

    mutating func decide(_ call: SandboxSignInCall) throws(SandboxSignInError) -> HTTPResponse {
        guard let name = call.form["page"], let page = signIn.pages[name] else {
            throw .malformed("This sign-in has ended. Start it again in your program.")
        }
        let decision = call.form["decision"] ?? ""
        guard decision == "accept" || decision == "decline" else {
            throw .malformed("The decision is neither 'accept' nor 'decline'.")
        }
        let account = SandboxUser.account(call.form["account"] ?? "")
        guard decision == "decline" || account != nil else {
            throw SandboxSignInError("invalid_request", 50_020, "The account does not exist in tenant 'Contoso'.")
        }
        signIn.pages[name] = nil
        var response: HTTPResponse
        switch page {
        case .authorization(let authorization):
            guard let account, decision == "accept" else {
                return Self.refuse(authorization.reply, .declined, call)
            }
            response = approve(authorization, by: account, call)
        case .device(let code):
            response = try decide(about: code, account: decision == "accept" ? account : nil, call)
        }
        if let account, decision == "accept" {
            let session = secret(32)
            signIn.sessions[session] = account
            let security = call.origin.hasPrefix("https:") ? "; Secure" : ""
            response.headers["Set-Cookie"] =
                "\(SandboxSignIn.cookie)=\(session); Path=/; HttpOnly; SameSite=Lax\(security)"
        }
        return response
    }

    private mutating func approve(
        _ authorization: SandboxAuthorization, by account: SandboxUser, _ call: SandboxSignInCall
    ) -> HTTPResponse {
        signIn.consent(to: authorization.scopes, of: authorization.application, by: account)
        let code = secret(48)
        signIn.codes[code] = SandboxSignIn.Code(
            grant: SandboxSignIn.Grant(
                account: account, application: authorization.application, scopes: authorization.scopes,
                claims: authorization.claims, nonce: authorization.nonce),
            redirectURI: authorization.redirectURI, challenge: authorization.challenge,
            expires: call.date.addingTimeInterval(TimeInterval(signIn.rules.codeLifetime)))
        var fields = [("code", code)]
        if let state = authorization.state { fields.append(("state", state)) }
        fields.append(("session_state", guid()))
        return SandboxRedirect.response(to: authorization.redirectURI, authorization.mode, fields)
    }

    private static func refuse(
        _ reply: SandboxAuthorization.Reply, _ error: SandboxSignInError, _ call: SandboxSignInCall
    ) -> HTTPResponse {
        var fields = [("error", error.error), ("error_description", error.description(call.trace))]
        if let code = error.code {
            fields.append(("error_uri", "https://login.microsoftonline.com/error?code=\(code)"))
        }
        if let suberror = error.suberror { fields.append(("error_subcode", suberror)) }
        if let claims = error.claims { fields.append(("claims", claims)) }
        if let state = reply.state { fields.append(("state", state)) }
        return SandboxRedirect.response(to: reply.redirectURI, reply.mode, fields)
    }

    /// `/oauth2/v2.0/logout`: ends the browser's session; programs keep their tokens.
    mutating func logOut(_ call: SandboxSignInCall) throws(SandboxSignInError) -> HTTPResponse {
        if let session = call.session { signIn.sessions[session] = nil }
        var response: HTTPResponse
        if let target = call.query["post_logout_redirect_uri"],
            SandboxRedirect.isRegistered(
                target, among: signIn.rules.redirectURIs + signIn.rules.applications.values.joined())
        {
            response = SandboxRedirect.response(
                to: target, .query, call.query["state"].map { [("state", $0)] } ?? [])
        } else {
            response = SandboxSignInPage.message(
                "Signed out", "This browser is signed out. Programs keep their access.")
        }
        response.headers["Set-Cookie"] = "\(SandboxSignIn.cookie)=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"
        return response
    }
}

extension SandboxAuthorization {
    fileprivate var reply: Reply {
        Reply(application: application, redirectURI: redirectURI, mode: mode, state: state)
    }
}
