import Foundation

/// The compact form of a JSON Web Token, as far as a client has to do with it.
///
/// Specification: RFC 7519 and RFC 7515.
enum JSONWebToken {
    /// A token of these claims that a shared secret signs with HMAC and SHA-256.
    static func signed(_ claims: Value, key: Secret) -> Secret {
        let header: Value = ["alg": "HS256", "typ": "JWT"]
        let content = [header, claims].map { $0.jsonData().base64URL }.joined(separator: ".")
        let code = SHA256.authenticationCode(for: Data(content.utf8), key: Data(key.revealed.utf8))
        return Secret("\(content).\(Data(code).base64URL)")
    }

    /// The claims of a token, whoever signed it; nil for what is no such token.
    static func claims(of token: Secret) -> Object? {
        let parts = token.revealed.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let data = Data(base64URL: parts[1]) else { return nil }
        return (try? Value(json: data))?.object
    }
}

extension Data {
    /// The bytes in base64 for addresses, without padding.
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The bytes that base64 for addresses stands for.
    init?(base64URL text: some StringProtocol) {
        var standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
        while standard.count % 4 != 0 { standard += "=" }
        self.init(base64Encoded: String(standard))
    }
}
