import Essentials
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP

/// Checks of approvals with a platform whose answers and key the tests make.
struct ApprovalTests {
    private static let tenant = "b5a1e9f2-6c0d-4f0e-9a53-2f1f3c8e7d40"
    private static let issuer = "https://login.microsoftonline.com/\(Self.tenant)/v2.0"
    private let now = Date(timeIntervalSince1970: 1_795_000_000)
    private let subject = ApprovalStatement.Subject.plan(digest: String(repeating: "ab", count: 32))

    private func statement(note: String = "", expires: String? = nil) throws -> ApprovalStatement {
        try ApprovalStatement(
            subject, expires: expires ?? now.addingTimeInterval(3_600).formatted(.iso8601), note: note)
    }

    private func claims(_ statement: ApprovalStatement) -> Object {
        [
            "iss": .string(Self.issuer), "tid": .string(Self.tenant),
            "aud": .string(IdentityFixture.application), "iat": .integer(Int(now.timeIntervalSince1970)),
            "nonce": .string(statement.nonce), "oid": "11111111-2222-3333-4444-555555555555",
            "preferred_username": "adelev@contoso.com",
        ]
    }

    private func signed(_ statement: ApprovalStatement, _ change: (inout Object, inout Object) -> Void = { _, _ in })
        throws -> SignedApproval
    {
        var head: Object = ["alg": "RS256", "typ": "JWT", "kid": .string(ApprovalFixture.id)]
        var claims = claims(statement)
        change(&head, &claims)
        let key = try ApprovalFixture.key.get()
        let token = try JSONWebToken.signed(head, .object(claims)) { text throws(SystemError) in
            try key.signature(of: text, .pkcs1)
        }
        return SignedApproval(statement, idToken: token.revealed, key: ApprovalFixture.publicKey)
    }

    private func keys(ahead seconds: TimeInterval = 0) -> ApprovalKeys {
        ApprovalKeys(
            issuer: Self.issuer, tenant: Self.tenant, client: IdentityFixture.application, isSandbox: false,
            keys: [ApprovalFixture.publicKey], clocks: (now, now.addingTimeInterval(seconds)))
    }

    private func refusal(_ approval: SignedApproval, by keys: ApprovalKeys? = nil) -> String? {
        do throws(ApprovalRefusal) {
            _ = try (keys ?? self.keys()).check(approval, now: now)
            return nil
        } catch { return error.reason }
    }

    /// Computed with Python: base64url(sha256(rfc8785.dumps({...}))).
    @Test func `the nonce is the hash of the canonical JSON of the statement`() throws {
        let statement = try ApprovalStatement(
            .plan(digest: "00"), expires: "2026-11-27T01:00:00Z", note: "ü \"‹›\" 😀")
        #expect(statement.nonce == "c7cSsNRzTPRuuDbHUM5diSbwXEu9Uz6dLxUjAqKig_0")
        let question = try ApprovalStatement(
            .question(run: "01", task: "/do/0/ask@for:1", text: "Mail?", data: ["n": 1.5]),
            expires: "2026-11-27T01:00:00Z", note: "")
        #expect(question.nonce == "sI5pUvn7hFZ7hn0m53kEqsAJ7Bdo2zGIgfGZM7LFy_g")
    }

    @Test func `an approval that its person signed holds, and its file reads back the same`() throws {
        let approval = try signed(statement(note: "ok"))
        let checked = try keys().check(approval, now: now)
        #expect(checked.name == "adelev@contoso.com")
        #expect(checked.by == "11111111-2222-3333-4444-555555555555")
        #expect(try SignedApproval(approval.value) == approval)
    }

    @Test(arguments: [
        ("iss", "https://login.microsoftonline.com/other/v2.0"), ("tid", "other"), ("aud", "other"), ("nonce", "other"),
        ("oid", ""), ("iat", "soon"),
    ])
    func `a wrong claim is refused`(_ claim: String, _ value: String) throws {
        #expect(refusal(try signed(statement()) { $1[claim] = .string(value) }) != nil)
        #expect(refusal(try signed(statement()) { $1[claim] = nil }) != nil)
    }

    @Test(arguments: ["none", "HS256", "RS384", "PS256", "rs256", ""])
    func `another algorithm is refused`(_ algorithm: String) throws {
        #expect(
            refusal(
                try signed(statement()) {
                    $0["alg"] = .string(algorithm); _ = $1
                })?.contains("RS256") == true)
    }

    @Test func `a changed text, another key and a critical extension are refused`() throws {
        let approval = try signed(statement(note: "one"))
        let edited = SignedApproval(try statement(note: "two"), idToken: approval.idToken, key: approval.key)
        #expect(refusal(edited)?.contains("something else") == true)
        #expect(
            refusal(
                try signed(statement()) {
                    $0["kid"] = "other"; _ = $1
                })?.contains("publish") == true)
        #expect(
            refusal(
                try signed(statement()) {
                    $0["crit"] = ["exp"]; _ = $1
                }) != nil)
        var parts = approval.idToken.split(separator: ".").map(String.init)
        parts[2] = String(parts[2].dropLast(4)) + "AAAA"
        let forged = SignedApproval(approval.statement, idToken: parts.joined(separator: "."), key: approval.key)
        #expect(refusal(forged)?.contains("signature") == true)
    }

    @Test func `expired approvals, those of the future and a wrong clock are refused`() throws {
        let past = now.addingTimeInterval(-1).formatted(.iso8601)
        #expect(refusal(try signed(statement(expires: past)))?.contains("expired") == true)
        let late = Int(now.timeIntervalSince1970)
        #expect(
            refusal(
                try signed(statement()) {
                    $1["iat"] = .integer(late + 119); _ = $0
                }) == nil)
        #expect(
            refusal(
                try signed(statement()) {
                    $1["iat"] = .integer(late + 121); _ = $0
                })?.contains("future") == true)
        #expect(refusal(try signed(statement()), by: keys(ahead: -121))?.contains("behind") == true)
        #expect(refusal(try signed(statement()), by: keys(ahead: 121))?.contains("ahead") == true)
        for text in ["tomorrow", "2099-02-31T00:00:00Z", "2099-12-31T24:00:00Z", "2099-06-30T23:59:60Z"] {
            #expect(throws: ApprovalRefusal.self, "\(text)") { try statement(expires: text) }
        }
    }

    private func decide(
        _ policy: ApprovalPolicy, planner: String? = "p", runner: String? = "r",
        _ change: (inout Object, inout Object) -> Void = { _, _ in }
    ) throws -> String? {
        let approval = try signed(statement(), change)
        do throws(ApprovalRefusal) {
            _ = try policy.check(
                [approval], of: subject, plannedBy: planner, runBy: runner, with: keys(), now: now)
            return nil
        } catch { return error.reason }
    }

    @Test func `approvers are found by name or object id, and look-alikes are not`() throws {
        #expect(try decide(ApprovalPolicy(approvers: ["AdeleV@contoso.com"])) == nil)
        #expect(try decide(ApprovalPolicy(approvers: ["11111111-2222-3333-4444-555555555555"])) == nil)
        for name in ["\u{430}delev@contoso.com", "adelev@contoso.com ", "adelev@\u{43}ontoso.com\u{301}", "", "adelev"]
        {
            #expect(try decide(ApprovalPolicy(approvers: [name])) != nil, "\(name)")
        }
        // The Kelvin sign is not the letter k, although Unicode folds it to one.
        #expect(
            try decide(ApprovalPolicy(approvers: ["\u{212A}im@contoso.com"])) { _, claims in
                claims["preferred_username"] = "kim@contoso.com"
            } != nil)
        #expect(
            try decide(ApprovalPolicy(approvers: ["a@contoso.com"])) { _, claims in
                (claims["preferred_username"], claims["email"]) = (nil, "a@contoso.com")
            } != nil)
    }

    @Test func `a guest counts by object id only`() throws {
        let guest: (inout Object, inout Object) -> Void = { $1["idp"] = "https://sts.windows.net/other/" }
        #expect(try decide(ApprovalPolicy(approvers: ["adelev@contoso.com"]), guest) != nil)
        #expect(try decide(ApprovalPolicy(approvers: ["11111111-2222-3333-4444-555555555555"]), guest) == nil)
    }

    @Test func `four eyes: not the planner, not the runner, and nobody unknown`() throws {
        let own = "11111111-2222-3333-4444-555555555555"
        let anybody = ApprovalPolicy()
        #expect(try decide(anybody, planner: own.uppercased()) != nil)
        #expect(try decide(anybody, runner: own) != nil)
        #expect(try decide(anybody, planner: nil) != nil)
        #expect(try decide(anybody, runner: nil) != nil)
        #expect(try decide(ApprovalPolicy(allowsSelf: true), planner: nil, runner: own) == nil)
    }

    @Test func `approvals of a run that continues count as they do at its beginning`() throws {
        let own = "11111111-2222-3333-4444-555555555555"
        let named = ApprovalPolicy(approvers: ["AdeleV@contoso.com"])
        let byID = ApprovalPolicy(approvers: [own.uppercased()])
        func kept(
            _ policy: ApprovalPolicy, _ change: (inout Object, inout Object) -> Void = { _, _ in }
        ) throws -> [Value] {
            var members = try keys().check(try signed(statement(), change), now: now).value.object ?? [:]
            members["demand"] = policy.value
            return [.object(members)]
        }
        func refusal(_ policy: ApprovalPolicy, _ kept: [Value], by runner: String? = "r", forms: Bool = false)
            -> String?
        {
            do throws(ApprovalRefusal) {
                try policy.demand(kept, runBy: runner, acceptsForms: forms)
                return nil
            } catch { return error.reason }
        }
        let guest: (inout Object, inout Object) -> Void = { $1["idp"] = "https://sts.windows.net/other/" }
        let nameless: (inout Object, inout Object) -> Void = { _, claims in
            (claims["preferred_username"], claims["name"]) = (nil, "AdeleV@contoso.com")
        }
        var open = named
        open.allowsSelf = true
        let form: [Value] = [["approved": true, "by": "form", "name": "a form of the client"]]
        #expect(refusal(named, try kept(named)) == nil)
        #expect(refusal(byID, try kept(named)) == nil)
        #expect(refusal(byID, try kept(named, guest)) == nil)
        #expect(refusal(open, try kept(named), by: own) == nil)
        #expect(refusal(open, try kept(named), by: nil) == nil)
        #expect(refusal(named, form, forms: true) == nil)
        for (policy, kept, runner) in [
            (named, [], "r"), (named, form, "r"), (named, try kept(named, guest), "r"),
            (named, try kept(named, nameless), "r"), (named, try kept(open), "r"), (named, try kept(named), nil),
            (named, try kept(named), own.uppercased()), (ApprovalPolicy(count: 2), try kept(named) + kept(named), "r"),
            (ApprovalPolicy(approvers: ["meganb@contoso.com"]), try kept(named), "r"), (ApprovalPolicy(), form, "r"),
        ] as [(ApprovalPolicy, [Value], String?)] {
            #expect(refusal(policy, kept, by: runner) != nil, "\(policy) \(kept) \(runner ?? "")")
        }
    }

    @Test func `two approvals by one person are not two, and too few are refused`() throws {
        let one = try signed(statement(note: "one"))
        let again = try signed(statement(note: "two"))
        let other = try signed(statement()) {
            $1["oid"] = "22222222-2222-3333-4444-555555555555"; _ = $0
        }
        let policy = ApprovalPolicy(count: 2)
        func check(_ approvals: [SignedApproval]) throws(ApprovalRefusal) -> Int {
            try policy.check(approvals, of: subject, plannedBy: "p", runBy: "r", with: keys(), now: now).count
        }
        #expect(throws: ApprovalRefusal.self) { try check([one, again]) }
        #expect(throws: ApprovalRefusal.self) { try check([one]) }
        #expect(try check([one, other]) == 2)
    }

    @Test(arguments: [
        "[]", "{}", #"{"plan":"a","expires":"2026-11-27T01:00:00Z","note":""}"#,
        #"{"plan":"a","expires":"2026-11-27T01:00:00Z","note":"","idToken":"x","key":{},"more":1}"#,
        #"{"plan":"a","expires":1,"note":"","idToken":"x","key":{}}"#, "null", #""text""#,
    ])
    func `a file with other members is no approval`(_ text: String) throws {
        #expect(throws: ApprovalRefusal.self) { try SignedApproval(try Value(json: text)) }
    }
}
