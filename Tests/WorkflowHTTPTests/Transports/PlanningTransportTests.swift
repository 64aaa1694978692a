import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP

@Suite struct PlanningTransportTests {
    @Test func `records the requests in order and answers with their examples`() async throws {
        let transport = PlanningTransport()
        let url = try #require(URL(string: "https://graph.microsoft.com/v1.0/me"))
        for name in ["first", "second"] {
            let example = HTTPResponse(status: 201, body: Data(name.utf8))
            let answer = try await transport.send(
                HTTPRequest("PUT", url, body: Data("x".utf8)),
                for: HTTPOperation(name: name, effect: .idempotent, example: example)
            ).value
            #expect(answer == example)
        }
        #expect(transport.requests.map(\.operation.name) == ["first", "second"])
        #expect(transport.requests.map(\.request.body) == [Data("x".utf8), Data("x".utf8)])
    }

    @Test func `sends what only reads if all of it is known, and nothing else`() async throws {
        let reads = ScriptedTransport(.status(204))
        let transport = PlanningTransport(reading: reads)
        let url = try #require(URL(string: "https://graph.microsoft.com/v1.0/me"))
        let unknown = try #require(URL(string: "https://graph.microsoft.com/v1.0/items/%E2%80%B9upload.id%E2%80%BA"))
        let operation = HTTPOperation(name: "read", effect: .read, example: HTTPResponse(status: 299))
        func status(_ request: HTTPRequest) async throws -> Int {
            try await transport.send(request, for: operation).value.status
        }
        #expect(try await status(HTTPRequest("GET", unknown)) == 299)
        #expect(try await status(HTTPRequest("GET", url, headers: ["If-None-Match": "‹upload.eTag›"])) == 299)
        #expect(reads.requests.isEmpty)
        #expect(try await status(HTTPRequest("GET", url, headers: ["client-request-id": "‹id›"])) == 204)
        let sent = try #require(reads.requests.first)
        #expect(sent.headers["client-request-id"]?.contains("‹") == false)
    }

    @Test func `bytes that are not known yet are named, also as Base64 in JSON`() throws {
        let url = try #require(URL(string: "https://graph.microsoft.com/v1.0/me"))
        let bytes = ExampleBytes.marked(Data("picture".utf8), as: "‹photo›")
        func planned(_ body: Data, _ type: String) -> PlannedBody? {
            PlannedBody(HTTPRequest("PUT", url, headers: ["Content-Type": type], body: body))
        }
        #expect(planned(bytes, "image/png") == .unknown("‹photo›", type: "image/png"))
        let content: Value = ["bytes": .string(bytes.base64EncodedString()), "name": "four", "none": ""]
        #expect(
            planned(content.jsonData(), "application/json")
                == .json(["bytes": "‹photo›", "name": "four", "none": ""]))
        #expect(ExampleBytes.symbol(of: Data("‹photo›".utf8)) == nil)
    }
}
