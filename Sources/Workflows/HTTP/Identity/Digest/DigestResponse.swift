/// The `Authorization` field's value that answers a digest challenge.
///
/// Specification: RFC 7616, section 3.4.
struct DigestResponse {
    let challenge: DigestChallenge
    let username: String
    let password: Secret
    let count: Int
    let clientNonce: String

    /// The value after `Digest ` for a request.
    /// - Parameters:
    ///   - method: The request's method.
    ///   - target: The request's path and query, as sent.
    ///   - body: The request's body, which is included if the server requires it.
    func parameter(method: String, target: String, body: Data?) -> String {
        let algorithm = challenge.algorithm
        let uses = String(count, radix: 16)
        let nc = String(repeating: "0", count: max(0, 8 - uses.count)) + uses
        var key = algorithm.hex("\(username):\(challenge.realm):\(password.revealed)")
        if algorithm.isSession { key = algorithm.hex("\(key):\(challenge.nonce):\(clientNonce)") }
        var subject = "\(method):\(target)"
        if challenge.protection == "auth-int" {
            let hash = algorithm.rank == 0 ? SHA256.hex(of: body ?? Data()) : MD5.hex(of: body ?? Data())
            subject += ":\(hash)"
        }
        let digest = algorithm.hex(subject)
        let response =
            challenge.protection.map {
                algorithm.hex("\(key):\(challenge.nonce):\(nc):\(clientNonce):\($0):\(digest)")
            } ?? algorithm.hex("\(key):\(challenge.nonce):\(digest)")
        var parts = [
            userName, "realm=\(challenge.realm.quotedString)", "uri=\(target.quotedString)",
        ]
        if let written = challenge.writtenAlgorithm { parts.append("algorithm=\(written)") }
        parts.append("nonce=\(challenge.nonce.quotedString)")
        if let protection = challenge.protection {
            parts += ["nc=\(nc)", "cnonce=\(clientNonce.quotedString)", "qop=\(protection)"]
        } else if algorithm.isSession {
            parts.append("cnonce=\(clientNonce.quotedString)")
        }
        parts.append("response=\"\(response)\"")
        if let opaque = challenge.opaque { parts.append("opaque=\(opaque.quotedString)") }
        if challenge.hashesUserName { parts.append("userhash=true") }
        return parts.joined(separator: ", ")
    }

    private var userName: String {
        if challenge.hashesUserName {
            return "username=\"\(challenge.algorithm.hex("\(username):\(challenge.realm)"))\""
        }
        guard !username.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return "username=\(username.quotedString)"
        }
        return "username*=UTF-8''\(username.percentEncoded())"
    }
}

extension String {
    fileprivate var quotedString: String {
        "\"\(replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
