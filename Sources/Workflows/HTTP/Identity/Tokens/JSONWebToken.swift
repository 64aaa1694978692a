/// The compact form of a JSON Web Token, as far as a client needs it.
///
/// Specification: RFC 7519 and RFC 7515.
package struct JSONWebToken {
    package let head: Object
    package let claims: Object
    let signedPart: Data
    let signature: Data

    /// Reads the parts of a token, and checks nothing; nil if it is not a JSON Web Token.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let decoded = parts.compactMap { part in
            Base64URL.decode(part).flatMap { Base64URL.encode($0) == part ? $0 : nil }
        }
        guard parts.count == 3, decoded.count == 3, let head = (try? Value(strictJSON: decoded[0]))?.object,
            let claims = (try? Value(strictJSON: decoded[1]))?.object
        else { return nil }
        (self.head, self.claims, signature) = (head, claims, decoded[2])
        signedPart = Data("\(parts[0]).\(parts[1])".utf8)
    }

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
