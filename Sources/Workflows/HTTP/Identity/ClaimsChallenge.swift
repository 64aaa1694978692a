import Foundation

/// What a service wants to see proven before it takes a token, and what this client can do about it.
package struct ClaimsChallenge: Sendable, Hashable {
    /// What a client says that it handles: challenges, and therefore tokens that can be revoked at once.
    private static let capabilities: Value = ["access_token": ["xms_cc": ["values": ["cp1"]]]]

    /// The claims as JSON.
    let claims: Value

    /// Finds the challenge in the values of `WWW-Authenticate` fields; nil where none asks for claims.
    package init?(challenges: [String]) {
        let found = HTTPChallenge.challenges(in: challenges).lazy.map(\.parameters)
            .filter { $0["error"] == "insufficient_claims" }.compactMap { $0["claims"].flatMap { ClaimsChallenge($0) } }
        guard let first = found.first else { return nil }
        self = first
    }

    /// Reads claims in base64, of either alphabet, or as plain JSON; nil where they are neither.
    package init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count <= 100_000 else { return nil }
        let data = text.hasPrefix("{") ? Data(text.utf8) : Base64URL.decode(text)
        guard let data, let claims = try? Value(json: data), claims.object != nil else { return nil }
        self.claims = claims
    }

    /// The claims in base64, as a person hands them to `graphflow login --claims-challenge`.
    package var encoded: String { claims.jsonData().base64EncodedString() }

    /// What a request for a token sends as `claims`: the capabilities, and the challenge where there is one.
    static func parameter(_ challenge: ClaimsChallenge?) -> String {
        merge(challenge?.claims ?? [:], capabilities).json()
    }

    /// Both objects in one, the second one's members where both have a value that is no object.
    private static func merge(_ first: Value, _ second: Value) -> Value {
        guard case .object(var merged) = first, let members = second.object else { return second }
        for (name, value) in members { merged[name] = merged[name].map { merge($0, value) } ?? value }
        return .object(merged)
    }
}
