import Foundation
import GraphSandbox
import TestSupport
import Testing
import WorkflowData

/// What a sandbox holds before the first request, as a description says.
struct SandboxContentsTests {
    private static let description: Value = [
        "users": [
            [
                "mail": "ada.vance@contoso.com", "department": "Übersee & Co", "manager": "björn@contoso.com",
                "createdDateTime": "2026-01-01", "jobTitle": "Chief “Dreamer” 🙂", "accountEnabled": false,
            ],
            ["mail": "björn@contoso.com", "displayName": "Björn 'O' Test", "assignedLicenses": ["SPE_E5"]],
            ["mail": .null, "userPrincipalName": "room@contoso.com", "displayName": "Room"],
        ],
        "groups": [["displayName": "Sales", "mail": "sales@fabrikam.com", "members": ["björn@contoso.com"]]],
        "files": ["/Reports/ä b.txt": "hällo", "björn@contoso.com:/x.bin": ["base64": "AAEC"]],
        "mails": [
            [
                "from": "accounts@fabrikam.com", "subject": "Invoice 17", "body": "pay",
                "receivedDateTime": "2026-01-05T08:00:00Z", "attachments": [["name": "a.txt", "content": "hi"]],
            ],
            ["mailbox": "björn@contoso.com", "folder": "archive", "subject": "Old"],
        ],
        "events": [
            [
                "subject": "Standup", "start": "2026-01-06T09:00:00", "end": "2026-01-06T09:15:00",
                "attendees": "björn@contoso.com",
            ]
        ],
    ]

    private static func client(_ description: Value) throws -> (Sandbox, SandboxClient) {
        var mistakes: [Sandbox.Contents.Mistake] = []
        let contents = Sandbox.Contents(description, &mistakes)
        try #require(mistakes.isEmpty, "\(mistakes)")
        let sandbox = Sandbox(contents: contents)
        return (sandbox, SandboxClient(transport: sandbox.transport, base: Sandbox.baseURL))
    }

    @Test func `Graph shows who and what was described, and nothing else`() async throws {
        let (sandbox, client) = try Self.client(Self.description)
        for _ in 0..<2 {
            let me = try await client.get("/me?$select=displayName,department,createdDateTime,jobTitle,accountEnabled")
            #expect(me["displayName"] == "Ada Vance" && me["department"] == "Übersee & Co")
            #expect(me["createdDateTime"] == "2026-01-01T00:00:00Z" && me["accountEnabled"] == false)
            #expect(try await client.get("/me/manager")["displayName"] == "Björn 'O' Test")
            #expect(try await client.get("/users/bj%C3%B6rn@contoso.com/directReports")["value"]?.array?.count == 1)
            let users = try await client.get("/users?$select=mail,assignedLicenses")["value"]?.array ?? []
            #expect(users.map { $0["assignedLicenses"]?.array?.count } == [0, 1, 0])
            #expect(users.last?["mail"] == .null)
            let new = try await client.get("/users?$filter=createdDateTime ge 2025-12-31T00:00:00Z")
            #expect(new["value"]?.array?.map { $0["displayName"] } == ["Ada Vance"])
            let groups = try await client.get("/groups")["value"]?.array ?? []
            #expect(groups.map { $0["mail"] } == ["sales@fabrikam.com"])
            let members = try await client.get(
                "/groups/\(groups.first?["id"]?.string ?? "")/members?$select=mail,department")
            #expect(members["value"]?.array?.first?["mail"] == "björn@contoso.com")
            #expect(members["value"]?.array?.first?["displayName"] == nil)
            let mails = try await client.get("/me/messages")["value"]?.array ?? []
            #expect(mails.map { $0["subject"] } == ["Invoice 17"])
            #expect(mails.first?["isRead"] == false && mails.first?["hasAttachments"] == true)
            #expect(mails.first?["receivedDateTime"] == "2026-01-05T08:00:00Z")
            #expect(mails.first?["from"]?["emailAddress"]?["address"] == "accounts@fabrikam.com")
            let events = try await client.get("/me/events")["value"]?.array ?? []
            #expect(events.first?["attendees"]?.array?.first?["emailAddress"]?["name"] == "Björn 'O' Test")
            #expect(sandbox.drive.map(\.path) == ["Reports/ä b.txt", "x.bin"])
            #expect(sandbox.drive.map { $0.content.count } == [6, 3])
            // Forgetting everything brings them back.
            sandbox.reset()
        }
        #expect(sandbox.account == "ada.vance@contoso.com")
    }

    @Test(
        arguments: [
            (["users": [["displayName": "X"]]], "/users/0", "a user needs an address"),
            (["users": [["mail": "a@b"], ["mail": "A@B"]]], "/users/1", "another user has the name 'a@b'"),
            (
                ["users": [["mail": "a@b", "departement": "x"]]], "/users/0/departement",
                "has no property 'departement'"
            ),
            (["users": [["mail": "a@b", "createdDateTime": "soon"]]], "/users/0/createdDateTime", "must be a date"),
            (
                ["users": [["mail": "a@b", "accountEnabled": "yes"]]], "/users/0/accountEnabled",
                "must be true or false"
            ),
            (["users": [["mail": "a@b", "otherMails": "x"]]], "/users/0/otherMails", "must be a list of strings"),
            (
                ["users": [["mail": "a@b", "manager": "c@d"]]], "/users/0/manager",
                "'c@d' is not one of the sandbox's users"
            ),
            (
                ["users": [["mail": "a@b", "assignedLicenses": ["E7"]]]], "/users/0/assignedLicenses/0",
                "no licences of 'E7'"
            ),
            (["groups": [["displayName": "G", "members": ["x@y"]]]], "/groups/0/members/0", "'x@y' is not one"),
            (["mails": [["mailbox": "x@y"]]], "/mails/0/mailbox", "'x@y' is not one"),
            (["mails": [["folder": "inbx"]]], "/mails/0/folder", "no folder 'inbx'"),
            (["mails": [["receivedDateTime": "soon"]]], "/mails/0/receivedDateTime", "not a date"),
            (["files": ["x@y:/a": "b"]], "/files/x@y:~1a", "'x@y' is not one"),
            (["files": ["/a": ["base64": "?"]]], "/files/~1a", "neither a string nor"),
            (["events": [["calendar": "x@y"]]], "/events/0/calendar", "'x@y' is not one"),
        ] as [(Value, String, String)])
    func `a mistake in a description is found at its place`(description: Value, place: String, message: String) {
        var mistakes: [Sandbox.Contents.Mistake] = []
        _ = Sandbox.Contents(description, &mistakes)
        #expect(mistakes.map(\.place.description) == [place])
        #expect(mistakes.first?.message.contains(message) == true, "\(mistakes)")
    }
}
