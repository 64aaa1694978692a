struct SandboxClientIdentity {
    enum Proof {
        case secret(String)
        case assertion(String)
    }

    let application: String
    let proof: Proof?

    init(_ call: SandboxSignInCall) throws(SandboxSignInError) {
        var proof: Proof?
        var id = call.form["client_id"]
        if let basic = Self.basic(call.request) {
            guard id == nil || id == basic.id else { throw .malformed("Two client ids are given.") }
            id = basic.id
            if !basic.secret.isEmpty { proof = .secret(basic.secret) }
        }
        if let secret = call.form["client_secret"] {
            guard proof == nil else { throw .malformed("Two client secrets are given.") }
            proof = .secret(secret)
        }
        if let assertion = call.form["client_assertion"] {
            guard proof == nil else { throw .malformed("A client secret and an assertion are given.") }
            let type = try call.required("client_assertion_type")
            guard type == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" else {
                throw .malformed("The client_assertion_type '\(type)' is not supported.")
            }
            proof = .assertion(assertion)
        }
        guard let id else { throw .missing("client_id") }
        application = try SandboxAuthorization.application(id)
        self.proof = proof
    }

    /// The id and secret of `Authorization: Basic`, percent-encoded (RFC 6749, section 2.3.1).
    private static func basic(_ request: HTTPRequest) -> (id: String, secret: String)? {
        let words = (request.headers["Authorization"] ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "basic",
            let data = Data(base64Encoded: String(words[1])),
            let text = String(validating: data, as: UTF8.self)
        else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let decoded = parts.map { $0.replacing("+", with: " ").percentDecoded ?? String($0) }
        return (decoded[0], decoded[1])
    }
}
