import Foundation
import Promises
import TestSupport
import Testing
import GraphSandbox

@Suite struct SandboxThrottlingTests {
    private static let mail: Value = ["message": ["toRecipients": [["emailAddress": ["address": "a@contoso.com"]]]]]

    /// A sandbox with limits and a date that the test moves.
    private func metered(_ limits: Sandbox.Limits) -> (Sandbox, SandboxClient, Locked<Date>) {
        let date = Locked(Date(timeIntervalSince1970: 1_790_000_000))
        var settings = Sandbox.Settings()
        settings.limits = limits
        let sandbox = Sandbox(settings: settings, now: { date.withLock { $0 } })
        return (sandbox, SandboxClient(transport: sandbox.transport, base: Sandbox.baseURL), date)
    }

    @Test func `the directory counts units, warns, refuses, and says when to come again`() async throws {
        let (sandbox, client, date) = metered(.init(directory: .init(units: 10, seconds: 10)))
        for (used, share) in [(2, nil), (4, nil), (6, nil), (8, "0.8"), (10, "1.0")] as [(Int, String?)] {
            let answer = try await client.send("GET", "/users")
            #expect(answer.status == 200)
            #expect(answer.headers["x-ms-resource-unit"] == "2")
            #expect(answer.headers["x-ms-throttle-limit-percentage"] == share, "after \(used) units")
        }
        #expect(try await client.send("GET", "/users?$select=id&$top=5").status == 429)
        let refused = try await client.send("GET", "/users")
        #expect(refused.status == 429)
        #expect(refused.errorCode == "TooManyRequests")
        #expect(refused.headers["Retry-After"] == "2")
        #expect(refused.headers["x-ms-throttle-scope"] != nil)
        #expect(refused.headers["x-ms-throttle-information"] == "ResourceUnitLimitExceeded")
        date.withLock { $0 += 2 }
        #expect(try await client.send("GET", "/users?$select=id").headers["x-ms-resource-unit"] == "1")
        #expect(sandbox.throttles == [Sandbox.Throttle(service: "directory", refused: 2, early: 1)])
        // Each service has its own units.
        #expect(try await client.send("GET", "/me/drive").status == 200)
    }

    @Test func `OneDrive tells its limit from 80 percent on, and counts what it refuses`() async throws {
        let (sandbox, client, date) = metered(.init(files: .init(units: 10, seconds: 10)))
        let first = try await client.put("/me/drive/root:/a.txt:/content", "a")
        #expect(first.headers["RateLimit-Limit"] == nil)
        let id = try first.json["id"]?.string ?? ""
        #expect(try await client.send("POST", "/me/drive/items/\(id)/createLink", json: [:]).status == 201)
        let third = try await client.send("GET", "/me/drive/items/\(id)")
        #expect(third.headers["RateLimit-Limit"] == "10")
        #expect(third.headers["RateLimit-Remaining"] == "2")
        #expect(third.headers["RateLimit-Reset"] == "8")
        let refused = try await client.send("POST", "/me/drive/items/\(id)/createLink", json: [:])
        #expect(refused.status == 429)
        #expect(refused.errorCode == "activityLimitReached")
        #expect(refused.headers["Retry-After"] == "4")
        #expect(refused.headers["RateLimit-Remaining"] == "1")
        date.withLock { $0 += 4 }
        #expect(try await client.send("POST", "/me/drive/items/\(id)/createLink", json: [:]).status == 200)
        #expect(sandbox.throttles == [Sandbox.Throttle(service: "files", refused: 1, early: 0)])
    }

    @Test func `every mailbox has requests of its own`() async throws {
        let (_, client, _) = metered(.init(mailbox: .init(units: 1, seconds: 60)))
        #expect(try await client.send("POST", "/me/sendMail", json: Self.mail).status == 202)
        let refused = try await client.send("GET", "/me/photo")
        #expect(refused.status == 429)
        #expect(refused.errorCode == "ApplicationThrottled")
        #expect(refused.headers["Retry-After"] == "60")
        #expect(try await client.send("POST", "/users/alexw@contoso.com/sendMail", json: Self.mail).status == 202)
    }

    @Test func `a fifth request at one mailbox at a time is refused`() async throws {
        let clock = ManualClock()
        var settings = Sandbox.Settings()
        settings.latency = .seconds(1)
        settings.limits = Sandbox.Limits(mailboxConcurrency: 4)
        let sandbox = Sandbox(settings: settings, clock: clock)
        let url = try #require(URL(string: "https://graph.microsoft.com/v1.0/me/photo"))
        let request = HTTPRequest("GET", url, headers: ["Authorization": "Bearer x"])
        let operation = HTTPOperation(name: "test", effect: .read, example: HTTPResponse(status: 200))
        func send() -> Promise<HTTPResponse> { sandbox.transport.send(request, for: operation) }
        let first = (0..<5).map { _ in send() }
        clock.advance(by: .seconds(1))
        var statuses: [Int] = []
        for answer in first { statuses.append(try await answer.value.status) }
        #expect(statuses == [200, 200, 200, 200, 429])
        #expect(sandbox.throttles == [Sandbox.Throttle(service: "mailbox megan@contoso.com", refused: 1, early: 0)])
        let later = send()
        clock.advance(by: .seconds(1))
        #expect(try await later.value.status == 200)
        // A cancelled request makes room, too.
        let given = (0..<4).map { _ in send() }
        for promise in given { promise.cancel() }
        for promise in given { _ = try? await promise.value }
        let last = send()
        clock.advance(by: .seconds(1))
        #expect(try await last.value.status == 200)
    }

    @Test(arguments: SandboxWay.allCases)
    func `the metered profile refuses soon, and what it refused can be read`(way: SandboxWay) async throws {
        try await way.withSandbox(.metered) { (sandbox, client) async throws in
            var statuses: [Int] = []
            for _ in 0..<11 { statuses.append(try await client.send("GET", "/me/photo").status) }
            #expect(statuses == Array(repeating: 200, count: 10) + [429])
            let root = client.base.absoluteString.replacing("/v1.0", with: "")
            let shown = try await client.withoutToken.get(root + "/sandbox/throttling")
            #expect(shown == [["service": "mailbox megan@contoso.com", "refused": 1, "early": 0]])
            #expect(sandbox.throttles.count == 1)
        }
    }

    @Test func `without limits nothing is counted`() async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            for _ in 0..<50 { #expect(try await client.send("GET", "/users").status == 200) }
            #expect(try await client.send("GET", "/users").headers["x-ms-resource-unit"] == nil)
            #expect(sandbox.throttles.isEmpty)
        }
    }
}
