import Foundation
import TestSupport
import Testing

@testable import MicrosoftGraph
@testable import WorkflowHTTP
@testable import graphflow

/// The bounds of an agent's plans: what is not known to stay within one is refused.
@Suite struct EffectBoundsTests {
    private static let perspective = EffectPerspective(account: "megan@contoso.com")

    /// Which of the bounds `mails`, `deletes` and `internal` refuse effects.
    private static func refused(_ effects: [Effect]) throws -> [String] {
        try [("mails", ["--max-mails", "0"]), ("deletes", ["--no-deletes"]), ("internal", ["--internal-only"])]
            .filter { _, options in
                let refusals = try MCPCommand.parse(["folder"] + options).bounds.refusals(of: effects)
                #expect(refusals.allSatisfy { $0.contains(options[0]) && !$0.contains("\n") })
                return !refusals.isEmpty
            }.map(\.0)
    }

    private static let all = ["mails", "deletes", "internal"]

    @Test(arguments: Effect.Kind.allCases)
    func `an effect of which nothing is known is refused, unless its kind is within the bound`(kind: Effect.Kind) throws
    {
        let expected: [String] =
            switch kind {
            case .mail, .event, .link, .create: ["mails", "internal"]
            case .change: ["mails", "internal"]
            case .delete: Self.all
            case .grant: ["mails", "internal"]
            case .forward, .action: Self.all
            case .autoReply, .post: ["mails", "internal"]
            case .file, .folder, .member, .license, .localFile: []
            case .program, .notification, .request, .tool: Self.all
            }
        #expect(try Self.refused([Effect(.init(kind, [:])).seen(by: Self.perspective)]) == expected)
    }

    /// A request, its body as JSON, and the bounds that refuse it.
    private static let requests = """
        DELETE /me/messages/M | | deletes
        DELETE /me/messages('M') | | deletes
        DELETE /ME/Messages('M') | | deletes
        DELETE /me/messages%28%27M%27%29 | | deletes
        DELETE /users(userPrincipalName='a@contoso.com') | | deletes
        DELETE /me/messages/M/attachments/A | | deletes
        POST /me/messages/M/permanentDelete | | deletes
        POST /me/messages/M/move | {"destinationId":"deleteditems"} | deletes
        POST /me/messages/M/copy | {"destinationId":"archive"} |
        PATCH /me/messages/M | {"isRead":true} |
        PURGE /me/messages/M | | mails deletes internal
        POST /deviceManagement/managedDevices/D/wipe | {} | deletes
        POST /deviceManagement/managedDevices('D')/wipe | {} | deletes
        POST /me/messages('M')/send | | mails internal
        POST /me/messages/M/forward | {"toRecipients":[{"emailAddress":{"address":"a@example.com"}}]} | mails internal
        POST /me/events('E')/forward | {} | mails internal
        POST /me/events/E/cancel | {} | mails deletes internal
        DELETE /me/events/E | | mails deletes internal
        PATCH /me/events/E | {"subject":"x"} | mails internal
        POST /me/events | {"subject":"x","attendees":[]} |
        POST /me/events | {"attendees":[{"emailAddress":{"address":"lynne@contoso.com"}}]} | mails
        POST /me/events | {"attendees":[{"emailAddress":{"address":"a@example.com"}}]} | mails internal
        POST /groups/G/conversations | {"topic":"x"} | mails internal
        POST /groups('G')/threads('T')/reply | {} | mails internal
        POST /groups/G/members/$ref | {"@odata.id":"https://x/users/U"} |
        DELETE /groups/G | | deletes
        PATCH /users/U | {"jobTitle":"x"} |
        PATCH /me/mailboxSettings | {"automaticRepliesSetting":{}} | mails internal
        POST /invitations | {"invitedUserEmailAddress":"a@example.com"} | internal
        POST /invitations | {"invitedUserEmailAddress":"a@example.com","sendInvitationMessage":true} | mails internal
        POST /me/mailFolders/inbox/messageRules | {"actions":{}} | mails internal
        POST /subscriptions | {} | mails internal
        POST /teams/T/channels/C/messages | {} | mails internal
        POST /me/joinedTeams/T/channels/C/messages | {} | mails internal
        PUT /me/drive/root:/a.txt:/content | |
        PUT /me/drive/root:/messages('M')/send:/content | |
        POST /me/drive/root/children | {"name":"a","folder":{}} |
        POST /me/drive/items/I/createLink | {"type":"view","scope":"organization"} |
        POST /me/drive/items/I/createLink | {"type":"view","scope":"anonymous"} | internal
        POST /me/drive/items/I/createLink | {"type":"view"} | internal
        POST /me/drive/items/I/invite | {"roles":["read"]} | internal
        POST /me/drive/items/I/permissions/P/grant | {} | internal
        POST /sites/S/drives/D/items/I/invite | {"roles":["read"],"sendInvitation":true} | mails internal
        PATCH /me/drive/items/I | {"name":"b"} |
        PATCH /me/drive/items/I | | internal
        DELETE /me/drive/items/I | | deletes
        POST /$batch | {"requests":[{"method":"GET","url":"/me"}]} |
        POST /$batch | {"requests":[{"method":"DELETE","url":"/me/messages('M')"}]} | deletes
        POST /$batch | {"requests":[{"method":"GET","url":"/me"},{"url":"/me"}]} | mails deletes internal
        POST /$batch | {"requests":["x"]} | mails deletes internal
        POST /$batch | {"requests":[{"method":"POST","url":"https://graph.microsoft.com/v1.0/me/sendMail"}]} | mails deletes internal
        POST /$batch | | mails deletes internal
        """.split(separator: "\n").map(String.init)

    @Test(arguments: requests)
    func `a write that is not known to stay within a bound is refused`(row: String) throws {
        let parts = row.split(separator: " |", omittingEmptySubsequences: false).map { $0.trimming(\.isWhitespace) }
        let request = parts[0].split(separator: " ").map(String.init)
        let body = parts[1].isEmpty ? nil : try Value(json: parts[1])
        let effects = GraphClient.effects(of: request[0], at: request[1], host: "graph.microsoft.com", body)
        let expected = parts[2].split(separator: " ").map(String.init)
        #expect(try Self.refused(effects.map { $0.seen(by: Self.perspective) }) == expected)
        // A plan that was saved is judged as the one that was made.
        let saved = effects.compactMap { Effect($0.seen(by: Self.perspective).value) }
        #expect(try Self.refused(saved) == expected)
    }

    @Test(arguments: [
        (Effect.Grant(what: "share", to: ["a@contoso.com"], added: true), true),
        (Effect.Grant(what: "role", added: nil), true), (Effect.Grant(what: "role", added: false), false),
    ])
    func `rights that are given are refused where none may be, and those that are taken are not`(
        grant: Effect.Grant, isRefused: Bool
    ) throws {
        let refusals = try MCPCommand.parse(["folder", "--no-grants"]).bounds.refusals(of: [Effect(.grant(grant))])
        #expect(!refusals.isEmpty == isRefused)
        #expect(refusals.allSatisfy { $0.contains("--no-grants") })
    }

    @Test func `a right for somebody inside stays inside, and an id may be anyone's`() throws {
        for (to, bounds) in [("lynne@contoso.com", []), ("a@example.com", ["internal"]), ("0b1c", ["internal"])] {
            let grant = Effect(.grant(.init(what: "share", to: [.string(to)], added: true)))
            #expect(try Self.refused([grant.seen(by: Self.perspective)]) == bounds, "\(to)")
        }
    }

    @Test func `mails are counted, invitations too, and a number without a limit is beyond any`() throws {
        var mail = Effect(.mail(.init(to: ["lynne@contoso.com"], cc: [], bcc: []))).seen(by: Self.perspective)
        let bounds = try MCPCommand.parse(["folder", "--max-mails", "2"]).bounds
        let event = Effect(.event(.init(attendees: ["lynne@contoso.com"])))
        #expect(bounds.refusals(of: [mail, event]).isEmpty)
        #expect(!bounds.refusals(of: [mail, event, mail]).isEmpty)
        mail.count.atMost = nil
        #expect(!bounds.refusals(of: [mail]).isEmpty)
        mail.count.atMost = 0
        #expect(try Self.refused([mail]).isEmpty)
    }
}
