import Foundation
import Testing

@testable import WorkflowHTTP

struct JSONWebTokenTests {
    /// RFC 7515, appendix A.1: the token of RFC 7519, section 3.1.
    private let example = Secret(
        "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
            + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
            + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")

    @Test func `the claims of a token are read`() {
        #expect(
            JSONWebToken.claims(of: example)
                == ["iss": "joe", "exp": 1_300_819_380, "http://example.com/is_root": true])
        for text in ["", "a.b", "a.b.c.d", "opaque", "a.\u{e4}.c", "a.bm9uc2Vuc2U.c"] {
            #expect(JSONWebToken.claims(of: Secret(text)) == nil)
        }
    }

    @Test func `the signature is the one of the standard`() throws {
        let key = try #require(
            Base64URL.decode("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
        let parts = example.revealed.split(separator: ".")
        let code = SHA256.authenticationCode(for: Data("\(parts[0]).\(parts[1])".utf8), key: key)
        #expect(Base64URL.encode(code) == parts[2])
    }

    @Test func `a token that was signed here has what a server checks`() throws {
        let token = JSONWebToken.signed(["iss": "me"], key: Secret("key"))
        let parts = token.revealed.split(separator: ".")
        #expect(
            Base64URL.decode(parts[0]).map { String(decoding: $0, as: UTF8.self) } == #"{"alg":"HS256","typ":"JWT"}"#)
        #expect(JSONWebToken.claims(of: token) == ["iss": "me"])
        let code = SHA256.authenticationCode(for: Data("\(parts[0]).\(parts[1])".utf8), key: Data("key".utf8))
        #expect(parts[2] == Base64URL.encode(code)[...])
    }
}
