import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Calls over a real socket, to servers that misbehave.
@Suite struct HTTPCallNetworkTests {
    private func call(_ server: ScriptedServer, _ method: String = "get", _ more: String = "") -> String {
        "{ call: http, with: { method: \(method), endpoint: '\(server.url.absoluteString)' }\(more) }"
    }

    @Test func `a request goes over the wire and its answer comes back`() async throws {
        let server = try ScriptedServer([
            .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{\"id\":1}")
        ])
        let output = try await CallFixture(NetworkTransport(clock: .patient), clock: .patient).output(
            call(server, "post"))
        #expect(output == ["id": 1])
        let message = try #require(server.asked.first?.message)
        #expect(message.headers["Authorization"] == nil)
        #expect(message.headers["User-Agent"]?.hasPrefix("graphflow/") == true)
    }

    @Test(arguments: ["get", "post"])
    func `a timeout aborts a request that is never answered, and is a timeout`(method: String) async throws {
        let clock = ManualClock()
        let server = try ScriptedServer([.keepSilent], onRequest: { clock.advance(by: .seconds(2)) })
        let error = await CallFixture(NetworkTransport(clock: clock), clock: clock).error(
            call(server, method, ", timeout: { after: { seconds: 2 } }"))
        #expect(error?.is(.timeout) == true)
        #expect(error?.status == 408)
        #expect(error?.detail?.contains("may have been processed") == (method == "post"))
    }

    @Test func `a server that never answers does not hold a run for ever`() async throws {
        let clock = ManualClock()
        let server = try ScriptedServer([.keepSilent], onRequest: { clock.advance(by: .seconds(300)) })
        let error = await CallFixture(NetworkTransport(clock: clock), clock: clock).error(call(server))
        #expect(error?.is(.communication) == true)
        #expect(error?.status == 504)
        #expect(error?.detail?.contains("'timeout'") == true)
    }

    @Test func `a huge answer is broken off before it fills the memory`() async throws {
        let server = try ScriptedServer([
            .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n[")
        ])
        let error = await CallFixture(NetworkTransport(clock: .patient), clock: .patient).error(call(server))
        #expect(error?.is(.communication) == true)
        #expect(error?.detail?.contains("larger than 64000000 bytes") == true)
    }

    /// A server that gives bytes of this type, and keeps those that it gets.
    private func listener(
        _ bytes: Data, type: String, taken: Locked<Data?> = Locked(nil)
    ) throws -> LoopbackListener {
        let listener = try LoopbackListener(port: 0, bodyLimit: { _ in 10_000_000 }) { request in
            guard request.method == "GET" else {
                taken.withLock { $0 = request.body }
                return (HTTPResponse(status: 200), .whole)
            }
            return (HTTPResponse(status: 200, headers: ["Content-Type": type], body: bytes), .whole)
        }
        listener.run()
        return listener
    }

    private static let large = Data((0..<3_000_000).map { UInt8($0 % 251) })

    @Test func `bytes that are too large for memory are a blob, which another call sends`() async throws {
        let taken = Locked<Data?>(nil)
        let listener = try listener(Self.large, type: "video/mp4", taken: taken)
        defer { listener.stop() }
        let address = "http://127.0.0.1:\(listener.port)/"
        let transport = NetworkTransport(maximumResponseSize: 1_000_000, clock: .patient)
        let output = try await CallFixture(transport, clock: .patient).runner.run(
            try Workflow(
                tasks: """
                    - get: { call: http, with: { method: get, endpoint: '\(address)' }, export: { as: . } }
                    - put: { call: http, with: { method: put, endpoint: '\(address)', body: "${ . }" } }
                    - result: { set: "${ $context }" }
                    """)
        ).value
        #expect(output["blob"]?.string == "sha256:\(SHA256.hex(of: Self.large))")
        #expect(output["contentType"] == "video/mp4")
        #expect(output["size"] == .integer(Self.large.count))
        #expect(taken.withLock { $0 } == Self.large)
    }

    @Test(arguments: [("application/json", ""), ("text/csv", ""), ("", ""), ("video/mp4", ", output: raw")])
    func `what has to be data has to fit into memory`(type: String, more: String) async throws {
        let listener = try listener(Self.large, type: type)
        defer { listener.stop() }
        let transport = NetworkTransport(maximumResponseSize: 1_000_000, clock: .patient)
        let error = await CallFixture(transport, clock: .patient).error(
            "{ call: http, with: { method: get, endpoint: 'http://127.0.0.1:\(listener.port)/'\(more) } }")
        #expect(error?.is(.communication) == true)
        #expect(error?.detail?.contains("larger than 1000000 bytes") == true)
    }

    @Test func `nobody listens`() async throws {
        let error = await CallFixture(NetworkTransport(clock: .patient), clock: .patient).error(
            "{ call: http, with: { method: get, endpoint: http://127.0.0.1:1/ } }")
        #expect(error?.is(.communication) == true)
        #expect(error?.status == 503)
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "nonsense\r\n\r\n", ""])
    func `an answer that breaks off or is not HTTP is an error of communication`(bytes: String) async throws {
        let server = try ScriptedServer([.sendAndClose(bytes)])
        let error = await CallFixture(NetworkTransport(clock: .patient), clock: .patient).error(call(server))
        #expect(error?.is(.communication) == true)
        #expect(error?.status == 502)
    }
}
