extension SandboxState {
    /// OpenID Connect Discovery 1.0.
    func configuration(_ call: SandboxSignInCall) throws(SandboxSignInError) -> HTTPResponse {
        let tenant = call.route.tenant
        guard SandboxTenant.isKnown(tenant) else { throw .noTenant(tenant) }
        let base = "\(call.origin)/\(tenant)"
        let issuer =
            if SandboxTenant.isConsumers(tenant) {
                "\(call.origin)/\(SandboxTenant.consumersID)/v2.0"
            } else {
                SandboxTenant.isOne(tenant) ? call.issuer : "\(call.origin)/{tenantid}/v2.0"
            }
        return Self.answer([
            "issuer": .string(issuer),
            "authorization_endpoint": .string("\(base)/oauth2/v2.0/authorize"),
            "token_endpoint": .string("\(base)/oauth2/v2.0/token"),
            "device_authorization_endpoint": .string("\(base)/oauth2/v2.0/devicecode"),
            "end_session_endpoint": .string("\(base)/oauth2/v2.0/logout"),
            "jwks_uri": .string("\(base)/discovery/v2.0/keys"),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query", "fragment", "form_post"],
            "grant_types_supported": [
                "authorization_code", "refresh_token", "client_credentials",
                "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:jwt-bearer",
            ],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": [
                "client_secret_post", "client_secret_basic", "private_key_jwt",
            ],
            "subject_types_supported": ["pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "scopes_supported": ["openid", "profile", "email", "offline_access"],
            "claims_supported": [
                "sub", "iss", "aud", "exp", "iat", "nonce", "preferred_username", "name", "tid", "oid", "ver", "email",
            ],
            "request_uri_parameter_supported": false,
            "tenant_region_scope": nil,
            "cloud_instance_name": "sandbox",
            "msgraph_host": "graph.microsoft.com",
        ])
    }

    /// The platform's hosts: the requested one, without its port, because clients omit it.
    func instances(_ call: SandboxSignInCall) throws(SandboxSignInError) -> HTTPResponse {
        let address = URL(string: try call.required("authorization_endpoint"))
        let tenant = address?.pathComponents.dropFirst().first ?? ""
        guard let host = address?.host()?.lowercased(), host == URL(string: call.origin)?.host()?.lowercased(),
            SandboxTenant.isKnown(tenant)
        else {
            throw SandboxSignInError("invalid_instance", 50_049, "Unknown or invalid instance.")
        }
        return Self.answer([
            "tenant_discovery_endpoint": .string("\(call.origin)/\(tenant)/v2.0/.well-known/openid-configuration"),
            "api-version": "1.1",
            "metadata": [
                [
                    "preferred_network": .string(host), "preferred_cache": .string(host),
                    "aliases": [.string(host)],
                ]
            ],
        ])
    }
}
