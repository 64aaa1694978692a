struct SandboxSignInError: Error {
    var error: String
    /// The number after `AADSTS`; nil for an error without one.
    var code: Int?
    var message: String
    var status = 400
    var suberror: String?
    var claims: String?
    var headers: HTTPHeaders = [:]

    init(_ error: String, _ code: Int?, _ message: String, status: Int = 400, suberror: String? = nil) {
        self.error = error
        self.code = code
        self.message = message
        self.status = status
        self.suberror = suberror
    }

    struct Trace {
        var traceID: String
        var correlationID: String
        var date: Date

        var timestamp: String { SandboxClock.timestamp(date).replacing("T", with: " ") }
    }

    /// `AADSTS70016: … Trace ID: … Correlation ID: … Timestamp: …`.
    func description(_ trace: Trace) -> String {
        [
            (code.map { "AADSTS\($0): " } ?? "") + message, "Trace ID: \(trace.traceID)",
            "Correlation ID: \(trace.correlationID)", "Timestamp: \(trace.timestamp)",
        ].joined(separator: "\r\n")
    }

    func response(_ trace: Trace) -> HTTPResponse {
        var body: Object = [
            "error": .string(error), "error_description": .string(description(trace)),
            "error_codes": .array(code.map { [.integer($0)] } ?? []), "timestamp": .string(trace.timestamp),
            "trace_id": .string(trace.traceID), "correlation_id": .string(trace.correlationID),
        ]
        if let code { body["error_uri"] = .string("https://login.microsoftonline.com/error?code=\(code)") }
        if let suberror { body["suberror"] = .string(suberror) }
        if let claims { body["claims"] = .string(claims) }
        var response = HTTPResponse(status: status, headers: headers, body: Value.object(body).jsonData())
        response.headers["Content-Type"] = "application/json; charset=utf-8"
        return response
    }

    static func missing(_ name: String) -> SandboxSignInError {
        SandboxSignInError(
            "invalid_request", 900_144, "The request body must contain the following parameter: '\(name)'.")
    }

    static func malformed(_ message: String) -> SandboxSignInError {
        SandboxSignInError("invalid_request", 9_002_313, "Invalid request. Request is malformed or invalid. \(message)")
    }

    static func noApplication(_ id: String) -> SandboxSignInError {
        SandboxSignInError(
            "unauthorized_client", 700_016,
            "Application with identifier '\(id)' was not found in the directory 'Contoso'. This can happen if the"
                + " application has not been installed by the administrator of the tenant or consented to by any user in"
                + " the tenant. You may have sent your authentication request to the wrong tenant.")
    }

    static func noTenant(_ name: String) -> SandboxSignInError {
        SandboxSignInError(
            "invalid_request", 90_002,
            "Tenant '\(name)' not found. Check to make sure you have the correct tenant ID and are signing into the"
                + " correct cloud.")
    }

    static func wrongRedirect(_ uri: String, application: String) -> SandboxSignInError {
        SandboxSignInError(
            "invalid_request", 50_011,
            "The redirect URI '\(uri)' specified in the request does not match the redirect URIs configured for the"
                + " application '\(application)'. Make sure the redirect URI sent in the request matches one added to"
                + " your application in the Azure portal.")
    }

    static func notConsented(_ application: String) -> SandboxSignInError {
        SandboxSignInError(
            "invalid_grant", 65_001,
            "The user or administrator has not consented to use the application with ID '\(application)'. Send an"
                + " interactive authorization request for this user and resource.", suberror: "consent_required")
    }

    static let declined = SandboxSignInError("access_denied", 65_004, "User declined to consent to access the app.")
    static let invalidGrant = SandboxSignInError(
        "invalid_grant", 70_000, "Provided grant is invalid or malformed.", suberror: "bad_token")
    static let wrongVerifier = SandboxSignInError(
        "invalid_grant", 501_481,
        "The Code_Verifier does not match the code_challenge supplied in the authorization request.")
    static let loginRequired = SandboxSignInError(
        "login_required", 50_058, "A silent sign-in request was sent but no user is signed in.")
}
