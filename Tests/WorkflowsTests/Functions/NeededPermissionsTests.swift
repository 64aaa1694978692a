import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// The permissions of a file, which are those of its plan, and what an application cannot do.
@Suite struct NeededPermissionsTests {
    private static func needed(_ tasks: String) throws -> Permissions {
        try Workflow(tasks: tasks).neededPermissions()
    }

    @Test(arguments: [
        ("call: users, with: { filter: \"department eq 'Sales'\" }", ["User.Read.All"]),
        ("call: users, with: { startsWith: A, select: [displayName, mail] }", ["User.ReadBasic.All"]),
        ("call: users, with: { select: '${ .names }' }", ["User.Read.All"]),
        ("call: me, with: { select: [department] }", ["User.Read"]),
        ("call: me, with: { user: a@contoso.com, select: [department] }", ["User.Read.All"]),
        ("call: sendMail, with: { to: a@x.com, subject: s, body: b }", ["Mail.ReadWrite", "Mail.Send"]),
        ("call: sendMail, with: { to: a@x.com, subject: s, body: b, delivery: direct }", ["Mail.Send"]),
        (
            "call: sendMail, with: { to: a@x.com, subject: s, body: b, user: '${ .from }' }",
            ["Mail.ReadWrite.Shared", "Mail.Send.Shared"]
        ),
        (
            "call: createEvent, with: { subject: s, start: 2026-12-01T09:00, end: 2026-12-01T10:00, user: a@x.com }",
            ["Calendars.ReadWrite.Shared"]
        ),
        ("call: messages, with: { select: [subject] }", ["Mail.ReadBasic"]),
        ("call: messages, with: { search: invoice }", ["Mail.Read"]),
        ("call: upload, with: { path: a.txt, content: x, user: a@x.com }", ["Files.ReadWrite.All"]),
        ("call: graph, with: { path: '/users/${ .id }', query: { $select: 'id,department' } }", ["User.Read.All"]),
        ("call: graph, with: { path: '/users?$filter=mail eq null', select: [id] }", ["User.ReadBasic.All"]),
        (
            "call: graph, with: { method: PATCH, path: '/users/${ .id }', body: { accountEnabled: false } }",
            ["User.EnableDisableAccount.All", "User.Read.All"]
        ),
        ("call: graph, with: { path: /users, query: '${ .options }' }", ["User.Read.All"]),
        ("call: graph, with: { path: '${ .path }' }", []),
        ("call: graph, with: { path: /nowhere, scopes: [A.B] }", ["A.B"]),
    ])
    func `a file shows what its calls need`(call: String, permissions: [String]) throws {
        #expect(try Self.needed("- task: { \(call) }").delegated == permissions)
    }

    @Test func `a file needs what its plan needs`() async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../workflows")
        let inputs: [String: Value] = [
            "offboard": ["user": "lynner@contoso.com"],
            "onboard": ["user": "lynner@contoso.com", "starts": "2026-12-01"], "draft-mail": ["to": "a@contoso.com"],
            "welcome": ["mail": "a@contoso.com", "name": "A", "starts": "2026-12-01"],
            "share-profile-photo": ["to": "a@contoso.com"], "for-each-user": ["prefix": "A"],
        ]
        for (name, input) in inputs {
            let workflow = try Workflow(contentsOf: folder.appending(path: "\(name).yaml"))
            #expect(workflow.validate(input: input).isEmpty, "\(name)")
            let runner = Runner(
                graph: GraphClient(
                    credential: .fixed(AccessToken("sandbox")), baseURL: Sandbox.baseURL,
                    transport: Sandbox().transport, clock: SkippingClock()), clock: SkippingClock())
            let summary = try await runner.plan(workflow, input: input).value.summary
            let planned = Set(summary.delegatedPermissions.map(\.permission))
            #expect(planned.isSubset(of: workflow.neededScopes()), "\(name): \(planned) \(workflow.neededScopes())")
        }
    }

    @Test func `what an application cannot do is said of each task`() throws {
        let workflow = try Workflow(
            tasks: """
                - own: { call: photo }
                - other: { call: photo, with: { user: a@contoso.com } }
                - path: { call: graph, with: { path: '/me/messages?$top=1' } }
                - users: { call: users }
                - inside: { do: [{ mail: { call: sendMail, with: { to: a@x.com, subject: s, body: b } } }] }
                """)
        let findings = workflow.findingsForApplication()
        #expect(findings.map(\.id) == ["needs-user", "needs-user", "needs-user"])
        #expect(findings.map { $0.message.split(separator: "'")[0] } == ["own", "path", "mail"])
        #expect(findings.allSatisfy { $0.range != nil && $0.hint != nil })
    }
}
