import Foundation
import TestSupport
import Testing

@testable import MicrosoftGraph
@testable import Workflows

/// What takes each kind of effect back, or why nothing does.
@Suite struct InverseTests {
    private static let id = "02bd9fd6-8f93-4758-87c3-1fb73740a315"

    private static func effect(
        _ kind: Effect.Kind, _ members: Object = [:], at path: String? = nil, etag: String? = "v"
    ) -> Effect {
        var effect = Effect(.init(kind, members))
        effect.object = path.map { ObjectVersion(id: "ID", etag: etag, path: $0) }
        return effect
    }

    /// The rows of both tables, each with an effect.
    private static let reversible: [(String, Effect)] = [
        ("saved a draft", effect(.mail, ["sent": false], at: "me/messages/ID")),
        ("made a file", effect(.file, ["replaces": false], at: "me/drive/items/ID")),
        ("made a folder", effect(.folder, ["path": "a/b"], at: "me/drive/items/ID")),
        ("made a link", effect(.link, at: "me/drive/items/ID/permissions/ID")),
        ("made an event", effect(.event, ["attendees": []], at: "me/events/ID")),
        ("invited people to an event", effect(.event, ["attendees": ["a@contoso.com"]], at: "me/events/ID")),
        ("made a user", effect(.create, ["what": "user"], at: "users/ID")),
        ("made a group", effect(.create, ["what": "group"], at: "groups/ID")),
        ("made a contact", effect(.create, ["what": "contact"], at: "me/contacts/ID")),
        ("made a task", effect(.create, ["what": "todoTask"], at: "me/todo/lists/ID/tasks/ID")),
        ("made a list of tasks", effect(.create, ["what": "todoTaskList"], at: "me/todo/lists/ID")),
        ("made a list of a site", effect(.create, ["what": "list"], at: "sites/ID/lists/ID")),
        ("made an application", effect(.create, ["what": "application"], at: "applications/ID", etag: nil)),
        ("added a member", effect(.member, ["added": true], at: "groups/ID/members/\(id)/$ref")),
        ("removed a member", effect(.member, ["added": false], at: "groups/ID/members/\(id)/$ref")),
        ("added a member of a team", effect(.member, ["added": true], at: "teams/ID/members/ID")),
        ("gave a right", effect(.grant, ["what": "owner", "added": true], at: "groups/ID/owners/\(id)/$ref")),
        (
            "asked for a role",
            effect(
                .grant, ["what": "role", "to": ["a"], "added": true],
                at: "roleManagement/directory/roleAssignmentScheduleRequests")
        ),
        ("made a rule that sends mail on", effect(.forward, at: "me/mailFolders/inbox/messageRules/ID")),
        ("deleted a user or a group", effect(.delete, ["what": "user"], at: "users/\(id)")),
    ]

    private static let title: Value = ["jobTitle": ["before": nil, "after": "x"]]
    /// The rows of what a run with `--undoable` kept.
    private static let kept: [(String, Effect, FormerObject)] = [
        (
            "replaced a file, with '--undoable'", effect(.file, ["replaces": true], at: "me/drive/items/ID"),
            FormerObject(path: "me/drive/root:/a", object: ["id": "ID"], content: Data())
        ),
        (
            "changed a message, with '--undoable'",
            effect(.change, ["what": "message", "properties": title], at: "me/messages/ID"),
            FormerObject(path: "me/messages/ID", object: ["jobTitle": nil])
        ),
        (
            "changed a user, with '--undoable'",
            effect(.change, ["what": "user", "properties": title], at: "users/ID", etag: nil),
            FormerObject(path: "users/ID", object: ["jobTitle": "y"])
        ),
    ]
    @Test func `a person who was deleted by name is restored by the id that was kept`() throws {
        let deleted = Self.effect(.delete, ["what": "user"], at: "users/lynner@contoso.com")
        #expect(throws: Irreversible.self) { try deleted.inverse() }
        let former = FormerObject(path: "users/lynner@contoso.com", object: ["id": .string(Self.id)])
        #expect(former.isObject(of: deleted))
        #expect(try deleted.inverse(to: former).path == "directory/deletedItems/\(Self.id)/restore")
    }

    private static let lost: [String: FormerObject] = [
        "replaced a large file": FormerObject(path: "me/drive/root:/a", object: ["id": "ID"]),
        "changed a password": FormerObject(path: "users/ID", object: ["passwordProfile": nil]),
    ]

    private static let irreversible: [(String, Effect)] = [
        ("sent a mail", effect(.mail, ["sent": true])),
        ("replaced a file", effect(.file, ["replaces": true], at: "me/drive/items/ID")),
        ("replaced a large file", effect(.file, ["replaces": true], at: "me/drive/items/ID")),
        ("found a link", effect(.link)),
        ("made a chat", effect(.create, ["what": "chat"], at: "chats/ID")),
        ("changed something", effect(.change, ["what": "user"], at: "users/ID")),
        (
            "changed a password",
            effect(
                .change, ["what": "user", "properties": ["passwordProfile": ["before": nil, "after": nil]]],
                at: "users/ID")
        ),
        ("changed a license", effect(.license, ["added": true])),
        ("took a right", effect(.grant, ["added": false])), ("set automatic replies", effect(.autoReply)),
        ("posted a message", effect(.post)), ("did something else with an object", effect(.action)),
        ("deleted a file", effect(.delete, ["what": "driveItem"], at: "me/drive/items/ID")),
        ("deleted a message", effect(.delete, ["what": "message"], at: "me/messages/ID")),
        ("started a program", effect(.program)), ("wrote a local file", effect(.localFile)),
        ("notified a host", effect(.notification)), ("sent another request", effect(.request)),
        ("called a tool", effect(.tool)),
    ]

    private static func words(_ check: Inverse.Guard) -> String {
        switch check {
        case .nothing: "nothing"
        case .version: "its version"
        case .emptyFolder: "its name, and that it is empty"
        case .values(_, let parts):
            "the values that were set"
                + (parts.isEmpty ? "" : ", and that it has no \(parts.joined(separator: " or "))")
        }
    }

    @Test func `the page about undo says what the code does`() throws {
        let all = Self.reversible.map { ($0.0, $0.1, FormerObject?.none) } + Self.kept
        let made = try all.map { title, effect, former in
            let inverse = try effect.inverse(to: former)
            let path = inverse.path.replacing(Self.id, with: "ID")
            return "| \(title) | `\(inverse.method) /\(path)` | \(Self.words(inverse.check)) |"
        }
        let left = Self.irreversible.map { title, effect in
            do throws(Irreversible) {
                return "| \(title) | `\(try effect.inverse(to: Self.lost[title]).path)` |"
            } catch {
                return "| \(title) | \(error.reason) | \(error.advice) |"
            }
        }
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/Workflows/Engine/Documentation.docc/Undo.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains(made.joined(separator: "\n") + "\n\n"), "\(made.joined(separator: "\n"))")
        #expect(text.contains(left.joined(separator: "\n") + "\n\n"), "\(left.joined(separator: "\n"))")
        let kinds = Set((Self.reversible + Self.irreversible).map(\.1.kind))
        #expect(kinds == Set(Effect.Kind.allCases))
    }

    @Test func `what the account does not know is not taken back`() {
        let unknown: [Effect] = [
            Self.effect(.file, ["replaces": .null], at: "me/drive/items/ID"), Self.effect(.file, ["replaces": false]),
            Self.effect(.file, ["replaces": false], at: "me/drive/items/ID", etag: nil),
            Self.effect(.folder, at: "me/drive/items/ID"), Self.effect(.event, at: "me/events/ID"),
            Self.effect(.event, ["attendees": []], at: "me/events/ID", etag: nil), Self.effect(.mail, ["sent": false]),
            Self.effect(.create, ["what": "user"]), Self.effect(.member, ["added": true]),
            Self.effect(.member, ["added": true], at: "groups/ID/$ref"),
            Self.effect(.member, ["added": false], at: "groups/ID/members/a@contoso.com/$ref"),
            Self.effect(.delete, ["what": "user"], at: "users/a@contoso.com"),
        ]
        for effect in unknown { #expect(throws: Irreversible.self, "\(effect.value.json())") { try effect.inverse() } }
        let file = Self.effect(.file, ["replaces": false], at: "me/drive/items/ID")
        #expect(throws: Irreversible.self) { try file.reversed(after: .unknown) }
        #expect(throws: Never.self) { try file.reversed(after: .done) }
    }

    private static let places: [(String, String, Int, Effect.Kind, String?)] = [
        ("PUT", "me/drive/root:/a.txt:/content", 201, .file, "me/drive/items/I%20D"),
        (
            "PUT", "users/a@contoso.com/drive/root:/drive/a.txt:/content", 201, .file,
            "users/a@contoso.com/drive/items/I%20D"
        ),
        ("PUT", "users('$a')/drive/root:/a.txt:/content?x=/drive/", 201, .file, "users('$a')/drive/items/I%20D"),
        ("PUT", "drives/D/items/P:/a.txt:/content", 201, .file, "drives/D/items/I%20D"),
        ("PUT", "sites/S/drives/D/root:/a.txt:/content", 201, .file, "sites/S/drives/D/items/I%20D"),
        ("PUT", "drive/a/content", 201, .file, nil),
        ("POST", "me/drive/items/X/children", 201, .folder, "me/drive/items/I%20D"),
        ("POST", "me/drive/items/X/createLink", 201, .link, "me/drive/items/X/permissions/I%20D"),
        ("POST", "me/drive/items/X/createLink", 200, .link, nil), ("POST", "me/events", 201, .event, "me/events/I%20D"),
        ("POST", "groups", 201, .create, "groups/I%20D"), ("POST", "$batch", 200, .change, nil),
        ("PATCH", "users/U?x=1", 200, .change, "users/U"), ("DELETE", "users/U", 200, .delete, "users/U"),
    ]

    @Test(arguments: places)
    func `an answer says where the object is`(
        method: String, path: String, status: Int, kind: Effect.Kind, expected: String?
    ) {
        let answer = HTTPResponse(
            status: status, headers: ["Content-Type": "application/json"], body: Data(#"{"id":"I D","eTag":"v"}"#.utf8))
        let effect = Effect(.init(kind, [:])).completed(by: answer, to: method, path)
        #expect(effect.object?.path == expected)
        #expect(Effect(effect.value)?.object == effect.object)
    }
}
