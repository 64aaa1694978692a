import Foundation
import Testing

@testable import WorkflowHTTP

/// RFC 7616, with the examples of its section 3.9 and of RFC 2617, section 3.5.
struct DigestTests {
    private let url = "http://www.example.org/dir/index.html"

    private func answer(
        _ challenges: [String], username: String = "Mufasa", password: String = "Circle of Life", cnonce: String
    ) throws -> String? {
        let digest = DigestAuthorization(username: username, password: Secret(password), makeNonce: { cnonce })
        var headers = HTTPHeaders()
        for challenge in challenges { headers.append("WWW-Authenticate", challenge) }
        let request = HTTPRequest("GET", try #require(URL(string: url)))
        return digest.answer(HTTPResponse(status: 401, headers: headers), to: request)?.headers["Authorization"]
    }

    private let rfc7616 = ["SHA-256", "MD5"].map { algorithm in
        #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\#(algorithm), "#
            + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#
    }
    private let cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

    @Test func `the best of several hashes is taken, as in section 3.9.1`() throws {
        let answer = try #require(try answer(rfc7616.reversed(), cnonce: cnonce))
        #expect(answer.contains(#"response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1""#))
        #expect(
            answer.hasPrefix(
                #"Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=SHA-256, nonce="#
            ))
        #expect(answer.contains(#", nc=00000001, cnonce="\#(cnonce)", qop=auth, "#))
        #expect(answer.contains(#"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#))
    }

    @Test(arguments: [
        (["SHA-256", "SHA-256-SESS"], "SHA-256"), (["SHA-256-SESS", "SHA-256"], "SHA-256-SESS"),
        (["MD5", "MD5-SESS"], "MD5"), (["MD5-SESS", "MD5", "SHA-256-SESS", "SHA-256"], "SHA-256-SESS"),
    ])
    func `of hashes that are as good the server's first one is taken`(offered: [String], taken: String) throws {
        let challenges = offered.map { "Digest realm=r, nonce=n, qop=auth, algorithm=\($0)" }
        #expect(try answer(challenges, cnonce: "c")?.contains("algorithm=\(taken),") == true)
    }

    @Test func `MD5 is answered as in section 3.9.1`() throws {
        let answer = try #require(try answer([rfc7616[1]], cnonce: cnonce))
        #expect(answer.contains(#"response="8ca523f5e9506fed4657c9700eebdbec""#))
    }

    @Test func `the example of RFC 2617`() throws {
        let challenge =
            #"Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41""#
        let answer = try #require(try answer([challenge], password: "Circle Of Life", cnonce: "0a4f113b"))
        #expect(answer.contains(#"response="6629fae49393a05397450978507c4ef1""#))
        #expect(!answer.contains("algorithm"))
    }

    @Test func `a server of RFC 2069 gets what it knows`() throws {
        let challenge = #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#
        let answer = try #require(try answer([challenge], password: "CircleOfLife", cnonce: "x"))
        #expect(answer.contains(#"response="1949323746fe6a43ef61f9606e7febea""#))
        #expect(!answer.contains("qop") && !answer.contains("cnonce"))
    }

    @Test(arguments: [
        "Basic realm=\"a\"", "Digest realm=\"a\"", "Digest nonce=\"a\"",
        "Digest realm=\"a\", nonce=\"b\", algorithm=SHA-1",
        "Digest realm=\"a\", nonce=\"b\", qop=\"other\"", "", "Digest", "=,\"", "Bearer",
    ])
    func `what is no known challenge is not answered`(challenge: String) throws {
        #expect(try answer([challenge], cnonce: "x") == nil)
    }

    @Test func `a challenge is found behind others in the same field`() throws {
        let field = #"Basic realm="a, Digest", Digest realm="r\"q", nonce="n", qop=auth, Bearer"#
        let answer = try #require(try answer([field], cnonce: "c"))
        #expect(answer.contains(#"realm="r\"q""#))
    }

    @Test func `later requests are signed beforehand, each with a count of its own`() throws {
        let digest = DigestAuthorization(username: "a", password: Secret("b"), makeNonce: { "c" })
        let request = HTTPRequest("GET", try #require(URL(string: url)))
        #expect(digest.authorize(request).headers["Authorization"] == nil)
        func refusal(_ nonce: String, stale: Bool = false) -> HTTPResponse {
            HTTPResponse(
                status: 401,
                headers: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\", stale=\(stale)"])
        }
        #expect(digest.answer(refusal("1"), to: request)?.headers["Authorization"]?.contains("nc=00000001") == true)
        #expect(digest.authorize(request).headers["Authorization"]?.contains("nc=00000002") == true)
        #expect(digest.authorize(request).headers["Authorization"]?.contains("nc=00000003") == true)
        // Refused with the same nonce: the password is wrong, and repeating would not help.
        #expect(digest.answer(refusal("1"), to: request) == nil)
        #expect(
            digest.answer(refusal("1", stale: true), to: request)?.headers["Authorization"]?.contains("nc=00000001")
                == true)
        let elsewhere = HTTPRequest("GET", try #require(URL(string: "http://other.example.org/")))
        #expect(digest.authorize(elsewhere).headers["Authorization"] == nil)
    }

    @Test func `a body counts where the server wants it to, and a session has a key of its own`() throws {
        let challenge = try #require(
            DigestChallenge(in: [
                "WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\", algorithm=MD5-sess"
            ]))
        let response = DigestResponse(
            challenge: challenge, username: "u", password: Secret("p"), count: 1, clientNonce: "c")
        func md5(_ text: String) -> String { MD5.hex(of: Data(text.utf8)) }
        let key = md5("\(md5("u:r:p")):n:c")
        let expected = md5("\(key):n:00000001:c:auth-int:\(md5("POST:/x:\(md5("body"))"))")
        #expect(
            response.parameter(method: "POST", target: "/x", body: Data("body".utf8)).contains(
                "response=\"\(expected)\""))
    }

    @Test func `a user name beyond ASCII is written as RFC 5987 has it, or hashed where the server wants that`() throws
    {
        let plain = try #require(
            try answer(["Digest realm=\"r\", nonce=\"n\", qop=auth"], username: "Jäsøn", cnonce: "c"))
        #expect(plain.contains("username*=UTF-8''J%C3%A4s%C3%B8n"))
        let hashed = try #require(
            try answer(["Digest realm=\"r\", nonce=\"n\", qop=auth, userhash=true"], username: "u", cnonce: "c"))
        #expect(hashed.contains("username=\"\(MD5.hex(of: Data("u:r".utf8)))\""))
        #expect(hashed.contains("userhash=true"))
    }
}
