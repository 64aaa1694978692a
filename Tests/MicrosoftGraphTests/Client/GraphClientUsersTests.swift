import Foundation
import Promises
import TestSupport
import Testing
import GraphSandbox
import MicrosoftGraph
import Workflows

struct GraphClientUsersTests {
    private static let base = "https://graph.microsoft.com/v1.0/users"

    private func page(_ ids: [String], next: String? = nil) -> ScriptedTransport.Reply {
        let users = ids.map { #"{"id":"\#($0)","displayName":"\#($0)","mail":null}"# }.joined(separator: ",")
        return .json(#"{"value":[\#(users)]\#(next.map { #","@odata.nextLink":"\#($0)""# } ?? "")}"#)
    }

    private func query(_ fixture: GraphFixture, _ position: Int = 0) throws -> String {
        try #require(fixture.transport.requests[position].url.query(percentEncoded: true))
    }

    @Test func `quotes in a prefix are doubled and then encoded, so that they cannot end the literal`() async throws {
        let fixture = GraphFixture(page(["1"]))
        _ = try await fixture.client().users(startsWith: "O'Brien & 100%").value
        let query = try query(fixture)
        #expect(
            query.contains(
                "startswith(givenName,%27O%27%27Brien%20%26%20100%25%27)".replacing("(", with: "%28").replacing(
                    ")", with: "%29")))
        #expect(
            query.removingPercentEncoding?.hasPrefix("$filter=startswith(displayName,'O''Brien & 100%') or ") == true)
        #expect(fixture.transport.requests[0].headers["ConsistencyLevel"] == nil)
    }

    @Test func `a search escapes its words, and asks for the index that can search, on every page`() async throws {
        let fixture = GraphFixture(
            page([], next: "\(Self.base)?$skiptoken=a"), page(["1"], next: "\(Self.base)?$skiptoken=b"), page(["2"]))
        let users = try await fixture.client().users(.search(#"a"b\c"#), select: ["jobTitle"], all: true).value
        #expect(users.map(\.id) == ["1", "2"])
        #expect(
            try query(fixture).removingPercentEncoding?.hasPrefix(#"$search="displayName:a\"b\\c" OR "mail:a\"b\\c""#)
                == true)
        #expect(try query(fixture).hasSuffix("$select=jobTitle,id,displayName,mail,userPrincipalName&$top=999"))
        #expect(
            fixture.transport.requests.map { $0.headers["ConsistencyLevel"] } == Array(repeating: "eventual", count: 3))
        #expect(try query(fixture, 2) == "$skiptoken=b")
        #expect(fixture.transport.requests.allSatisfy { $0.headers["Authorization"] != nil })
    }

    @Test func `without all, what was asked for is enough, also where pages are short`() async throws {
        let fixture = GraphFixture(
            page(["1"], next: "\(Self.base)?$skiptoken=a"), page(["2", "3", "4"], next: "\(Self.base)?$skiptoken=b"))
        #expect(try await fixture.client().users(.filter("a eq 'b'"), top: 3).value.map(\.id) == ["1", "2", "3"])
        #expect(fixture.transport.requests.count == 2)
        #expect(try query(fixture) == "$filter=a%20eq%20%27b%27&$count=true&$top=3")
    }

    @Test(arguments: [
        "https://evil.example/v1.0/users", "http://graph.microsoft.com/v1.0/users", "//evil.example/", "/v1.0/users",
        "https://graph.microsoft.com:444/v1.0/users", "https://graph.microsoft.com@evil.example/", "javascript:1", "",
        "https://user@graph.microsoft.com/v1.0/users",
    ])
    func `a next page elsewhere gets no request`(link: String) async {
        let fixture = GraphFixture(page(["1"], next: link), page(["2"]))
        #expect(await graphError(of: fixture.client().users(all: true))?.code == .badAnswer)
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `pages that go round in a circle end`() async {
        let fixture = GraphFixture(
            page(["1"], next: "\(Self.base)?$skiptoken=a"), page(["2"], next: "\(Self.base)?$skiptoken=a"))
        #expect(await graphError(of: fixture.client().users(all: true))?.code == .badAnswer)
        #expect(fixture.transport.requests.count == 2)
    }

    @Test func `a page that fails is asked for again`() async throws {
        let fixture = GraphFixture(page(["1"], next: "\(Self.base)?$skiptoken=a"), .status(503), page(["2"]))
        #expect(try await fixture.client().users(all: true).value.map(\.id) == ["1", "2"])
    }

    @Test(arguments: [0, 1000, -1])
    func `a page of an impossible size is refused before anything is sent`(top: Int) async {
        let fixture = GraphFixture(page([]))
        #expect(await graphError(of: fixture.client().users(top: top))?.code == .invalidInput)
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test(arguments: [
        UserQuery.startsWith(" "), .search(""), .filter("\n"), .search("a\u{1F}b"), .startsWith("a\u{10}"),
        .filter(String(repeating: "a", count: 1_001)),
    ])
    func `looking for nothing, or for what no name has, is refused before anything is sent`(query: UserQuery) async {
        let fixture = GraphFixture(page([]))
        #expect(await graphError(of: fixture.client().users(query))?.code == .invalidInput)
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `the function finds people of the sandbox, page by page`() async throws {
        let sandbox = Sandbox()
        let fixture = FunctionFixture(sandbox)
        #expect(try await fixture.call("users", ["startsWith": "Meg"])[0]?["email"] == "megan@contoso.com")
        #expect(try await fixture.call("users", ["search": "vance"])[0]?["displayName"] == "Adele Vance")
        #expect(try await fixture.call("users", ["top": 3]).array?.count == 3)
        #expect(!sandbox.requests.contains { $0.path.contains("skiptoken") })
        let all = try await fixture.call("users", ["top": 3, "all": true])
        #expect(all.array?.count == 8)
        #expect(sandbox.requests.count { $0.path.contains("skiptoken") } == 2)
        let problem = await fixture.problem("users", ["startsWith": "a", "filter": "b"])
        #expect(problem?["status"] == 400)
        let function = try #require(Catalog.default["users"])
        #expect(function.check(["startsWith": "a", "search": "b"], files: fixture.context.files).count == 1)
    }
}
