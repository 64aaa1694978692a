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

    @Test(arguments: [
        (
            ScriptedTransport.Reply.json(#"{"size":12,"lastModifiedDateTime":"2026-01-02T03:04:05Z"}"#),
            PlannedRequest.Existing.file(size: 12, changedAt: "2026-01-02T03:04:05Z")
        ),
        (.status(404), .nothing), (.status(503), .unknown("the response had status 503")),
        (.lost(), .unknown(HTTPFailure.Reason.connectionLost.words)),
    ])
    func `a plan asks whether a file that would be replaced exists`(
        reply: ScriptedTransport.Reply, existing: PlannedRequest.Existing
    ) async throws {
        let reads = ScriptedTransport(reply)
        let transport = PlanningTransport(reading: reads)
        try await upload(to: "a.txt", by: transport)
        #expect(transport.requests.map(\.existing) == [existing])
        #expect(reads.requests.map(\.method) == ["GET"])
        #expect(reads.operations.map(\.effect) == [.read])
    }

    @Test func `a plan does not ask for a file whose path is not known yet`() async throws {
        let reads = ScriptedTransport()
        let transport = PlanningTransport(reading: reads)
        try await upload(to: "%E2%80%B9name%E2%80%BA", by: transport)
        #expect(
            transport.requests.map(\.existing) == [.unknown("the path is known only when the workflow runs")])
        #expect(reads.requests.isEmpty)
    }

    private func upload(to path: String, by transport: PlanningTransport) async throws {
        let url = try #require(URL(string: "https://graph.microsoft.com/v1.0/me/drive/root:/\(path)"))
        var operation = HTTPOperation(name: "upload", effect: .idempotent, example: HTTPResponse(status: 201))
        operation.target = .file(path: path, replaces: true, address: url)
        let request = HTTPRequest("PUT", url.appending(path: "content"), body: Data("x".utf8))
        #expect(try await transport.send(request, for: operation).value.status == 201)
    }

    @Test(arguments: [
        ("OneDrive", "https://graph.microsoft.com/v1.0/me/drive", "OneDrive"),
        (nil, "https://graph.microsoft.com/v1.0/me/drive", "graph.microsoft.com"),
        (nil, "%E2%80%B9input.address%E2%80%BA", "‹input.address›"),
    ])
    func `a planned request names its service, else its host, else its unknown address`(
        service: String?, address: String, shown: String
    ) throws {
        var operation = HTTPOperation(name: "test", effect: .once, example: HTTPResponse(status: 200))
        operation.service = service
        let request = HTTPRequest("POST", try #require(URL(string: address)))
        #expect(PlannedRequest(request, for: operation).service == shown)
    }

    @Test func `long Base64 in a planned body is described, and short Base64 is shown`() throws {
        let url = try #require(URL(string: "https://graph.microsoft.com/v1.0/me"))
        let (short, long) = (Data(repeating: 0x61, count: 100), Data(repeating: 0x61, count: 300))
        let content: Value = [
            "short": .string(short.base64EncodedString()), "long": [.string(long.base64EncodedString())],
            "text": .string(String(repeating: "word ", count: 100)),
        ]
        let request = HTTPRequest(
            "POST", url, headers: ["Content-Type": "application/json"], body: content.jsonData())
        let shown: Value = [
            "short": .string(short.base64EncodedString()),
            "long": [.string("base64 of text/plain, 300 bytes, sha256:\(SHA256.hex(of: long))")],
            "text": .string(String(repeating: "word ", count: 100)),
        ]
        let operation = HTTPOperation(name: "test", effect: .once, example: HTTPResponse(status: 200))
        #expect(PlannedRequest(request, for: operation).bodyDescription == shown.json(pretty: true))
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
        for size in 300...303 {
            let long = ExampleBytes.marked(Data(repeating: 0x61, count: size), as: "‹photo›").base64EncodedString()
            #expect(
                planned(Value.object(["bytes": .string(long)]).jsonData(), "application/json")
                    == .json(["bytes": "‹photo›"]))
        }
    }
}
