import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// CloudEvents 1.0.2, HTTP protocol binding, over its own socket.
@Suite struct EventServerTests {
    private func post(
        _ body: String, _ headers: HTTPHeaders, method: String = "POST"
    ) async throws -> (status: Int, body: String, bus: EventBus) {
        let bus = EventBus()
        let server = EventServer(bus)
        let port = try server.start()
        defer { server.stop() }
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        let request = HTTPRequest(method, url, headers: headers, body: method == "GET" ? nil : Data(body.utf8))
        let operation = HTTPOperation(name: "event", effect: .once, example: HTTPResponse(status: 202))
        let response = try await NetworkTransport(clock: .patient).send(request, for: operation).value
        return (response.status, String(decoding: response.body, as: UTF8.self), bus)
    }

    private static let event =
        #"{"specversion":"1.0","id":"1","source":"https://example.com","type":"t","data":{"a":1}}"#

    @Test func `an event in structured mode is taken`() async throws {
        let answer = try await post(Self.event, ["Content-Type": "application/cloudevents+json; charset=utf-8"])
        #expect(answer.status == 202)
        #expect(answer.bus.event(from: 0)?.event.data == ["a": 1])
    }

    @Test func `an event in binary mode is taken`() async throws {
        let headers: HTTPHeaders = [
            "ce-specversion": "1.0", "ce-id": "1", "ce-source": "s", "ce-type": "t", "Content-Type": "application/json",
        ]
        let answer = try await post("[1]", headers)
        #expect(answer.status == 202)
        #expect(answer.bus.event(from: 0)?.event.data == [1])
    }

    @Test func `a batch is taken whole or not at all`() async throws {
        let type: HTTPHeaders = ["Content-Type": "application/cloudevents-batch+json"]
        let good = try await post("[\(Self.event),\(Self.event)]", type)
        #expect(good.status == 202)
        #expect(good.bus.end == 2)
        let bad = try await post("[\(Self.event),{}]", type)
        #expect(bad.status == 400)
        #expect(bad.bus.end == 0)
    }

    @Test(arguments: [
        ("{", "application/cloudevents+json", 400, "the body is not JSON"),
        ("{}", "application/cloudevents+json", 400, "the event's 'specversion' must be '1.0'"),
        ("{}", "application/cloudevents-batch+json", 400, "a batch of events must be an array"),
        ("{}", "text/plain", 415, "send 'application/cloudevents+json'"),
    ])
    func `what is no event is refused with what is wrong`(
        body: String, type: String, status: Int, message: String
    ) async throws {
        let answer = try await post(body, ["Content-Type": type])
        #expect(answer.status == status)
        #expect(answer.body.contains(message))
        #expect(answer.bus.end == 0)
    }

    @Test func `nothing but a post is answered`() async throws {
        #expect(try await post("", [:], method: "GET").status == 405)
    }

    @Test func `a port that is taken at one of the two addresses is refused`() throws {
        let taken = try LoopbackSocket.listening(.ipv6, port: 0)
        defer { taken.close() }
        let server = EventServer(EventBus())
        #expect(throws: EventServer.StartError.self) { try server.start(port: taken.port) }
    }
}
