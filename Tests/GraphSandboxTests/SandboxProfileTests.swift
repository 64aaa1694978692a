import Foundation
import TestSupport
import Testing
import GraphSandbox

@Suite struct SandboxProfileTests {
    /// Sends the four requests that share a photo, each until it succeeds; returns the failures.
    private func chain(_ client: SandboxClient) async throws -> [[String]] {
        let photo = try await client.sendPersistently("GET", "/me/photo/$value")
        let upload = try await client.sendPersistently(
            "PUT", "/me/drive/root:/me.jpg:/content", headers: ["Content-Type": "image/jpeg"],
            body: try #require(photo.answer).body)
        let id = try #require(try upload.answer?.json["id"]?.string)
        let link = try await client.sendPersistently(
            "POST", "/me/drive/items/\(id)/createLink", json: ["type": "view"])
        let url = try #require(try link.answer?.json["link"]?["webUrl"]?.string)
        let mail = try await client.sendPersistently(
            "POST", "/me/sendMail",
            json: [
                "message": [
                    "subject": "My photo", "body": ["contentType": "html", "content": .string("<a href=\"\(url)\">")],
                    "toRecipients": [["emailAddress": ["address": "megan@contoso.com"]]],
                ]
            ])
        #expect(mail.answer?.status == 202)
        return [photo.failures, upload.failures, link.failures, mail.failures]
    }

    @Test(arguments: SandboxWay.allCases)
    func `by default nothing fails`(way: SandboxWay) async throws {
        try await way.withSandbox { (sandbox, client) async throws in
            #expect(try await chain(client) == [[], [], [], []])
            #expect(sandbox.outbox.map(\.deliveries) == [1])
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `throttled answers the first sending of each request with 429 and Retry-After`(way: SandboxWay) async throws {
        try await way.withSandbox(.throttled) { (sandbox, client) async throws in
            #expect(try await chain(client) == Array(repeating: ["429 after 1"], count: 4))
            #expect(sandbox.outbox.map(\.deliveries) == [1])
            #expect(sandbox.drive.map(\.version) == [1])
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `flaky drops, truncates and refuses, and one mail is sent all the same`(way: SandboxWay) async throws {
        try await way.withSandbox(.flaky) { (sandbox, client) async throws in
            let failures = try await chain(client)
            let lost = "connectionLost"
            #expect(failures == [[lost, lost], [lost, "503"], [lost, "503"], ["503 after 1"]])
            #expect(sandbox.outbox.map(\.deliveries) == [1])
            #expect(sandbox.drive.map(\.version) == [2])
            #expect(sandbox.drive.first?.links.count == 1)
        }
    }

    @Test func `what is no profile has no name`() {
        #expect(Sandbox.Profile(rawValue: "no-photo") == .noPhoto)
        #expect(Sandbox.Profile(rawValue: "gentle") == nil)
        #expect(Sandbox.Profile.allCases.map(\.rawValue) == ["default", "no-photo", "throttled", "flaky", "metered"])
    }

    @Test func `resetting plays the failures anew`() async throws {
        try await SandboxWay.inProcess.withSandbox(.throttled) { (sandbox, client) async throws in
            #expect(try await client.send("GET", "/me").status == 429)
            #expect(try await client.send("GET", "/me").status == 200)
            sandbox.reset()
            #expect(sandbox.requests.isEmpty)
            #expect(try await client.send("GET", "/me").status == 429)
        }
    }
}
