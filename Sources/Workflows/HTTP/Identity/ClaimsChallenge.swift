import Essentials

/// The claims that a service requires before it accepts a token, and this client's capabilities.
package struct ClaimsChallenge: Sendable, Hashable {
    /// The declared client capability: it handles challenges, so tokens can be revoked at once.
    private static let capabilities: Value = ["access_token": ["xms_cc": ["values": ["cp1"]]]]

    /// The claims as JSON.
    let claims: Value

    /// Finds the challenge in the values of `WWW-Authenticate` fields; nil if none requires claims.
    package init?(challenges: [String]) {
        let found = HTTPChallenge.challenges(in: challenges).lazy.map(\.parameters)
            .filter { $0["error"] == "insufficient_claims" }.compactMap { $0["claims"].flatMap { ClaimsChallenge($0) } }
        guard let first = found.first else { return nil }
        self = first
    }

    /// Reads claims in Base64, of either alphabet, or as plain JSON; nil if they are neither.
    package init?(_ text: String) {
        let text = text.trimming(\.isWhitespace)
        guard text.utf8.count <= 100_000 else { return nil }
        let data = text.hasPrefix("{") ? Data(text.utf8) : Base64URL.decode(text)
        guard let data, let claims = try? Value(json: data), claims.object != nil else { return nil }
        self.claims = claims
    }

    /// The claims in Base64, as passed to `graphflow login --claims-challenge`.
    package var encoded: String { claims.jsonData().base64EncodedString() }

    /// The `claims` of a token request: the capabilities, and the challenge if there is one.
    static func parameter(_ challenge: ClaimsChallenge?) -> String {
        merge(challenge?.claims ?? [:], capabilities).json()
    }

    /// Merges both objects; the second one's members win unless both are objects.
    private static func merge(_ first: Value, _ second: Value) -> Value {
        guard case .object(var merged) = first, let members = second.object else { return second }
        for (name, value) in members { merged[name] = merged[name].map { merge($0, value) } ?? value }
        return .object(merged)
    }
}
