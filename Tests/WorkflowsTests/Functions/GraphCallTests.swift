import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// `call: graph`: any request of Microsoft Graph.
struct GraphCallTests {
    private func recording(_ input: Value) async throws -> [HTTPRequest] {
        let transport = RecordingTransport(Sandbox().transport)
        _ = try? await FunctionFixture(transport: transport).call("graph", input)
        return transport.records.map(\.request)
    }

    @Test func `without a method it gets`() async throws {
        let me = try await FunctionFixture(Sandbox()).call("graph", ["path": "/me", "select": ["mail"]])
        #expect(me["mail"] == "megan@contoso.com")
        #expect(me["displayName"] == nil)
    }

    @Test func `every method does what it does`() async throws {
        let fixture = FunctionFixture(Sandbox())
        let draft = try await fixture.call(
            "graph", ["method": "POST", "path": "/me/messages", "body": ["subject": "one"]])
        let path = "/me/messages/\(try #require(draft["id"]?.string))"
        _ = try await fixture.call("graph", ["method": "PATCH", "path": .string(path), "body": ["subject": "two"]])
        #expect(try await fixture.call("graph", ["path": .string(path)])["subject"] == "two")
        #expect(try await fixture.call("graph", ["method": "DELETE", "path": .string(path)]) == nil)
        #expect(await fixture.problem("graph", ["path": .string(path)])?["status"] == 404)
        let file = try await fixture.call(
            "graph", ["method": "PUT", "path": "/me/drive/root:/a.txt:/content", "body": "hello"])
        #expect(file["size"] == 5)
        #expect(try await fixture.call("graph", ["path": "/me/drive/root:/a.txt:/content"]) == "hello")
    }

    @Test func `bytes are a blob`() async throws {
        let fixture = FunctionFixture(Sandbox())
        let photo = try await fixture.call("graph", ["path": "/me/photo/$value"])
        #expect(photo["contentType"] == "image/jpeg")
        #expect(try fixture.context.blobs.blob(photo).bytes.count > 100)
        let answer = try await fixture.call(
            "graph", ["method": "PUT", "path": "/me/drive/root:/me.jpg:/content", "body": photo])
        #expect(answer["size"] == photo["size"])
    }

    @Test func `all pages of a list are one array`() async throws {
        let fixture = FunctionFixture(Sandbox())
        let users = try await fixture.call("graph", ["path": "/users", "query": ["$top": 3], "all": true])
        #expect(users.array?.count == 8)
        #expect(try await fixture.call("graph", ["path": "/users?$top=3"])["value"]?.array?.count == 3)
    }

    @Test func `the query is encoded, and names keep their dollar sign`() async throws {
        let request = try #require(
            try await recording(["path": "/users", "query": ["$filter": "givenName eq 'A&B'"]]).first)
        #expect(request.url.absoluteString.hasSuffix("/users?$filter=givenName%20eq%20%27A%26B%27"))
    }

    @Test(arguments: [
        ("GET", "read"), ("POST", "once"), ("PATCH", "idempotent"), ("PUT", "idempotent"), ("DELETE", "idempotent"),
    ])
    func `the effect is the method's unless the file says another`(method: String, effect: String) async throws {
        let plan = PlanningTransport()
        let body: Value = method == "GET" ? nil : [:]
        let fixture = FunctionFixture(transport: plan)
        _ = try await fixture.call("graph", ["method": .string(method), "path": "/me/x", "body": body])
        _ = try await fixture.call(
            "graph", ["method": .string(method), "path": "/me/x", "body": body, "effect": "once"])
        #expect(plan.requests.map(\.operation.effect.rawValue) == [effect, "once"])
    }

    @Test func `a POST whose outcome is unknown is not repeated, unless the file says that it may be`() async throws {
        for (effect, count) in [("once", 1), ("idempotent", 4)] {
            let transport = RecordingTransport(
                Sandbox(faults: [try Sandbox.Fault(parsing: "POST /me/messages 500 x9")]).transport)
            _ = try? await FunctionFixture(transport: transport).call(
                "graph", ["method": "POST", "path": "/me/messages", "body": [:], "effect": .string(effect)])
            #expect(transport.records.map(\.request).count == count)
        }
    }

    @Test func `a plan has the permissions that are known, and those that the file names`() async throws {
        let plan = PlanningTransport()
        let fixture = FunctionFixture(transport: plan)
        for (path, scopes) in [("/me/messages", nil), ("/me/unheard", nil), ("/me/events", ["Calendars.Read"])]
            as [(String, [String]?)]
        {
            _ = try await fixture.call(
                "graph",
                ["path": .string(path), "scopes": scopes.map { .array($0.map(Value.string)) } ?? nil])
        }
        #expect(plan.requests.map(\.operation.scopes) == [["Mail.Read"], [], ["Calendars.Read"]])
    }

    @Test(
        arguments: [
            (["path": "/me/../users"], "leads out"), (["path": "https://evil.example/me"], "not at"),
            (["path": "/users//messages"], "empty"), (["path": "/users/null/messages"], "null"),
            (["path": "/me", "body": [:]], "a GET has no body"),
            (["path": "/me", "method": "DELETE", "effect": "read"], "is not a read"),
            (["path": "/me", "method": "POST", "all": true], "'all' is for GET"),
            (["path": "/me", "headers": ["Authorization": "Bearer x"]], "comes from the sign-in"),
            (["path": "/me", "headers": ["Host": "x"]], "'Host' is set by the connection"),
        ] as [(Value, String)])
    func `what cannot be sent is refused, and nothing is sent`(input: Value, reason: String) async throws {
        let transport = RecordingTransport(Sandbox().transport)
        let problem = await FunctionFixture(transport: transport).problem("graph", input)
        #expect(problem?["detail"]?.string?.contains(reason) == true, "\(problem ?? [:])")
        #expect(transport.records.map(\.request).isEmpty)
    }

    @Test func `an expression inside the path stays one segment`() async throws {
        let sandbox = Sandbox()
        let workflow = try Workflow(
            text: """
                document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
                do:
                  - ask: { call: graph, with: { path: '/users/${ .user }/messages' } }
                """)
        for user in ["a/../b?x#y", "é", "x@contoso.com"] {
            _ = try? await Runner.testing(sandbox: sandbox).run(workflow, input: ["user": .string(user)]).value
        }
        #expect(
            sandbox.requests.map(\.path) == [
                "/v1.0/users/a%2F..%2Fb%3Fx%23y/messages", "/v1.0/users/%C3%A9/messages",
                "/v1.0/users/x%40contoso.com/messages",
            ])
    }
}
