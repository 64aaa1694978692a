import Foundation
import Promises
import TestSupport
import Testing

@testable import GraphSandbox
@testable import WorkflowHTTP

/// Approvers who sign in at a platform that writes tokens as Microsoft Entra does.
struct ApprovalSignInTests {
    private static let now = 1_790_000_000
    private static let approver = SandboxUser.people[0]

    /// A person signs in for an approval, with other claims in the ID token.
    private func signed(
        with claims: Object = [:], by approvers: [String]? = nil
    ) async throws -> Result<CheckedApproval, ApprovalRefusal> {
        var result = Result<CheckedApproval, ApprovalRefusal>.failure(ApprovalRefusal("no one signed in"))
        try await SignInSandbox.run(.inProcess, tenant: Sandbox.tenantID) { world async throws in
            world.sandbox.signInRules.person = .approving(Self.approver.userPrincipalName)
            world.sandbox.signInRules.idTokenClaims = claims
            // The browser's time limit is real time: the world's clock would end it at once.
            let platform = IdentityPlatform(
                authority: world.platform.authority, transport: world.transport, clock: ManualClock(),
                now: world.platform.now)
            let statement = try ApprovalStatement(
                .plan(digest: "00"), until: world.platform.now().addingTimeInterval(3_600), note: "ü ‹›")
            let authority = ApprovalAuthority(platform, client: Sandbox.applicationID)
            let policy = ApprovalPolicy(approvers: approvers)
            do {
                result = .success(
                    try await authority.sign(
                        statement, as: policy, world.browser, prompt: { _ in }, keep: { _ in .done }
                    ).value)
            } catch let error as ApprovalRefusal {
                result = .failure(error)
            }
        }
        return result
    }

    @Test func `tokens are dated five minutes back, as Microsoft Entra dates them, and approve`() async throws {
        let checked = try await signed().get()
        let claims = try #require(JSONWebToken(checked.approval.idToken)?.claims)
        #expect(claims["iat"]?.integer == Self.now - 300)
        #expect(claims["nbf"] == claims["iat"])
        #expect(claims["exp"]?.integer == Self.now + 3_600)
        #expect(claims["ver"] == "2.0")
        #expect(claims["iss"]?.string?.hasSuffix("/\(Sandbox.tenantID)/v2.0") == true)
        #expect(claims["tid"]?.string == Sandbox.tenantID)
        #expect(checked.name == Self.approver.userPrincipalName)
    }

    @Test(arguments: [-600, -599, -300, 0, 120])
    func `a token counts from ten minutes before the sign-in to two after`(_ shift: Int) async throws {
        let checked = try await signed(with: ["iat": .integer(Self.now + shift), "nbf": .integer(Self.now + shift)])
        #expect((try? checked.get()) != nil)
    }

    @Test(arguments: [-601, -3_600, -86_400 * 365, 121, 3_600, 86_400 * 365 * 100])
    func `an older or a later token is refused`(_ shift: Int) async throws {
        let refused = try await signed(with: ["iat": .integer(Self.now + shift), "nbf": .integer(Self.now + shift)])
        #expect(throws: ApprovalRefusal.self) { try refused.get() }
    }

    @Test(
        arguments: [
            ["idp": "https://sts.windows.net/9188040d-6c67-4c5b-b112-36a304b66dad/"], ["idp": "live.com"], ["idp": ""],
            ["idp": ["mail"]], ["acct": 1], ["preferred_username": nil, "upn": nil],
            ["preferred_username": "", "email": .string(Self.approver.userPrincipalName)],
        ] as [Object])
    func `a guest, and a person without a user principal name, count by object id only`(_ claims: Object) async throws {
        let byName = try await signed(with: claims, by: [Self.approver.userPrincipalName])
        #expect(throws: ApprovalRefusal.self) { try byName.get() }
        if case .failure(let refusal) = byName { #expect(refusal.hint?.contains("object id") == true) }
        let byID = try await signed(with: claims, by: [Self.approver.id.uppercased()]).get()
        #expect(byID.by == Self.approver.id)
        #expect(!byID.name.isEmpty)
    }

    @Test(
        arguments: [
            ["idp": .string("https://sts.windows.net/\(Sandbox.tenantID)/")], ["acct": 0],
            ["preferred_username": nil, "upn": .string(Self.approver.userPrincipalName)],
        ] as [Object])
    func `a member counts by name, whichever name the tenant has`(_ claims: Object) async throws {
        #expect(try await signed(with: claims, by: [Self.approver.userPrincipalName]).get().by == Self.approver.id)
    }
}
