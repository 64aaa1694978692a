package import Essentials

/// The compact form of a JSON Web Token, as far as a client needs it.
///
/// Specification: RFC 7519 and RFC 7515.
package enum JSONWebToken {
    package static func signed(
        _ head: Object, _ claims: Value, by sign: (Data) throws(SystemError) -> Data
    ) throws(SystemError) -> Secret {
        let content = [.object(head), claims].map { Base64URL.encode($0.jsonData()) }.joined(separator: ".")
        return Secret("\(content).\(Base64URL.encode(try sign(Data(content.utf8))))")
    }

    static func signed(_ claims: Value, key: Secret) -> Secret {
        let content = [["alg": "HS256", "typ": "JWT"], claims].map { Base64URL.encode($0.jsonData()) }
            .joined(separator: ".")
        let code = SHA256.authenticationCode(for: Data(content.utf8), key: Data(key.revealed.utf8))
        return Secret("\(content).\(Base64URL.encode(code))")
    }

    /// The claims, without verifying the signature; nil if it is not a JSON Web Token.
    static func claims(of token: Secret) -> Object? {
        let parts = token.revealed.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let data = Base64URL.decode(parts[1]) else { return nil }
        return (try? Value(json: data))?.object
    }
}
