import Foundation
import Promises
import TestSupport
import Testing

@testable import MicrosoftGraph
@testable import WorkflowHTTP

struct IdentityPartsTests {
    @Test(arguments: [
        ("Files.ReadWrite.All", "Files.Read", true), ("Files.ReadWrite", "files.readwrite", true),
        ("https://graph.microsoft.com/Mail.Send", "Mail.Send", true), ("User.Read.All", "User.ReadBasic.All", true),
        ("Files.Read", "Files.ReadWrite", false), ("Files.Read", "Files.Read.All", false),
        ("Mail.ReadWrite", "Mail.Send", false), ("Mail.Read.Shared", "Mail.Read", false),
        ("Sites.Read", "Files.Read", false),
    ])
    func `a permission covers what it allows`(has: String, wants: String, isCovered: Bool) {
        #expect([has].cover([wants]) == isCovered)
    }

    @Test func `the application of the last sign-in is known`() async throws {
        let cache = TokenCache.inMemory()
        let platform = try IdentityFixture(TokenAnswers.deviceCode, TokenAnswers.tokens()).platform()
        #expect(cache.lastClientID(of: platform.authority) == nil)
        _ = try await DeviceCodeCredential(clientID: IdentityFixture.application, cache: cache, on: platform) { _ in }
            .signIn(for: ["User.Read"]).value
        #expect(cache.lastClientID(of: platform.authority) == IdentityFixture.application)
    }

    @Test func `permissions are told apart from signing in`() {
        #expect(
            ["openid", "https://graph.microsoft.com/User.Read", "user.read", "email"].permissionNames == ["User.Read"])
    }

    @Test func `challenges are found in fields with several schemes and quoted commas`() {
        let field =
            #"Negotiate, Basic realm="a, b\"c", Bearer realm="", error="insufficient_claims", claims="eyJhIjoxfQ==", x=y"#
        let parameters = HTTPChallenge.challenges(in: [field]).map(\.parameters)
        #expect(parameters.count == 3)
        #expect(parameters[1]["realm"] == "a, b\"c")
        #expect(ClaimsChallenge(challenges: ["Basic", field])?.claims == ["a": 1])
        #expect(ClaimsChallenge(challenges: [#"Bearer error="invalid_token", claims="eyJhIjoxfQ==""#]) == nil)
        #expect(ClaimsChallenge(challenges: [#"Bearer error="insufficient_claims", claims="%%%""#]) == nil)
        for text in ["eyJhIjoxfQ==", "eyJhIjoxfQ", #"{"a":1}"#] { #expect(ClaimsChallenge(text)?.claims == ["a": 1]) }
        for junk in ["", "\"", "=", ",,,=", "Bearer claims=", "Bearer =\"", "a=\"b"] {
            #expect(ClaimsChallenge(challenges: [junk]) == nil)
        }
    }

    @Test(arguments: [
        (#"Basic realm="a""#, "basic", ["realm": "a"]),
        (#"Basic realm = "a", x=y"#, "basic", ["realm": "a", "x": "y"]),
        ("Basic \trealm\t=\ta \t,x = \t\"b\"", "basic", ["realm": "a", "x": "b"]),
        (#"Basic realm="a\\""#, "basic", [#"realm"#: #"a\"#]), (#"Basic realm="a\"#, "basic", ["realm": #"a\"#]),
        (#"Basic realm="a"#, "basic", ["realm": "a"]), (#"realm=a"#, "", ["realm": "a"]),
    ])
    func `a challenge is read with spaces anywhere, and also where it is cut off`(
        field: String, scheme: String, parameters: [String: String]
    ) {
        #expect(
            HTTPChallenge.challenges(in: [field]) == [HTTPChallenge(scheme: scheme, parameters: parameters)])
    }

    @Test(arguments: [53000, 53001, 53002, 50097, 50129, 50155])
    func `where only managed devices are allowed, that is said, and signing in again is not advised`(number: Int) {
        let error = IdentityRefusal(
            status: 400, error: "invalid_grant", description: "AADSTS\(number): Text.", codes: [.integer(number)]
        ).credentialError()
        #expect(error.code == .blocked)
        #expect(error.message.hasPrefix("Your organization only allows managed devices"))
    }

    @Test(arguments: [
        (50076, "invalid_grant", CredentialError.Code.signInRequired), (53003, "interaction_required", .blocked),
        (53001, "invalid_grant", .blocked), (50097, "interaction_required", .blocked),
        (530035, "access_denied", .blocked),
        (65004, "access_denied", .declined), (50057, "invalid_grant", .blocked), (50105, "invalid_grant", .blocked),
        (700016, "unauthorized_client", .misconfigured), (50011, "invalid_request", .misconfigured),
        (7000218, "invalid_client", .misconfigured), (50194, "invalid_request", .misconfigured),
        (90002, "invalid_request", .misconfigured), (90006, "invalid_request", .serviceUnavailable),
        (50173, "invalid_grant", .signInRequired), (700082, "invalid_grant", .signInRequired),
    ])
    func `each refusal leads to what helps`(number: Int, word: String, code: CredentialError.Code) {
        let refusal = IdentityRefusal(
            status: 400, error: word, description: "AADSTS\(number): Text.\r\nTrace ID: x", codes: [.integer(number)])
        let error = refusal.credentialError()
        #expect(error.code == code)
        #expect(error.serviceMessage == "AADSTS\(number): Text.")
        #expect(error.message.hasSuffix(".") || error.message.contains("graphflow login"))
    }

    @Test(arguments: [
        ("consent_required", nil, "Consent is missing"),
        ("interaction_required", "consent_required", "Consent is missing"),
        ("invalid_grant", "token_expired", "refresh token has expired"),
    ])
    func `what a refusal says in words only is told as with its number`(word: String, more: String?, said: String) {
        let refusal = IdentityRefusal(status: 400, error: word, suberror: more, description: nil)
        for signIn in ["graphflow login", nil] {
            #expect(refusal.credentialError(signIn: signIn).message.contains(said))
        }
    }

    @Test(arguments: [
        ([70011, 650_057, 650_056], "permissions"), ([700_016, 70001, 700_011], "client id"),
        ([700_021, 700_022, 70021, 700_211, 700_212, 700_213], "federated credential"),
        ([7_000_215, 70002, 7_000_222], "client secret"), ([700_025], "public client"),
        ([700_027, 700_030, 50012], "certificate"), ([700_024], "clock"), ([50011], "redirect address"),
        ([50194, 90002], "--tenant"), ([9_001_023, 50059], "AZURE_TENANT_ID"),
    ])
    func `a refusal of an application says what to correct`(numbers: [Int], words: String) {
        for number in numbers {
            let error = IdentityRefusal(
                status: 400, error: "invalid_request", description: "AADSTS\(number): Text.",
                codes: [.integer(number)]
            ).credentialError()
            #expect(error.code == .misconfigured)
            #expect(error.message.contains(words), "\(number): \(error.message)")
        }
    }

    @Test func `claims of the token endpoint are handed to the next sign-in`() {
        let refusal = IdentityRefusal(
            status: 400, error: "interaction_required", description: "AADSTS50076: MFA", claims: #"{"access_token":{}}"#
        )
        let error = refusal.credentialError()
        #expect(error.message.contains("graphflow login --claims-challenge \(error.claimsChallenge ?? "-")"))
        #expect(error.claimsChallenge.flatMap { ClaimsChallenge($0) }?.claims == ["access_token": [:]])
    }

    @Test(arguments: [
        (#"{"acrs":{"essential":true,"value":"c1"}}"#, "the authentication context c1."),
        (#"{"capolids":{"essential":true,"values":["a-1","b-2"]}}"#, "the conditional access policy a-1, b-2."),
        (#"{"polids":{"Values":["a-1"]}}"#, "the conditional access policy a-1."),
        (#"{"nbf":{"essential":true,"value":"1790000000"}}"#, "a token issued since 2026-09-21T14:13:20Z."),
        (
            #"{"nbf":{"value":"1790000000"},"xms_rp_ipaddr":{"value":"203.0.113.7"}}"#,
            "since 2026-09-21T14:13:20Z and an address that it allows, unlike 203.0.113.7."
        ),
        (#"{"nbf":{"value":"1e300"}}"#, "a newer token."), (#"{"nbf":{"value":"9999999999999"}}"#, "a newer token."),
        (#"{"auth_time":{"essential":true}}"#, "the claim auth_time."), ("{}", "demands more of the token."),
    ])
    func `a challenge says what a policy demands, and who can help`(claims: String, words: String) throws {
        let challenge = try #require(ClaimsChallenge(#"{"access_token":\#(claims)}"#))
        let program = challenge.advice(isApplication: true)
        #expect(program.contains(words), "\(program)")
        #expect(program.contains("An administrator") && !program.contains("graphflow login"))
        let user = challenge.advice(isApplication: false)
        #expect(user.hasSuffix("graphflow login --claims-challenge \(challenge.encoded)"))
        #expect(!user.contains("An administrator"))
        let refusal = IdentityRefusal(
            status: 400, error: "interaction_required", description: "AADSTS53003: no", claims: challenge.claims.json())
        #expect(refusal.credentialError().message.contains("It demands") == (claims != "{}"))
    }

    @Test func `an error's text cannot give a terminal orders`() {
        let refusal = IdentityRefusal(status: 400, error: "x\u{1B}[2J", description: "AADSTS1: \u{1B}[2J\u{202E}evil")
        #expect(
            !refusal.credentialError().description.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x202E })
    }
}
