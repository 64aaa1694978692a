import Foundation

/// What a service wants to see proven before it takes a token, and what this client can do about it.
package struct ClaimsChallenge: Sendable, Hashable {
    /// What a client says that it handles: challenges, and therefore tokens that can be revoked at once.
    private static let capabilities: Value = ["access_token": ["xms_cc": ["values": ["cp1"]]]]

    /// The claims as JSON.
    let claims: Value

    /// Finds the challenge in the values of `WWW-Authenticate` fields; nil where none asks for claims.
    package init?(challenges: [String]) {
        for field in challenges {
            for parameters in Self.parameters(of: field) where parameters["error"] == "insufficient_claims" {
                guard let text = parameters["claims"], let found = ClaimsChallenge(text) else { continue }
                self = found
                return
            }
        }
        return nil
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

    /// The parameters of each challenge in a field, as RFC 9110, section 11.6.1, writes them.
    static func parameters(of field: String) -> [[String: String]] {
        var result: [[String: String]] = []
        var rest = field[...]
        func skip(_ characters: Set<Character>) {
            while let next = rest.first, characters.contains(next) { rest.removeFirst() }
        }
        func word() -> String {
            let word = rest.prefix { !" \t,=\"".contains($0) }
            rest = rest.dropFirst(word.count)
            return String(word)
        }
        while true {
            skip([" ", "\t", ","])
            guard !rest.isEmpty else { return result }
            let name = word()
            skip([" ", "\t"])
            guard rest.first == "=", !name.isEmpty else {
                if name.isEmpty { rest.removeFirst() } else { result.append([:]) }
                continue
            }
            rest.removeFirst()
            skip([" ", "\t"])
            var value = ""
            if rest.first == "\"" {
                rest.removeFirst()
                while let next = rest.popFirst(), next != "\"" {
                    value.append(next == "\\" ? rest.popFirst() ?? next : next)
                }
            } else {
                // Base64 that nobody quoted ends with the signs that parameters have in their middle.
                value = String(rest.prefix { !" \t,".contains($0) })
                rest = rest.dropFirst(value.count)
            }
            if result.isEmpty { result.append([:]) }
            result[result.count - 1][name.lowercased()] = value
        }
    }
}
