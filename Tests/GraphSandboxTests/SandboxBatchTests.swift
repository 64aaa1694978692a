import Foundation
import TestSupport
import Testing
import GraphSandbox

@Suite struct SandboxBatchTests {
    /// The answers of a batch by their ids.
    private func send(_ client: SandboxClient, _ requests: [Value]) async throws -> [String: Value] {
        let answer = try await client.send("POST", "/$batch", json: ["requests": .array(requests)])
        #expect(answer.status == 200)
        let answers = try answer.json["responses"]?.array ?? []
        #expect(answers.count == requests.count)
        return Dictionary(uniqueKeysWithValues: answers.map { ($0["id"]?.string ?? "", $0) })
    }

    @Test(arguments: SandboxWay.allCases)
    func `every request is answered by itself`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            let answers = try await send(
                client,
                [
                    ["id": "1", "method": "GET", "url": "/me?$select=mail"],
                    ["id": "2", "method": "GET", "url": "me/photo/$value"],
                    ["id": "3", "method": "GET", "url": "/users/nobody@contoso.com"],
                    [
                        "id": "4", "method": "POST", "url": "/me/sendMail",
                        "headers": ["Content-Type": "application/json"],
                        "body": ["message": ["toRecipients": [["emailAddress": ["address": "a@contoso.com"]]]]],
                    ],
                    [
                        "id": "5", "method": "PUT", "url": "/me/drive/root:/x.bin:/content",
                        "headers": ["Content-Type": "application/octet-stream"], "body": "-_8",
                    ],
                    ["id": "6", "method": "DELETE", "url": "/me/photo"],
                ])
            #expect(answers["1"]?["body"]?["mail"] == "megan@contoso.com")
            let photo = try await client.send("GET", "/me/photo/$value").body
            #expect(answers["2"]?["body"] == .string(photo.base64EncodedString()))
            #expect(answers["2"]?["headers"]?["Content-Type"] == "image/jpeg")
            #expect(answers["3"]?["status"] == 404)
            #expect(answers["3"]?["body"]?["error"]?["code"] == "Request_ResourceNotFound")
            #expect(answers["4"]?["status"] == 202)
            #expect(answers["4"]?["body"] == nil)
            #expect(answers["5"]?["status"] == 201)
            #expect(answers["6"]?["status"] == 405)
            #expect(sandbox.drive.map(\.content) == [Data([0xfb, 0xff])])
            #expect(sandbox.outbox.count == 1)
            #expect(sandbox.requests.map(\.path) == ["/v1.0/$batch", "/v1.0/me/photo/$value"])
        }
    }

    @Test func `the answers come in another order than the requests`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let requests: [Value] = (1...20).map { ["id": .string("\($0)"), "method": "GET", "url": "/me"] }
            let answer = try await client.send("POST", "/$batch", json: ["requests": .array(requests)])
            let ids = try answer.json["responses"]?.array?.compactMap { $0["id"]?.string } ?? []
            #expect(ids.sorted() == (1...20).map { "\($0)" }.sorted())
            #expect(ids != (1...20).map { "\($0)" })
        }
    }

    @Test func `what depends on a failure is 424, and so is what depends on that`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let answers = try await send(
                client,
                [
                    ["id": "a", "method": "GET", "url": "/users/nobody@contoso.com"],
                    ["id": "b", "method": "GET", "url": "/me", "dependsOn": ["a"]],
                    ["id": "c", "method": "GET", "url": "/me", "dependsOn": ["B"]],
                    ["id": "d", "method": "GET", "url": "/me"],
                    ["id": "e", "method": "GET", "url": "/me", "dependsOn": ["d"]],
                ])
            #expect(["a", "b", "c", "d", "e"].map { answers[$0]?["status"] } == [404, 424, 424, 200, 200])
        }
    }

    @Test func `a throttled request has its own status and its own wait`() async throws {
        let faults = try ["GET /me 429 retry-after=7", "GET /users drop"].map(Sandbox.Fault.init(parsing:))
        try await SandboxWay.inProcess.withSandbox(faults: faults) { (_, client) async throws in
            let answers = try await send(
                client, [["id": "1", "method": "GET", "url": "/me"], ["id": "2", "method": "GET", "url": "/users"]])
            #expect(answers["1"]?["status"] == 429)
            #expect(answers["1"]?["headers"]?["retry-after"] == "7")
            #expect(answers["2"]?["status"] == 504)
        }
    }

    @Test(
        arguments: [
            ["requests": []], [:], ["requests": 5], ["requests": [["id": "1", "method": "GET"]]],
            ["requests": [["id": "1", "method": "GET", "url": "https://graph.microsoft.com/v1.0/me"]]],
            ["requests": [["id": "1", "method": "GET", "url": "/v1.0/me"]]],
            ["requests": [["id": "1", "method": "POST", "url": "/$batch", "body": [:]]]],
            ["requests": [["id": "1", "method": "FETCH", "url": "/me"]]],
            ["requests": [["id": "1", "method": "POST", "url": "/me/sendMail", "body": [:]]]],
            ["requests": [["id": "a", "method": "GET", "url": "/me"], ["id": "A", "method": "GET", "url": "/me"]]],
            ["requests": [["id": "a", "method": "GET", "url": "/me", "dependsOn": ["b"]]]],
            ["requests": [["id": "a", "method": "GET", "url": "/me", "dependsOn": ["a"]]]],
            [
                "requests": [
                    [
                        "id": "1", "method": "PUT", "url": "/me/drive/root:/x:/content", "body": "!",
                        "headers": ["Content-Type": "image/png"],
                    ]
                ]
            ],
        ] as [Value])
    func `a batch that is malformed is 400 and has no effect`(body: Value) async throws {
        try await SandboxWay.inProcess.withSandbox { (sandbox, client) async throws in
            let answer = try await client.send("POST", "/$batch", json: body)
            #expect(answer.status == 400)
            #expect(answer.errorCode != nil)
            #expect(sandbox.drive.isEmpty)
        }
    }

    @Test func `more than twenty requests are 400`() async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            let requests: [Value] = (1...21).map { ["id": .string("\($0)"), "method": "GET", "url": "/me"] }
            #expect(try await client.send("POST", "/$batch", json: ["requests": .array(requests)]).status == 400)
            #expect(try await client.send("GET", "/$batch").status == 405)
        }
    }
}
