extension SandboxState {
    mutating func applicationToken(
        _ call: SandboxSignInCall, _ client: SandboxClientIdentity
    ) throws(SandboxSignInError) -> HTTPResponse {
        guard SandboxTenant.isOne(call.route.tenant) else {
            throw SandboxSignInError(
                "invalid_request", 50_059,
                "No tenant-identifying information found in either the request or implied by any provided credentials.")
        }
        try checkProof(of: client, call)
        let words = try call.required("scope")
        let scopes = try SandboxScopes(call.form.words("scope"), application: client.application, call, signIn.rules)
        guard scopes.isDefault, !scopes.prefix.isEmpty, scopes.openID.isEmpty else {
            throw SandboxSignInError(
                "invalid_scope", 1_002_012,
                "The provided value for scope \(words) is not valid. Client credential flows must have a scope value"
                    + " with /.default suffixed to the resource identifier (application ID URI).")
        }
        return Self.answer([
            "token_type": "Bearer", "expires_in": .integer(signIn.rules.tokenLifetime),
            "ext_expires_in": .integer(signIn.rules.tokenLifetime),
            "access_token": .string(
                try issue(to: client.application, of: scopes.resource, claims: try call.claims(), call)),
        ])
    }

    func checkProof(
        of client: SandboxClientIdentity, _ call: SandboxSignInCall
    ) throws(SandboxSignInError) {
        switch client.proof {
        case nil:
            throw SandboxSignInError(
                "invalid_client", 7_000_218,
                "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
                status: 401)
        case .secret("expired"):
            throw SandboxSignInError(
                "invalid_client", 7_000_222,
                "The provided client secret keys for app '\(client.application)' are expired.",
                status: 401)
        case .secret(let secret) where Sandbox.refusedTokens.contains(secret):
            throw SandboxSignInError(
                "invalid_client", 7_000_215,
                "Invalid client secret provided. Ensure the secret being sent in the request is the client secret value,"
                    + " not the client secret ID, for a secret added to app '\(client.application)'.", status: 401)
        case .secret: break
        case .assertion(let text):
            var audiences: Set<String> = []
            for tenant in [call.route.tenant, SandboxTenant.id] {
                audiences.insert("\(call.origin)/\(tenant)/oauth2/v2.0/token")
                audiences.insert("\(call.origin)/\(tenant)/v2.0")
            }
            _ = try SandboxAssertion(text).check(
                application: client.application, audiences: audiences, at: call.date)
        }
    }

    /// A managed identity's token: `/metadata/identity/oauth2/token` of a virtual machine, or App Service's.
    mutating func managedIdentity(_ call: SandboxSignInCall) throws(SandboxSignInError) -> HTTPResponse {
        let isMachine = call.route.resource == .machine
        func refusal(_ status: Int, _ error: String, _ message: String) -> HTTPResponse {
            Self.answer(
                isMachine
                    ? ["error": .string(error), "error_description": .string(message)]
                    : ["statusCode": .integer(status), "message": .string(message)], status: status)
        }
        if isMachine {
            guard call.request.headers["Metadata"]?.lowercased() == "true" else {
                return refusal(400, "bad_request_102", "Required metadata header not specified")
            }
            guard call.request.headers["X-Forwarded-For"] == nil else {
                return refusal(400, "bad_request_102", "X-Forwarded-For header is not allowed")
            }
        } else {
            guard call.request.headers["X-IDENTITY-HEADER"] == signIn.rules.identityHeader else {
                return refusal(401, "unauthorized", "The header X-IDENTITY-HEADER is missing or wrong.")
            }
        }
        let versions = isMachine ? ["2018-02-01", "2019-08-01"] : ["2019-08-01"]
        guard let version = call.query["api-version"], versions.contains(version) else {
            return refusal(400, "invalid_request", "The api-version is missing or not supported.")
        }
        guard let resource = call.query["resource"] else {
            return refusal(400, "invalid_request", "Required audience parameter 'resource' not specified.")
        }
        guard SandboxScopes.isGraph(resource, origin: call.origin) else {
            return refusal(400, "invalid_resource", SandboxScopes.noResource(resource).message)
        }
        let client = call.query["client_id"] ?? Sandbox.applicationID
        guard let application = try? SandboxAuthorization.application(client) else {
            return refusal(400, "invalid_request", "Identity not found")
        }
        let seconds = signIn.rules.tokenLifetime
        let end = Int(call.date.timeIntervalSince1970) + seconds
        var answer: Object = [
            "access_token": .string(try issue(to: application, of: nil, claims: nil, call)),
            "expires_on": .string("\(end)"), "resource": .string(resource), "token_type": "Bearer",
            "client_id": .string(client),
        ]
        if isMachine {
            answer["expires_in"] = .string("\(seconds)")
            answer["ext_expires_in"] = .string("\(seconds)")
            answer["not_before"] = .string("\(end - seconds)")
        }
        return Self.answer(answer)
    }

    private mutating func issue(
        to application: String, of resource: String?, claims: Value?, _ call: SandboxSignInCall
    ) throws(SandboxSignInError) -> String {
        try accessToken(
            SandboxSignIn.Access(
                account: nil, application: application, resource: resource,
                permissions: resource == nil ? signIn.rules.applicationPermissions ?? [] : [],
                claims: claims, expires: call.date.addingTimeInterval(TimeInterval(signIn.rules.tokenLifetime))), call)
    }
}
