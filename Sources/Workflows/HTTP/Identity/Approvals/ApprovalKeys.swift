/// The published keys of a tenant, and whose tokens they make approvals.
package struct ApprovalKeys: Sendable {
    /// How far clocks may differ, in seconds.
    static let tolerance: TimeInterval = 120
    /// How old a token may be when it is issued, in seconds: Microsoft Entra dates it five minutes back.
    static let ageAtSignIn = -tolerance...600

    let issuer: String
    /// The tenant's id; nil if only the issuer names it.
    let tenant: String?
    /// The application that approvers sign in to.
    let client: String
    /// Whether any sandbox on this machine counts as the issuer.
    let isSandbox: Bool
    private let keys: [Value]
    /// The time by the platform's clock and by this machine's when the keys were read; nil if it did not say.
    private let clocks: (platform: Date, own: Date)?

    init(
        issuer: String, tenant: String?, client: String, isSandbox: Bool, keys: [Value],
        clocks: (platform: Date, own: Date)?
    ) {
        (self.issuer, self.tenant, self.client, self.isSandbox) = (issuer, tenant, client, isSandbox)
        (self.keys, self.clocks) = (keys, clocks)
    }

    /// Checks the signature of an approval and everything that its token says.
    /// - Throws: ``ApprovalRefusal`` with the first thing that is wrong.
    package func check(_ approval: SignedApproval, now: Date) throws(ApprovalRefusal) -> CheckedApproval {
        try checkClock()
        let token = try signedToken(approval.idToken)
        let claims = IDToken(token.claims)
        try demand(claims)
        guard claims.nonce == approval.statement.nonce else {
            throw ApprovalRefusal(
                "it was signed for something else: its token does not name this content",
                hint: "its file or what it approves was changed; approve again")
        }
        guard let at = claims.issuedAt else { throw ApprovalRefusal("its token does not say when it was issued") }
        guard at.timeIntervalSince(now) <= Self.tolerance else {
            throw ApprovalRefusal("it is from the future: is this machine's clock right?")
        }
        let end = approval.statement.end
        guard end > now else {
            throw ApprovalRefusal("it expired at \(approval.statement.expires)", hint: "approve again")
        }
        guard end > at else { throw ApprovalRefusal("it had expired when it was signed") }
        // An id is the same in capitals.
        guard let person = claims.directoryObjectID?.lowercased() else {
            throw ApprovalRefusal("its token names no person by an object id ('oid')")
        }
        let name = claims.principalName ?? claims.name ?? person
        return CheckedApproval(
            approval: approval, by: person, name: name, at: at, issuer: claims.issuer ?? issuer, key: token.key)
    }

    /// A clock that was set back would make an expired approval valid.
    func checkClock() throws(ApprovalRefusal) {
        guard let clocks, abs(clocks.own.timeIntervalSince(clocks.platform)) > Self.tolerance else { return }
        let minutes = Int(abs(clocks.own.timeIntervalSince(clocks.platform)) / 60)
        let word = clocks.own < clocks.platform ? "behind" : "ahead of"
        throw ApprovalRefusal(
            "this machine's clock is \(minutes) minutes \(word) the sign-in service's", hint: "set the clock")
    }

    private func signedToken(_ text: String) throws(ApprovalRefusal) -> (claims: Object, key: Value) {
        guard let token = JSONWebToken(text) else { throw ApprovalRefusal("its token is not a JSON Web Token") }
        let algorithm = token.head["alg"]?.string ?? ""
        guard algorithm == "RS256" else {
            throw ApprovalRefusal(
                "its token is signed with '\(PlainText.exact(algorithm, limit: 40))', and only RS256 counts")
        }
        guard token.head["crit"] == nil, (token.head["typ"]?.string ?? "JWT").lowercased() == "jwt" else {
            throw ApprovalRefusal("its token is not an ID token")
        }
        let id = token.head["kid"]?.string
        let key = published(id)
        guard let id, !key.isNull else {
            throw ApprovalRefusal(
                "its token is signed with the key '\(PlainText.exact(id ?? "", limit: 100))', which \(host) does not "
                    + "publish (any more)", hint: "approve again")
        }
        guard key["kty"] == "RSA", key["use"] == nil || key["use"] == "sig", key["alg"] == nil || key["alg"] == "RS256",
            let modulus = key["n"]?.string.flatMap({ Base64URL.decode($0) }),
            let exponent = key["e"]?.string.flatMap({ Base64URL.decode($0) })
        else { throw ApprovalRefusal("the key '\(PlainText.exact(id, limit: 100))' is not one for RS256") }
        do throws(SystemError) {
            let library = try CryptoLibrary.system.get()
            let key = try RSAPublicKey(modulus: modulus, exponent: exponent, library)
            guard try key.isSignature(token.signature, of: token.signedPart) else {
                throw SystemError("the signature is of something else")
            }
        } catch {
            throw ApprovalRefusal("the signature of its token does not hold: \(error)")
        }
        return (token.claims, key)
    }

    /// The members of a published key that a check needs; null if there is no such key.
    func published(_ id: String?) -> Value {
        guard let id, let key = keys.first(where: { $0["kid"]?.string == id })?.object else { return .null }
        let names = ["kty", "use", "kid", "alg", "n", "e"]
        return .object(Object(key.filter { names.contains($0.key) }.map { ($0.key, $0.value) }))
    }

    private var host: String { URL(string: issuer)?.host() ?? issuer }

    /// Demands the tenant and the application.
    private func demand(_ claims: IDToken) throws(ApprovalRefusal) {
        guard isIssuer(claims.issuer) else {
            throw ApprovalRefusal(
                "its token was issued by '\(PlainText.exact(claims.issuer ?? "", limit: 200))', and not by '\(issuer)'")
        }
        guard let tenant = claims.tenant, self.tenant.map({ tenant.equalsIgnoringASCIICase($0) }) ?? true else {
            throw ApprovalRefusal(
                "its token is from another tenant ('\(PlainText.exact(claims.tenant ?? "", limit: 100))')")
        }
        guard let audience = claims.audience, audience.equalsIgnoringASCIICase(client) else {
            throw ApprovalRefusal(
                "its token is for another application ('\(PlainText.exact(claims.audience ?? "", limit: 100))', and "
                    + "not '\(client)')", hint: "GRAPHFLOW_APPROVAL_CLIENT_ID names the application for approvals")
        }
    }

    private func isIssuer(_ text: String?) -> Bool {
        guard isSandbox else { return text == issuer }
        // Each sandbox has its own port.
        guard let text, let one = URL(string: text), let other = URL(string: issuer) else { return false }
        return Origin(one)?.isLoopback == true && one.path() == other.path()
    }
}
