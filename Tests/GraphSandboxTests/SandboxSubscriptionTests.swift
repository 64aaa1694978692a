import Foundation
import GraphSandbox
import Promises
import TestSupport
import Testing

/// A program that receives notifications, in process.
final class Subscriber: HTTPTransport {
    private let state = Locked((requests: [HTTPRequest](), statuses: [Int](), open: [Resolver<HTTPResponse>]()))
    private let validation: @Sendable (String) -> HTTPResponse?

    init(
        validation: @escaping @Sendable (String) -> HTTPResponse? = {
            HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: Data($0.utf8))
        }
    ) { self.validation = validation }

    /// The statuses of the next answers; 202 without one.
    func answer(_ statuses: Int...) { state.withLock { $0.statuses = statuses } }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let query = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        if let token = query.first(where: { $0.name == "validationToken" })?.value {
            if let response = validation(token) { return .value(response) }
            return Promise { resolver in state.withLock { $0.open.append(resolver) } }
        }
        let status = state.withLock { state in
            state.requests.append(request)
            return state.statuses.isEmpty ? 202 : state.statuses.removeFirst()
        }
        return .value(HTTPResponse(status: status))
    }

    /// The notifications of each delivery so far, which are forgotten.
    func batches() throws -> [[Value]] {
        let requests = state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
        return try requests.map { try Value(json: $0.body ?? Data())["value"]?.array ?? [] }
    }

    func notices() throws -> [Value] { try batches().flatMap(\.self) }
}

/// A sandbox whose time a test moves, with a subscriber.
private struct SubscriptionFixture {
    let clock = ManualClock()
    let subscriber: Subscriber
    let sandbox: Sandbox
    let client: SandboxClient

    init(_ subscriber: Subscriber = Subscriber(), faults: [String] = []) throws {
        self.subscriber = subscriber
        let clock = clock
        sandbox = Sandbox(
            faults: try faults.map { try Sandbox.Fault(parsing: $0) }, now: { Self.date(clock) }, clock: clock,
            random: CountingRandom(), notifier: subscriber)
        client = SandboxClient(transport: sandbox.transport, base: Sandbox.baseURL)
    }

    private static func date(_ clock: ManualClock) -> Date {
        Date(timeIntervalSince1970: 1_790_000_000 + clock.now / .seconds(1))
    }

    func time(inMinutes minutes: Int) -> Value {
        .string(Self.date(clock).addingTimeInterval(Double(minutes) * 60).formatted(.iso8601))
    }

    func body(_ resource: String, _ types: String = "created,updated,deleted", minutes: Int = 100) -> Object {
        [
            "resource": .string(resource), "changeType": .string(types), "clientState": "geheim 🎉 %",
            "notificationUrl": "https://hook.example.com/n?x=1", "expirationDateTime": time(inMinutes: minutes),
        ]
    }

    func subscribe(_ resource: String, _ types: String = "created,updated,deleted") async throws -> String {
        var body = body(resource, types)
        body["lifecycleNotificationUrl"] = "https://hook.example.com/l"
        let made = try await client.send("POST", "/subscriptions", json: .object(body))
        try #require(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
        return try #require(try made.json["id"]?.string)
    }

    func message(_ subject: String = "x") async throws -> String {
        let made = try await client.send(
            "POST", "/me/mailFolders/inbox/messages", json: ["subject": .string(subject)])
        return try #require(try made.json["id"]?.string)
    }
}

/// Subscriptions and their notifications.
@Suite struct SandboxSubscriptionTests {
    @Test func `a notification of a change has Graph's shape`() async throws {
        let fixture = try SubscriptionFixture()
        let id = try await fixture.subscribe("me/mailFolders('Inbox')/messages")
        let message = try await fixture.message("Grüße 🎉")
        let user = "48d31887-5fad-4d73-a9f5-3c356e68a038"
        let shown = try await fixture.client.get("/me/messages/\(message)")
        let notices = try fixture.subscriber.notices()
        try #require(notices.count == 1)
        let path = Value.string("Users/\(user)/Messages/\(message)")
        let expected: Value = [
            "subscriptionId": .string(id), "subscriptionExpirationDateTime": fixture.time(inMinutes: 100),
            "clientState": "geheim 🎉 %", "tenantId": notices[0]["tenantId"] ?? nil, "changeType": "created",
            "resource": path,
            "resourceData": [
                "@odata.type": "#Microsoft.Graph.Message", "@odata.id": path,
                "@odata.etag": shown["@odata.etag"] ?? nil, "id": .string(message),
            ],
        ]
        #expect(notices[0] == expected)
        _ = try await fixture.client.send("PATCH", "/me/messages/\(message)", json: ["isRead": true])
        _ = try await fixture.client.send("POST", "/me/messages/\(message)/move", json: ["destinationId": "archive"])
        _ = try await fixture.client.send("POST", "/me/mailFolders/drafts/messages", json: ["subject": "other"])
        #expect(try fixture.subscriber.notices().map { $0["changeType"] } == ["updated", "deleted"])
    }

    @Test(
        arguments: [
            ("users", "updated,deleted", "updated"), ("/groups", "updated", "updated"),
            ("me/drive/root", "updated", "updated"),
            ("users/megan@contoso.com/events", "created", "created"), ("me/messages", "created", "created"),
        ])
    func `every resource has its kinds`(resource: String, types: String, told: String) async throws {
        let fixture = try SubscriptionFixture()
        _ = try await fixture.subscribe(resource, types)
        let client = fixture.client
        let time: Value = ["dateTime": "2026-10-01T10:00:00", "timeZone": "UTC"]
        _ = try await client.send("POST", "/me/events", json: ["subject": "x", "start": time, "end": time])
        _ = try await client.send("PUT", "/me/drive/root:/a.txt:/content", body: Data())
        _ = try await fixture.message()
        _ = try await client.send(
            "POST", "/users",
            json: [
                "accountEnabled": true, "displayName": "Zoë", "mailNickname": "zoe",
                "userPrincipalName": "zoe@contoso.com", "passwordProfile": ["password": "x"],
            ])
        _ = try await client.send(
            "POST", "/groups",
            json: ["displayName": "x", "mailNickname": "x", "mailEnabled": false, "securityEnabled": true])
        #expect(try fixture.subscriber.notices().map { $0["changeType"]?.string } == [told])
    }

    @Test(arguments: [0, 1, 2, 3])
    func `an address that does not agree gets nothing`(kind: Int) async throws {
        let subscriber = Subscriber { token in
            switch kind {
            case 0: HTTPResponse(status: 202, headers: ["Content-Type": "text/plain"], body: Data(token.utf8))
            case 1: HTTPResponse(status: 200, headers: ["Content-Type": "text/html"], body: Data(token.utf8))
            case 2: HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: Data("x".utf8))
            default: nil
            }
        }
        let fixture = try SubscriptionFixture(subscriber)
        let body = fixture.body("me/messages")
        async let answer = fixture.client.send("POST", "/subscriptions", json: .object(body))
        if kind == 3 {
            while fixture.clock.waitCount == 0 { await pause() }
            fixture.clock.advance(by: .seconds(10))
        }
        #expect(try await answer.status == 400)
        #expect(try await answer.errorCode == "ValidationError")
        #expect(try await fixture.client.get("/subscriptions")["value"] == [])
    }

    @Test func `what Graph refuses is refused`() async throws {
        let fixture = try SubscriptionFixture()
        func status(_ change: (inout Object) -> Void) async throws -> Int {
            var body = fixture.body("me/messages")
            change(&body)
            return try await fixture.client.send("POST", "/subscriptions", json: .object(body)).status
        }
        #expect(try await status { $0["clientState"] = .string(String(repeating: "x", count: 129)) } == 400)
        #expect(try await status { $0["notificationUrl"] = "http://hook.example.com/" } == 400)
        #expect(try await status { $0["lifecycleNotificationUrl"] = "x" } == 400)
        #expect(try await status { $0["resource"] = "me/contacts" } == 400)
        #expect(try await status { $0["resource"] = "users/nobody@contoso.com/messages" } == 404)
        #expect(try await status { $0["changeType"] = "moved" } == 400)
        #expect(try await status { $0["changeType"] = "" } == 400)
        #expect(try await status { $0["expirationDateTime"] = fixture.time(inMinutes: 10_081) } == 400)
        #expect(try await status { $0["expirationDateTime"] = fixture.time(inMinutes: -1) } == 400)
        #expect(try await status { $0["expirationDateTime"] = nil } == 400)
        #expect(try await status { $0["includeResourceData"] = true } == 501)
        #expect(try await status { $0["resource"] = "me/drive/root" } == 400, "a drive is updated only")
        #expect(try await status { $0["notificationUrl"] = "http://127.0.0.1:1/" } == 201)
        #expect(try await status { _ in } == 409)
        #expect(try await status { $0["changeType"] = "created" } == 201)
    }

    @Test func `a sandbox that is not served has no way out, so it takes no subscription`() async throws {
        let client = SandboxClient(transport: Sandbox().transport, base: Sandbox.baseURL)
        var body = try SubscriptionFixture().body("me/messages")
        // Real time: an hour is longer than this takes.
        body["expirationDateTime"] = .string(Date().addingTimeInterval(3_600).formatted(.iso8601))
        for address in ["https://hook.example.com/n", "http://127.0.0.1:9/n"] {
            body["notificationUrl"] = .string(address)
            let answer = try await client.send("POST", "/subscriptions", json: .object(body))
            #expect(answer.status == 400)
            #expect(answer.errorCode == "ValidationError")
        }
        #expect(try await client.get("/subscriptions")["value"] == [])
    }

    @Test(arguments: [
        "https://hook.example.com/n", "http://hook.example.com/n", "https://127.0.0.1/n", "http://localhost./",
        "http://127.0.0.1.example.com/", "http://127.0.0.1@example.com/", "http://localhost.example.com/",
        "http://2130706433/", "http://0127.0.0.1/", "http://[::ffff:127.0.0.1]/", "http://0.0.0.0/",
        "http://169.254.169.254/",
    ])
    func `a served sandbox sends nothing beyond this machine`(address: String) async throws {
        let network = RecordingTransport(ScriptedTransport(.status(202)))
        let operation = HTTPOperation(name: "test", effect: .once, example: HTTPResponse(status: 202))
        let request = HTTPRequest("POST", try #require(URL(string: address)), body: Data())
        await #expect(throws: HTTPFailure.self) {
            try await LoopbackTransport(over: network).send(request, for: operation).value
        }
        #expect(network.records.isEmpty)
    }

    @Test(arguments: ["http://127.0.0.1:8080/n", "http://localhost/n?a=b", "http://[::1]:1/"])
    func `a served sandbox sends to this machine`(address: String) async throws {
        let network = RecordingTransport(ScriptedTransport(.status(202)))
        let operation = HTTPOperation(name: "test", effect: .once, example: HTTPResponse(status: 202))
        let request = HTTPRequest("POST", try #require(URL(string: address)), body: Data())
        #expect(try await LoopbackTransport(over: network).send(request, for: operation).value.status == 202)
    }

    @Test func `a subscription is listed, renewed, authorized again and deleted, and it expires`() async throws {
        let fixture = try SubscriptionFixture()
        let client = fixture.client
        let made = try await client.send(
            "POST", "/subscriptions", json: .object(fixture.body("me/messages", minutes: 5)))
        let id = try #require(try made.json["id"]?.string)
        #expect(try made.json["expirationDateTime"] == fixture.time(inMinutes: 45), "short lives are raised")
        #expect(try await client.get("/subscriptions")["value"]?.array?.count == 1)
        #expect(try await client.get("/subscriptions/\(id)")["resource"] == "me/messages")
        let end: Value = ["expirationDateTime": fixture.time(inMinutes: 60)]
        #expect(try await client.send("PATCH", "/subscriptions/\(id)", json: end).status == 200)
        #expect(try await client.send("PATCH", "/subscriptions/\(id)", json: ["clientState": "x"]).status == 400)
        #expect(try await client.send("POST", "/subscriptions/\(id)/reauthorize").status == 204)
        fixture.clock.advance(by: .seconds(59 * 60))
        _ = try await fixture.message()
        #expect(try fixture.subscriber.notices().count == 1)
        fixture.clock.advance(by: .seconds(60))
        _ = try await fixture.message()
        #expect(try fixture.subscriber.notices().isEmpty)
        #expect(try await client.send("PATCH", "/subscriptions/\(id)", json: end).status == 404)
        let other = try await fixture.subscribe("me/messages")
        #expect(try await client.send("DELETE", "/subscriptions/\(other)").status == 204)
        #expect(try await client.send("DELETE", "/subscriptions/\(other)").status == 404)
        _ = try await fixture.message()
        #expect(try fixture.subscriber.notices().isEmpty)
    }

    @Test func `a delivery is repeated until it is accepted, and what comes meanwhile follows in one batch`()
        async throws
    {
        let fixture = try SubscriptionFixture()
        _ = try await fixture.subscribe("me/messages")
        fixture.subscriber.answer(500, 302, 202)
        for _ in 0..<3 { _ = try await fixture.message() }
        #expect(try fixture.subscriber.batches().map(\.count) == [1])
        fixture.clock.advance(by: .seconds(1))
        #expect(try fixture.subscriber.batches().map(\.count) == [1])
        fixture.clock.advance(by: .seconds(2))
        #expect(try fixture.subscriber.batches().map(\.count) == [1, 2])
    }

    @Test func `after four hours without an answer, a mailbox's changes are missed`() async throws {
        let fixture = try SubscriptionFixture()
        var body = fixture.body("me/messages", minutes: 10_000)
        body["lifecycleNotificationUrl"] = "https://hook.example.com/l"
        _ = try await fixture.client.send("POST", "/subscriptions", json: .object(body))
        fixture.subscriber.answer(
            500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500,
            500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500)
        _ = try await fixture.message()
        for _ in 0..<40 { fixture.clock.advance(by: .seconds(600)) }
        #expect(try fixture.subscriber.notices().last?["lifecycleEvent"] == "missed")
    }

    @Test(
        arguments: [
            ("200 delay=30", [], ["created"]), ("duplicate", ["created", "created"], []), ("drop", [], []),
            ("forged", ["created", "created"], []), ("missed", ["missed"], []),
            ("reauthorizationRequired", ["created", "reauthorizationRequired"], []),
            ("subscriptionRemoved", ["subscriptionRemoved"], []), ("lost", [], []),
        ] as [(String, [String], [String])])
    func `notifications have faults`(fault: String, atOnce: [String], later: [String]) async throws {
        let fixture = try SubscriptionFixture(faults: [
            "NOTIFY /me/mailFolders/*/messages \(fault)", "* * 503 after=999",
        ])
        let id = try await fixture.subscribe("me/mailFolders('inbox')/messages")
        _ = try await fixture.message()
        let notices = try fixture.subscriber.notices()
        func kinds(_ notices: [Value]) -> [String] {
            notices.compactMap { ($0["changeType"] ?? $0["lifecycleEvent"])?.string }
        }
        #expect(kinds(notices).sorted() == atOnce)
        #expect(notices.count { $0["clientState"] == "forged" } == (fault == "forged" ? 1 : 0))
        fixture.clock.advance(by: .seconds(30))
        #expect(kinds(try fixture.subscriber.notices()) == later)
        let isGone = ["subscriptionRemoved", "lost"].contains(fault)
        let renewal: Value = ["expirationDateTime": fixture.time(inMinutes: 90)]
        #expect(
            try await fixture.client.send("PATCH", "/subscriptions/\(id)", json: renewal).status == (isGone ? 404 : 200)
        )
        _ = try await fixture.message()
        #expect(kinds(try fixture.subscriber.notices()) == (isGone ? [] : ["created"]))
    }

    @Test func `a subscription is lost before its renewal`() async throws {
        let fixture = try SubscriptionFixture(faults: ["PATCH /subscriptions/* lost"])
        let id = try await fixture.subscribe("me/messages")
        let renewal: Value = ["expirationDateTime": fixture.time(inMinutes: 90)]
        #expect(try await fixture.client.send("PATCH", "/subscriptions/\(id)", json: renewal).status == 404)
        #expect(try await fixture.client.get("/subscriptions")["value"] == [])
    }
}
