/// Answers digest challenges with a user name and a password, and authorizes later requests to the same server in
/// advance.
///
/// Specification: RFC 7616.
package final class DigestAuthorization: Sendable {
    private struct Known {
        var challenge: DigestChallenge
        var count = 0
        var clientNonce: String
    }

    private let username: String
    private let password: Secret
    private let makeNonce: @Sendable () -> String
    private let known = Locked<[Origin: Known]>([:])
    private let last = Locked<Secret?>(nil)

    package init(
        username: String, password: Secret, makeNonce: @escaping @Sendable () -> String = DigestAuthorization.nonce
    ) {
        self.username = username
        self.password = password
        self.makeNonce = makeNonce
    }

    package var parameter: Secret? { last.withLock { $0 } }

    package func authorize(_ request: HTTPRequest) -> HTTPRequest {
        guard let origin = Origin(request.url) else { return request }
        let use = known.withLock { known -> Known? in
            known[origin]?.count += 1
            return known[origin]
        }
        return use.map { sign(request, with: $0) } ?? request
    }

    /// Nil if there is no digest challenge, or if the digest was refused.
    package func answer(_ response: HTTPResponse, to request: HTTPRequest) -> HTTPRequest? {
        guard let origin = Origin(request.url), let challenge = DigestChallenge(in: response.headers) else {
            return nil
        }
        let use = known.withLock { known -> Known? in
            // The same nonce although it is not stale: the user name or password is wrong.
            if known[origin]?.challenge.nonce == challenge.nonce, !challenge.isStale { return nil }
            let use = Known(challenge: challenge, count: 1, clientNonce: makeNonce())
            known[origin] = use
            return use
        }
        return use.map { sign(request, with: $0) }
    }

    private func sign(_ request: HTTPRequest, with use: Known) -> HTTPRequest {
        let digest = DigestResponse(
            challenge: use.challenge, username: username, password: password, count: use.count,
            clientNonce: use.clientNonce)
        let parameter = digest.parameter(method: request.method, target: request.url.requestTarget, body: request.body)
        last.withLock { $0 = Secret(parameter) }
        var signed = request
        signed.headers["Authorization"] = "Digest \(parameter)"
        return signed
    }

    static func nonce() -> String { Data.random(16).hex }
}
