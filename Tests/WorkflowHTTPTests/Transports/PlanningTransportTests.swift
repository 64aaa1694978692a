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
        let token = transport.unknowns.token(for: Unknown("upload.id"))
        let unknown = try #require(URL(string: "https://graph.microsoft.com/v1.0/items/\(token)"))
        let operation = HTTPOperation(name: "read", effect: .read, example: HTTPResponse(status: 299))
        func status(_ request: HTTPRequest) async throws -> Int {
            try await transport.send(request, for: operation).value.status
        }
        #expect(try await status(HTTPRequest("GET", unknown)) == 299)
        #expect(try await status(HTTPRequest("GET", url, headers: ["If-None-Match": token])) == 299)
        #expect(reads.requests.isEmpty)
        #expect(try await status(HTTPRequest("GET", url, headers: ["client-request-id": token])) == 204)
        let sent = try #require(reads.requests.first)
        #expect(sent.headers["client-request-id"] != token)
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
        try await upload(to: transport.unknowns.token(for: Unknown("name")), by: transport)
        #expect(
            transport.requests.map(\.existing) == [.unknown("the path is only known at run time")])
        #expect(reads.requests.isEmpty)
    }

    private func upload(to path: String, by transport: PlanningTransport) async throws {
        let url = try #require(URL(string: "https://graph.microsoft.com/v1.0/me/drive/root:/\(path)"))
        var operation = HTTPOperation(name: "upload", effect: .idempotent, example: HTTPResponse(status: 201))
        operation.replaced = url
        let request = HTTPRequest("PUT", url.appending(path: "content"), body: Data("x".utf8))
        #expect(try await transport.send(request, for: operation).value.status == 201)
    }

    @Test(arguments: [
        ("OneDrive", "https://graph.microsoft.com/v1.0/me/drive", "OneDrive"),
        (nil, "https://graph.microsoft.com/v1.0/me/drive", "graph.microsoft.com"),
        (nil, "unknown", "‹input.address›"),
    ])
    func `a planned request names its service, else its host, else its unknown address`(
        service: String?, address: String, shown: String
    ) throws {
        var operation = HTTPOperation(name: "test", effect: .once, example: HTTPResponse(status: 200))
        operation.service = service
        let unknowns = UnknownTokens()
        let token = unknowns.token(for: Unknown("input.address"))
        let request = HTTPRequest("POST", try #require(URL(string: address == "unknown" ? token : address)))
        #expect(PlannedRequest(request, for: operation, unknowns).service == shown)
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
        #expect(PlannedRequest(request, for: operation, UnknownTokens()).bodyDescription == shown.json(pretty: true))
    }

    @Test func `bytes that are not known yet are named, also as Base64 in JSON`() throws {
        let url = try #require(URL(string: "https://graph.microsoft.com/v1.0/me"))
        let unknowns = UnknownTokens()
        let photo = Unknown("photo")
        let bytes = UnknownTokens.example(Data("picture".utf8), token: unknowns.token(for: photo))
        func planned(_ body: Data, _ type: String) -> PlannedBody? {
            PlannedBody(HTTPRequest("PUT", url, headers: ["Content-Type": type], body: body), unknowns)
        }
        #expect(planned(bytes, "image/png") == .unknown(.unknown(photo), type: "image/png"))
        let content: Value = ["bytes": .string(bytes.base64EncodedString()), "name": "four", "none": ""]
        #expect(
            planned(content.jsonData(), "application/json")
                == .json(["bytes": .unknown(photo), "name": "four", "none": ""]))
        #expect(unknowns.example(of: Data("‹photo›".utf8)) == nil)
        for size in 300...303 {
            let long = UnknownTokens.example(Data(repeating: 0x61, count: size), token: unknowns.token(for: photo))
            let body = Value.object(["bytes": .string(long.base64EncodedString())])
            #expect(planned(body.jsonData(), "application/json") == .json(["bytes": .unknown(photo)]))
        }
    }

    @Test func `a text that looks like a drawing is text, and shown as such`() throws {
        let transport = PlanningTransport()
        let url = try #require(URL(string: "https://graph.microsoft.com/v1.0/me?name=%E2%80%B9Bob%E2%80%BA"))
        let operation = HTTPOperation(name: "write", effect: .once, example: HTTPResponse(status: 200))
        let body = Value.object(["to": "‹Bob›", "id": .string(transport.unknowns.token(for: Unknown("upload.id")))])
        _ = transport.send(
            HTTPRequest("POST", url, headers: ["Content-Type": "application/json"], body: body.jsonData()),
            for: operation)
        let planned = try #require(transport.requests.first)
        #expect(planned.body?.drawn == #"{"to":"‹‹›Bob‹››","id":"‹upload.id›"}"#)
        #expect(planned.address.hasSuffix("?name=%E2%80%B9Bob%E2%80%BA"))
    }
}
