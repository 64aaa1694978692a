import Foundation
import Testing

@testable import WorkflowHTTP

struct AccessTokenTests {
    private let token = AccessToken("eyJ0-secret")

    @Test func `no way of writing a token down shows the secret`() {
        var dumped = ""
        dump(token, to: &dumped)
        dump([Optional(token)], to: &dumped)
        let texts = [
            String(describing: token), String(reflecting: token), "\([token])", "\(["a": token])",
            String(describing: Optional(token)), "\((1, token))", "\(FixedCredential(token))",
            String(reflecting: TokenRefusal(of: token, challenges: [])), dumped,
        ]
        for text in texts { #expect(!text.contains("secret"), "\(text)") }
    }

    @Test func `a mirror of a token is empty`() {
        #expect(Mirror(reflecting: token).children.isEmpty)
    }

    @Test func `a token cannot be encoded`() {
        #expect(!(token as Any is any Encodable))
    }

    @Test func `the secret leaves as a header`() throws {
        var headers: HTTPHeaders = ["Authorization": "old"]
        try AccessToken("  eyJ0-secret\n").authorize(&headers)
        #expect(headers.values(of: "authorization") == ["Bearer eyJ0-secret"])
    }

    @Test(arguments: ["", " ", "a b", "a\r\nX-Evil: 1", "a\u{0}b", "tökén", "a\u{7F}"])
    func `what no header can carry is refused`(secret: String) {
        var headers = HTTPHeaders()
        let error = #expect(throws: CredentialError.self) { try AccessToken(secret).authorize(&headers) }
        #expect(error?.code == .malformedToken)
        #expect(headers["Authorization"] == nil)
    }

    @Test func `a token tells whether its permissions are a person's or an application's own`() {
        func claimed(_ claims: Value) -> (names: [String], isApplication: Bool)? {
            AccessToken(JSONWebToken.signed(claims, key: Secret("k")).revealed).claimedPermissions
        }
        let person = claimed(["scp": "User.Read Mail.Send"])
        #expect(person?.names == ["User.Read", "Mail.Send"])
        #expect(person?.isApplication == false)
        let application = claimed(["roles": ["User.Read.All"]])
        #expect(application?.names == ["User.Read.All"])
        #expect(application?.isApplication == true)
        #expect(claimed(["aud": "graph"]) == nil)
        #expect(AccessToken("opaque").claimedPermissions == nil)
    }

    @Test(
        arguments: [
            (["idtyp": "app"], true), (["idtyp": "user", "scp": "User.Read"], false), (["roles": []], true),
            (["aud": "graph"], nil),
        ] as [(Value, Bool?)])
    func `a token tells whose it is`(claims: Value, isOfApplication: Bool?) {
        #expect(AccessToken(JSONWebToken.signed(claims, key: Secret("k")).revealed).isOfApplication == isOfApplication)
    }

    @Test func `a request that carries the token does not show it either`() throws {
        let url = try #require(URL(string: "https://graph.example/"))
        var request = HTTPRequest("GET", url, headers: ["Accept": "*/*"])
        try token.authorize(&request.headers)
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), String(reflecting: request.headers), dumped] {
            #expect(!text.contains("secret"), "\(text)")
            #expect(text.contains("Accept: */*"))
        }
    }
}
