import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// `--dry-run=read`: requests that only read are sent, and the plan contains real values.
@Suite struct ReadingPlanTests {
    /// A credential whose tokens state their scopes.
    private struct Granted: GrantingCredential {
        let scopes: [String]?
        var token = AccessToken("sandbox")

        func grant(for need: TokenNeed) -> Promise<TokenGrant> {
            guard scopes.map({ $0.cover(need.scopes) }) ?? true else {
                return Promise(error: CredentialError(.signInRequired, "Nobody agreed to that."))
            }
            return .value(TokenGrant(token, scopes: scopes, source: "a test"))
        }
    }

    private func plan(
        _ sandbox: Sandbox, _ credential: any Credential = .fixed(AccessToken("sandbox")), of other: Workflow? = nil
    ) async throws -> Plan {
        let graph = GraphClient(
            credential: credential, baseURL: Sandbox.baseURL, transport: sandbox.transport, clock: SkippingClock())
        let workflow =
            try other ?? Workflow(contentsOf: SampleWorkflow.folder.appending(path: "share-profile-photo.yaml"))
        return try await Runner(graph: graph).plan(workflow, input: ["to": "adelev@contoso.com"], mode: .read).value
    }

    @Test func `reads are sent, writes are not, and what was read decides`() async throws {
        let sandbox = Sandbox()
        let plan = try await plan(sandbox)
        #expect(sandbox.requests.map(\.method) == ["GET", "GET"])
        #expect(sandbox.outbox.isEmpty && sandbox.drive.isEmpty)
        #expect(plan.requests.filter(\.isUsual).map(\.status) == [200, nil, nil, nil, nil])
        let upload = try #require(plan.requests.dropFirst().first)
        #expect(upload.request.url.path().hasSuffix("/root:/me.jpg:/content"))
        #expect(upload.request.headers["Content-Type"] == "image/jpeg")
        #expect(upload.existing == .nothing)
    }

    @Test func `a photo that is not there takes the catch for certain`() async throws {
        let plan = try await plan(Sandbox(profile: .noPhoto))
        #expect(plan.output["usedDefaultPhoto"] == true)
        let attempt = try #require(plan.tasks.first { $0.name == "getPhoto" })
        #expect(attempt.branches.map(\.kind) == [.tasks, .handler])
        #expect(attempt.branches.map(\.certainty) == [.certain, .certain])
    }

    @Test func `a file that would be replaced is named with size and date`() async throws {
        let sandbox = Sandbox()
        let graph = GraphClient(
            credential: .fixed(AccessToken("sandbox")), baseURL: Sandbox.baseURL, transport: sandbox.transport)
        _ = try await graph.upload(Blob(text: "12345"), to: "me.jpg").value
        let plan = try await plan(sandbox)
        guard case .file(let size, let changedAt?)? = plan.requests.dropFirst().first?.existing else {
            Issue.record("the file is there")
            return
        }
        #expect(size == 5)
        #expect(changedAt.contains("T"))
        #expect(plan.effects.first?.file?.replaces == true)
        #expect(sandbox.drive.count == 1)
    }

    @Test func `permissions that the token lacks are named with the functions that need them`() async throws {
        let plan = try await plan(Sandbox(), Granted(scopes: ["User.Read", "Files.ReadWrite.All", "Mail.Send"]))
        #expect(
            plan.summary.missingPermissions == [
                PlanSummary.Need(permission: "Mail.ReadWrite", functions: ["sendMail"])
            ])
        #expect(try await self.plan(Sandbox(), Granted(scopes: nil)).summary.missingPermissions == nil)
    }

    @Test(arguments: [
        (#"{"scp":"User.Read Files.ReadWrite Mail.ReadWrite Mail.Send"}"#, [String]()),
        (#"{"scp":"User.Read Files.ReadWrite Mail.Send"}"#, ["Mail.ReadWrite"]),
    ])
    func `what a token says of itself counts`(claims: String, missing: [String]) async throws {
        let plan = try await plan(Sandbox(), Granted(scopes: nil, token: Self.token(claims)))
        #expect(plan.summary.missingPermissions?.map(\.permission) == missing)
    }

    @Test func `a program without a user has permissions of its own, and no /me`() async throws {
        let sandbox = Sandbox()
        let program = Granted(scopes: nil, token: Self.token(#"{"roles":["ProfilePhoto.Read.All","Mail.Send"]}"#))
        let workflow = try Workflow(
            text: """
                document: { dsl: 1.0.3, namespace: test, name: photo, version: 1.0.0 }
                do:
                  - get: { call: photo, with: { user: megan@contoso.com } }
                  - send:
                      call: sendMail
                      with: { user: megan@contoso.com, to: a@contoso.com, subject: Hi, body: Hello }
                """)
        let plan = try await plan(sandbox, program, of: workflow)
        #expect(plan.summary.missingPermissions?.map(\.permission) == ["Mail.ReadWrite"])
        let count = sandbox.requests.count
        let error = await #expect(throws: (any Error).self) { try await self.plan(sandbox, program) }
        #expect("\(error as Any)".contains("with: { user"))
        #expect(sandbox.requests.count == count)
    }

    private static func token(_ claims: String) -> AccessToken {
        let payload = Data(claims.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        return AccessToken("e30.\(payload).c2ln")
    }
}
