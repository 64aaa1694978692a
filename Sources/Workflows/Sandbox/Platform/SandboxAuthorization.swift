/// A client's request at the authorize address, after its redirect URI was checked.
struct SandboxAuthorization {
    enum Mode: String {
        case query, fragment
        case formPost = "form_post"
    }

    enum Prompt: String {
        case none, login, consent
        case selectAccount = "select_account"
    }

    var application: String
    var redirectURI: String
    var mode = Mode.query
    var state: String?
    var nonce: String?
    var scopes: SandboxScopes
    /// The verifier's hash (RFC 7636); nil if a web application, which authenticates otherwise, sent none.
    var challenge: String?
    var claims: Value?
    var prompt: Prompt?
    var hint: String?
    var tenant: String

    /// The answer's address and form, which must be known before an error can be sent there.
    struct Reply {
        var application: String
        var redirectURI: String
        var mode: Mode
        var state: String?
    }

    /// - Throws: The error shown to the person, because an unregistered address must receive nothing.
    static func reply(
        to call: SandboxSignInCall, _ rules: Sandbox.SignInRules
    ) throws(SandboxSignInError) -> Reply {
        if let repeated = call.parameters.repeated {
            throw .malformed("The parameter '\(repeated)' is given more than once.")
        }
        guard SandboxTenant.isKnown(call.route.tenant) else { throw .noTenant(call.route.tenant) }
        let application = try application(try call.required("client_id"))
        let uri = try call.required("redirect_uri")
        guard SandboxRedirect.isRegistered(uri, among: rules.redirectURIs(of: application)) else {
            throw .wrongRedirect(uri, application: application)
        }
        return Reply(
            application: application, redirectURI: uri,
            mode: call.parameters["response_mode"].flatMap(Mode.init) ?? .query, state: call.parameters["state"])
    }

    /// - Throws: The error sent to the client.
    init(
        _ call: SandboxSignInCall, _ reply: Reply, _ rules: Sandbox.SignInRules
    ) throws(SandboxSignInError) {
        application = reply.application
        redirectURI = reply.redirectURI
        mode = reply.mode
        state = reply.state
        tenant = call.route.tenant
        let parameters = call.parameters
        if let mode = parameters["response_mode"], Mode(rawValue: mode) == nil {
            throw .malformed("The response_mode '\(mode)' is not supported.")
        }
        let type = try call.required("response_type")
        guard type == "code" else {
            throw SandboxSignInError(
                "unsupported_response_type", 700_051,
                "response_type '\(type)' is not enabled for the application.")
        }
        _ = try call.required("scope")
        scopes = try SandboxScopes(parameters.words("scope"), application: application, call, rules)
        challenge = try Self.challenge(parameters, isRequired: rules.applications[application] == nil)
        claims = try call.claims()
        nonce = parameters["nonce"]
        hint = parameters["login_hint"]
        if let prompt = parameters["prompt"] {
            guard let known = Prompt(rawValue: prompt) else {
                throw SandboxSignInError("invalid_request", 90_023, "Unsupported 'prompt' value '\(prompt)'.")
            }
            self.prompt = known
        }
    }

    private static func challenge(
        _ parameters: SandboxForm, isRequired: Bool
    ) throws(SandboxSignInError) -> String? {
        let method = parameters["code_challenge_method"]
        guard let challenge = parameters["code_challenge"], method == "S256" else {
            if !isRequired, parameters["code_challenge"] == nil, method == nil { return nil }
            throw SandboxSignInError(
                "invalid_request", 9_002_325,
                "Proof Key for Code Exchange is required: a 'code_challenge' with the 'code_challenge_method' S256.")
        }
        guard challenge.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil else {
            throw SandboxSignInError("invalid_request", 501_491, "Invalid size of Code_Challenge parameter.")
        }
        return challenge
    }

    /// The application's id: every GUID except zero.
    static func application(_ id: String) throws(SandboxSignInError) -> String {
        let isGUID = id.wholeMatch(of: /[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/) != nil
        guard isGUID, id.contains(where: { $0 != "0" && $0 != "-" }) else { throw .noApplication(id) }
        return id.lowercased()
    }
}
