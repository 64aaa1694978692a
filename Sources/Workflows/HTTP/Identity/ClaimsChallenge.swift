/// The claims that a service requires before it accepts a token, and this client's capabilities.
package struct ClaimsChallenge: Sendable, Hashable {
    /// The declared client capability: it handles challenges, so tokens can be revoked at once.
    private static let capabilities: Value = ["access_token": ["xms_cc": ["values": ["cp1"]]]]

    let claims: Value

    package init?(challenges: [String]) {
        for challenge in HTTPChallenge.challenges(in: challenges)
        where challenge.parameters["error"] == "insufficient_claims" {
            guard let found = challenge.parameters["claims"].flatMap(ClaimsChallenge.init) else { continue }
            self = found
            return
        }
        return nil
    }

    /// Reads claims in Base64, of either alphabet, or as plain JSON; nil if they are neither.
    package init?(_ text: String) {
        let text = text.trimming(\.isWhitespace)
        guard text.utf8.count <= 100_000 else { return nil }
        let data = text.hasPrefix("{") ? Data(text.utf8) : Base64URL.decode(text)
        guard let data, let claims = try? Value(json: data), claims.object != nil else { return nil }
        self.claims = claims
    }

    /// Base64, as passed to `graphflow login --claims-challenge`.
    package var encoded: String { claims.jsonData().base64EncodedString() }

    /// What the claims require of a token, in words; empty if nothing.
    ///
    /// Source: Microsoft's pages on authentication contexts, continuous access evaluation and claims challenges.
    var requirements: String {
        let required = (claims["access_token"]?.object ?? [:]).sorted { $0.key < $1.key }.map { name, claim -> String in
            let list = (claim["values"] ?? claim["Values"])?.array ?? claim["value"].map { [$0] } ?? []
            let values = list.compactMap(\.string).joined(separator: ", ")
            switch name {
            case "acrs": return "the authentication context \(values)"
            case "capolids", "polids": return "the conditional access policy \(values)"
            case "nbf":
                guard let seconds = Int(values), (0..<1 << 40).contains(seconds) else { return "a newer token" }
                return "a token issued since \(Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601))"
            case "xms_rp_ipaddr": return "an address that it allows, unlike \(values)"
            default: return "the claim \(name)"
            }
        }
        return PlainText.line(required.joined(separator: " and "))
    }

    /// What a user or administrator can do about a refused token, in a few sentences.
    /// - Parameter isApplication: Whether the token belongs to a program without a user; nil if unknown.
    package func advice(isApplication: Bool?) -> String {
        let words = requirements
        let first = "A policy of the organization demands more of the token" + (words.isEmpty ? "." : ": \(words).")
        let ofProgram =
            "A program without a user cannot prove more. An administrator can find the policy in the sign-in logs of"
            + " service principals, under Conditional Access, and exclude the application from it."
        let command = "graphflow login --claims-challenge \(encoded)"
        return switch isApplication {
        case true?: "\(first) \(ofProgram)"
        case false?: "\(first) Sign in again with it: \(command)"
        case nil: "\(first) \(ofProgram) A user can sign in again with it: \(command)"
        }
    }

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
