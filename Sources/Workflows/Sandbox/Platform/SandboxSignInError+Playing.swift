extension SandboxSignInError {
    static let words = [
        "authorization_pending", "slow_down", "expired_token", "authorization_declined", "bad_verification_code",
        "access_denied", "invalid_request", "invalid_client", "invalid_grant", "invalid_scope", "unauthorized_client",
        "interaction_required", "consent_required", "login_required", "temporarily_unavailable", "server_error",
        "insufficient_claims",
    ]

    static let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#

    init(playing fault: Sandbox.Fault, _ name: String) {
        if let code = name.wholeMatch(of: /AADSTS([0-9]{4,8})/)?.output.1, let number = Int(code) {
            self.init(playing: number)
        } else {
            self.init(name, Self.numbers[name], "The sandbox was asked to answer '\(name)'.")
        }
        status =
            switch error {
            case "invalid_client": 401
            case "temporarily_unavailable": 503
            case "server_error": 500
            default: 400
            }
        if let retryAfter = fault.retryAfter { headers["Retry-After"] = "\(retryAfter)" }
    }

    private static let numbers = [
        "authorization_pending": 70_016, "bad_verification_code": 70_018, "expired_token": 70_019,
        "authorization_declined": 65_004, "access_denied": 65_004, "invalid_grant": 70_000, "invalid_scope": 70_011,
        "invalid_client": 7_000_215, "unauthorized_client": 700_016, "interaction_required": 50_076,
        "consent_required": 65_001, "login_required": 50_058, "temporarily_unavailable": 90_006,
    ]

    private init(playing code: Int) {
        switch code {
        case 50_076, 50_079, 50_072, 50_074, 50_078, 50_158:
            self.init(
                "interaction_required", code,
                "Due to a configuration change made by your administrator, or because you moved to a new location, you"
                    + " must use multi-factor authentication to access '00000003-0000-0000-c000-000000000000'.",
                suberror: "basic_action")
            claims = Self.claims
        case 53_003, 530_035:
            self.init(
                "interaction_required", code,
                "Access has been blocked by Conditional Access policies. The access policy does not allow token"
                    + " issuance.", suberror: "message_only")
            claims = Self.claims
        case 53_000, 53_001, 50_097:
            self.init(
                "interaction_required", code,
                "Device is not in required device state: unmanaged. Conditional Access policy requires a compliant"
                    + " device, and the device is not compliant.", suberror: "additional_action")
        case 50_058: self = .loginRequired
        case 50_173:
            self.init(
                "invalid_grant", code,
                "The provided grant has expired due to it being revoked, a fresh auth token is needed. The user might"
                    + " have changed or reset their password.", suberror: "bad_token")
        case 50_132, 50_133:
            self.init(
                "invalid_grant", code, "The session is not valid due to password expiration or recent password change.",
                suberror: "user_password_expired")
        case 700_082:
            self.init(
                "invalid_grant", code, "The refresh token has expired due to inactivity.", suberror: "token_expired")
        case 70_008, 70_043, 700_084, 50_089:
            self.init("invalid_grant", code, "The provided grant has expired.", suberror: "token_expired")
        case 65_001: self = .notConsented("the application")
        case 65_004: self = .declined
        case 50_057: self.init("invalid_grant", code, "The user account is disabled.")
        case 50_105:
            self.init("invalid_grant", code, "The signed in user is not assigned to a role for the application.")
        case 50_020:
            self.init("invalid_grant", code, "User account does not exist in tenant 'Contoso' and cannot access it.")
        case 700_016, 70_001, 700_011: self.init("unauthorized_client", code, "The application was not found.")
        case 70_011:
            self.init("invalid_scope", code, "The provided value for the input parameter 'scope' is not valid.")
        case 7_000_215:
            self.init(
                "invalid_client", code,
                "Invalid client secret provided. Ensure the secret being sent in the request is the client secret value,"
                    + " not the client secret ID.")
        case 7_000_222: self.init("invalid_client", code, "The provided client secret keys are expired.")
        case 70_002, 700_025, 7_000_218: self.init("invalid_client", code, "Error validating credentials.")
        case 90_006, 90_012, 50_087:
            self.init("temporarily_unavailable", code, "The service is temporarily unavailable. Please retry later.")
        case 50_196:
            self.init(
                "invalid_request", code,
                "The server terminated an operation because it encountered a client request loop.")
        case 70_000: self = .invalidGrant
        default: self.init("invalid_request", code, "The sandbox was asked to answer AADSTS\(code).")
        }
    }
}
