import Foundation
import Testing
import Workflows

@testable import graphflow

/// `graphflow explain`: what a request is, and what is said of one that is none.
@Suite struct ExplainCommandTests {
    private static func explained(_ arguments: String...) async throws -> Value {
        let console = TestConsole()
        #expect(await console.run(["explain"] + arguments + ["--format", "json"]) == 0)
        return try Value(json: Data(console.standardOutput.utf8))
    }

    struct Fact: CustomTestStringConvertible {
        let method, path, canonical, operation: String
        let request, response, delegated, application: Value

        init(
            _ method: String, _ path: String, as canonical: String? = nil, _ operation: String, _ request: Value,
            _ response: Value, _ delegated: Value, _ application: Value
        ) {
            (self.method, self.path, self.canonical, self.operation) = (method, path, canonical ?? path, operation)
            (self.request, self.response) = (request, response)
            (self.delegated, self.application) = (delegated, application)
        }

        var testDescription: String { "\(method) \(path)" }
    }

    @Test(arguments: [
        Fact("GET", "/me", "read", .null, "user", ["User.Read"], false),
        Fact(
            "GET", "USERS('ada@contoso.com')", as: "/users/ada@contoso.com", "read", .null, "user",
            ["User.ReadBasic.All"], ["User.ReadBasic.All"]),
        Fact(
            "patch", "/users/x/mailboxsettings", as: "/users/x/mailboxSettings", "change", "mailboxSettings?",
            "mailboxSettings?", ["MailboxSettings.ReadWrite"], ["MailboxSettings.ReadWrite"]),
        Fact(
            "PUT", "/me/drive/root:/a b/ü.txt:/content", "content", "stream", "driveItem", ["Files.ReadWrite"],
            ["Files.ReadWrite.All"]),
        Fact(
            "GET", "/applications(appId='1')/owners/$count", "read", .null, "int", ["Application.Read.All"],
            ["Application.Read.All"]),
        Fact("GET", "/users/delta", "function", .null, "[user]", ["User.Read.All"], ["User.Read.All"]),
        Fact(
            "POST", "/groups/x/members/$ref", "link", .null, .null, ["GroupMember.ReadWrite.All"],
            ["GroupMember.ReadWrite.All"]),
        Fact(
            "DELETE", "/groups/x/members/y/$ref", "unlink", .null, .null, ["GroupMember.ReadWrite.All"],
            ["GroupMember.ReadWrite.All"]),
        Fact(
            "GET", "/groups/x/members/microsoft.graph.user", "read", .null, "[user]", ["GroupMember.ReadBasic.All"],
            ["GroupMember.ReadBasic.All"]),
        Fact(
            "GET", "/sites/contoso.sharepoint.com:/sites/x:/lists", "read", .null, "[list]", ["Sites.Read.All"],
            ["Sites.Read.All"]),
        Fact(
            "POST", "/identity/conditionalAccess/policies", "create", "conditionalAccessPolicy",
            "conditionalAccessPolicy", ["Policy.Read.All", "Policy.ReadWrite.ConditionalAccess"],
            ["Policy.Read.All", "Policy.ReadWrite.ConditionalAccess"]),
        Fact(
            "GET", "/reports/getOffice365ActiveUserDetail(period='D7')", "function", .null, "stream",
            ["Reports.Read.All"], ["Reports.Read.All"]),
    ])
    func `a request is known`(fact: Fact) async throws {
        let found = try await Self.explained(fact.method, fact.path)
        #expect(found["method"]?.string == fact.method.uppercased())
        #expect(found["path"]?.string == fact.canonical)
        #expect(found["operation"]?.string == fact.operation)
        #expect(found["request"] == fact.request)
        #expect(found["response"] == fact.response)
        #expect(found["permissions"]?["delegated"] == fact.delegated)
        #expect(found["permissions"]?["application"] == fact.application)
    }

    @Test(arguments: [
        ("/me/drive/root/search(q='a%20b')", "/me/drive/root/search(q='a%20b')"),
        ("/users('o''neil')/messages", "/users/o%27neil/messages"), ("/Users/A:/Messages", "/users/A:/messages"),
        ("https://graph.microsoft.com/v1.0/me/Drive", "/me/drive"), ("v1.0/me", "/me"),
        ("/me/drive/items/1:/a/b:/Children", "/me/drive/items/1:/a/b:/children"), ("/users/delta()", "/users/delta"),
    ])
    func `a path gets the spelling of the model`(path: String, canonical: String) async throws {
        #expect(try await Self.explained("GET", path)["path"]?.string == canonical)
    }

    @Test func `an action has its parameters, and a body its effect`() async throws {
        let body = #"{"message": {"subject": "a", "toRecipients": [{"emailAddress": {"address": "a@contoso.com"}}]}}"#
        let found = try await Self.explained("POST", "/me/sendMail", "--body", body)
        #expect(found["request"] == ["Message": "message", "SaveToSentItems": "bool"])
        #expect(found["effects"]?.array?.first?["to"] == ["a@contoso.com"])
        #expect(found["sandbox"] == "played")
        #expect(found["undo"] == "no")
        let search = #"{"requests": [{"entityTypes": ["event"], "query": {"queryString": "x"}}]}"#
        let needed = try await Self.explained("POST", "/search/query", "--body", search)
        #expect(needed["permissions"]?["delegated"] == ["Calendars.Read"])
    }

    @Test(arguments: [
        ("GET", "/usrs", "did you mean 'users'?"), ("GET", "/me/mesages", "did you mean 'messages'?"),
        ("DELETE", "/users", "'GET' and 'POST'"), ("POST", "/groups/x/members", "/groups/x/members/$ref"),
        ("GET", "/beta/users", "beta is not in the model"), ("GET", "/me/{what}", "depends on a part"),
        ("GET", "/users/fooBar()", "has no 'fooBar()'"),
    ])
    func `what is no request is said, with the right word`(method: String, path: String, words: String) async {
        let console = TestConsole()
        #expect(await console.run(["explain", method, path]) == 1)
        #expect(console.standardError.contains(words), "\(console.standardError)")
        #expect(console.standardOutput.isEmpty)
    }

    @Test func `no method is a wrong use`() async {
        let console = TestConsole()
        #expect(await console.run(["explain", "SEND", "/users"]) == 64)
        #expect(await console.run(["explain", "GET", "/users", "--body", "{"]) == 64)
    }
}
