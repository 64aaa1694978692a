import Essentials
import Foundation
import MicrosoftGraph
import Testing

struct PermissionsTests {
    /// What Microsoft says of a request, with its words: a line of `Tests/Conformance/permissions.tsv`.
    struct Fact: CustomTestStringConvertible {
        let method, path, whose, delegated, application: String

        init(_ line: Substring) {
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            (method, path, whose) = (cells[0], cells[1], cells[2])
            (delegated, application) = (cells[3], cells[4])
        }

        var testDescription: String { "\(method) \(path) (\(whose))" }

        /// The property in parentheses, which the body has.
        var property: String? {
            path.contains(" (") ? path.split(separator: "(").last.map { String($0.dropLast()) } : nil
        }

        /// The request as a workflow would write it.
        var address: String {
            let plain = String(path.prefix { $0 != " " }).replacing("*", with: "5f1c")
            // Lists without a selection have the content, for which the basic permission is not enough.
            let isList = method == "GET" && delegated.contains("ReadBasic") && !path.contains("/users?")
            let isOfMailbox = ["messages", "events", "calendarView"].contains(where: path.contains)
            return isList && isOfMailbox ? plain + "?$select=id,subject" : plain
        }
    }

    private static let facts: [Fact] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Conformance/permissions.tsv")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").dropFirst().map(Fact.init)
    }()

    /// Requests for which another permission is the right one, with the reason.
    private static let others: [String: String] = [
        "POST /teams/*/channels": "Channel.Create.Group is given by the owners of one team, and not to an application",
        "POST /teams/*/channels/*/messages": "Teamwork.Migrate.All is for migrations only",
        "POST /chats/*/messages": "Teamwork.Migrate.All is for migrations only",
        "GET /users/*/messages": "Mail.ReadBasic.All is for lists without the content, and this one has it",
        "GET /users/*/events": "Calendars.ReadBasic is for lists without the content, and this one has it",
        "GET /users/*/events/*": "Calendars.ReadBasic is for an event without the content, and this one has it",
        "GET /users/*/calendarView": "Calendars.ReadBasic is for lists without the content, and this one has it",
    ]

    @Test func `there are facts`() { #expect(Self.facts.count > 150) }

    @Test(arguments: facts.filter { !$0.delegated.contains("depends") && $0.method != "ANY" })
    func `what Microsoft says that a request needs is what it needs`(fact: Fact) throws {
        // That /users/ID is one's own does not show in the address.
        guard !(fact.whose == "own" && fact.path.hasPrefix("/users/")) else { return }
        let body: Value? = fact.property.map { .object([$0: true]) }
        let needed = try #require(GraphClient.permissions(of: fact.method, path: fact.address, body))
        if fact.delegated != "?" {
            #expect(needed.delegated == Self.names(fact.delegated))
        }
        // An application has no /me; what is said there is for /users/ID.
        guard !fact.path.hasPrefix("/me"), fact.application != "?",
            Self.others["\(fact.method) \(fact.path)"] == nil
        else { return }
        #expect(needed.application == Self.names(fact.application))
    }

    private static func names(_ cell: String) -> [String] {
        cell == "none" ? [] : cell.split(separator: "+").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test(arguments: [
        ("/users?$filter=startswith(displayName,'A')", "User.ReadBasic.All"),
        ("/users?$filter=department eq 'Sales and displayName eq'", "User.Read.All"),
        ("/users?$filter=displayName eq 'department'", "User.ReadBasic.All"),
        ("/users?$filter=displayName%20eq%20'O''Brien'%20and%20jobTitle%20ne%20null", "User.Read.All"),
        ("/users?$filter=assignedLicenses/any(x:x/skuId eq 5)", "User.Read.All"),
        ("/users?$filter=createdDateTime ge 2026-01-01T00:00:00Z", "User.Read.All"),
        ("/users?$filter=not(endswith(mail,'@contoso.com'))&$count=true", "User.ReadBasic.All"),
        ("/users?$search=\"displayName:Ada\" OR \"mail:a\"", "User.ReadBasic.All"),
        ("/users?$search=\"department:Sales\"", "User.Read.All"),
        ("/users?$select=id,%20displayName,mail", "User.ReadBasic.All"),
        ("/users?select=id,Department", "User.Read.All"),
        ("/users?$orderby=displayName desc", "User.ReadBasic.All"),
        ("/users?$orderby=jobTitle", "User.Read.All"),
        ("/users/ada@contoso.com?$expand=manager($select=id)", "User.Read.All"),
        ("/users('$ada')?$select=id", "User.ReadBasic.All"),
        ("/users/5f1c?$select=signInActivity", "User.Read.All+AuditLog.Read.All"),
        ("/me?$select=department", "User.Read"),
        ("/me?$expand=manager", "User.Read.All"),
        ("/me/messages", "Mail.Read"),
        ("/me/messages?$select=subject", "Mail.ReadBasic"),
        ("/me/messages?$select=subject,body", "Mail.Read"),
        ("/me/messages?$select=subject&$search=\"x\"", "Mail.Read"),
        ("/me/mailFolders/inbox/messages?$select=id", "Mail.ReadBasic"),
        ("/me/calendarView?startDateTime=2026-01-01&endDateTime=2026-01-02", "Calendars.Read"),
        ("/me/drive/root:/a:b/messages:/content", "Files.Read"),
        ("/users/ada@contoso.com/drive/root:/Fotos%2Fü.jpg:/content", "Files.Read.All"),
    ])
    func `the property that is read or compared counts`(path: String, permissions: String) {
        #expect(GraphClient.permissions(of: "GET", path: path)?.delegated == Self.names(permissions))
    }

    @Test func `several properties need what each of them needs`() {
        let body: Value = ["accountEnabled": false, "mobilePhone": "1", "jobTitle": "x"]
        #expect(
            GraphClient.permissions(of: "PATCH", path: "users/x", body)?.delegated == [
                "User.EnableDisableAccount.All", "User.Read.All", "User-Phone.ReadWrite.All", "User.ReadWrite.All",
            ])
    }

    @Test func `a batch needs what its requests need, and is not known if one of them is not`() {
        let first: Value = ["id": "1", "method": "GET", "url": "/me"]
        let second: Value = ["id": "2", "method": "POST", "url": "/me/sendMail"]
        let unknown: Value = ["id": "3", "method": "GET", "url": "/nowhere"]
        func needed(_ requests: Value) -> [String]? {
            GraphClient.permissions(of: "POST", path: "$batch", ["requests": requests])?.delegated
        }
        #expect(needed([first, second]) == ["User.Read", "Mail.Send"])
        #expect(needed([first, unknown]) == nil)
    }

    @Test(arguments: [
        ("displayName eq '%@'", "User.ReadBasic.All"), ("%@ eq 'Sales'", "User.Read.All"),
        ("startswith(%@,'A')", "User.Read.All"), ("displayName eq %@", "User.Read.All"),
    ])
    func `what only a run knows is a property, unless it is in a text`(filter: String, permission: String) {
        let unknowns = UnknownTokens()
        let token = unknowns.token(for: unknowns.unknown("given"))
        let path = "/users?$filter=\(filter.replacing("%@", with: token))"
        #expect(GraphClient.permissions(of: "GET", path: path)?.delegated == [permission])
    }

    @Test(arguments: ["/nowhere", "/users/x/nothing", "/me/{which}/items", "/beta/users", ""])
    func `what is not known is not guessed`(path: String) {
        #expect(GraphClient.permissions(of: "GET", path: path) == nil)
    }
}
