import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP

/// What sends https, libcurl or `URLSession`, behaves like plain HTTP over a socket.
@Suite struct NetworkTransportTests {
    enum Way: CaseIterable {
        case socket, library

        func transport(
            maximumResponseSize: Int = 1_000_000, clock: any PromiseClock = .patient
        ) -> NetworkTransport {
            NetworkTransport(
                maximumResponseSize: maximumResponseSize, clock: clock, isLibraryForAll: self == .library)
        }
    }

    private func operation(_ effect: Idempotency = .read, timeout: Duration = .seconds(900)) -> HTTPOperation {
        HTTPOperation(name: "test", effect: effect, timeout: timeout, example: HTTPResponse(status: 200))
    }

    private func failure(
        _ transport: NetworkTransport, _ request: HTTPRequest, _ operation: HTTPOperation
    ) async throws -> HTTPFailure {
        do {
            let answer = try await transport.send(request, for: operation).value
            Issue.record("answered \(answer.status)")
        } catch let failure as HTTPFailure {
            return failure
        }
        return HTTPFailure(phase: .notSent, reason: .badResponse, detail: "no failure")
    }

    @Test func `without a port plain HTTP goes to port 80`() async throws {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        do {
            _ = try await Way.socket.transport().send(HTTPRequest("GET", url), for: operation()).value
        } catch let failure as HTTPFailure where failure.reason == .cannotConnect {
            // Rarely a server listens there.
            #expect(failure.detail.hasPrefix("127.0.0.1, port 80: "))
        }
    }

    @Test(arguments: Way.allCases)
    func `sends the request as it is and gives the whole answer`(way: Way) async throws {
        let server = try ScriptedServer([
            .send("HTTP/1.1 201 Created\r\nX-Name: value\r\nContent-Length: 5\r\n\r\nhello")
        ])
        let request = HTTPRequest(
            "PUT", server.url, headers: ["Content-Type": "image/png", "If-Match": "*"], body: Data([1, 2, 3]))
        let answer = try await way.transport().send(request, for: operation(.idempotent)).value
        #expect(answer.status == 201)
        #expect(answer.headers["x-name"] == "value")
        #expect(answer.body == Data("hello".utf8))
        let asked = try #require(server.asked.first?.message)
        #expect(asked.method == "PUT")
        #expect(asked.body == Data([1, 2, 3]))
        #expect(asked.headers["Content-Type"] == "image/png")
        #expect(asked.headers["If-Match"] == "*")
        #expect(asked.headers["Cookie"] == nil)
    }

    @Test(
        arguments: Way.allCases,
        [
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n5\r\nab",
            "",
        ])
    func `an answer that breaks off is a lost connection and never a short success`(way: Way, bytes: String)
        async throws
    {
        let server = try ScriptedServer([.sendAndClose(bytes), .sendAndClose(bytes)])
        let failure = try await failure(way.transport(), HTTPRequest("GET", server.url), operation())
        #expect(failure.phase == .sent)
        #expect(failure.reason == .connectionLost)
    }

    /// libcurl takes it for a response without a body.
    @Test(
        arguments: Way.allCases,
        [
            "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\nHTTP",
            "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n",
        ])
    func `an answer that breaks off inside its head is a lost connection`(way: Way, bytes: String) async throws {
        let server = try ScriptedServer([.sendAndClose(bytes)])
        let failure = try await failure(way.transport(), HTTPRequest("GET", server.url), operation())
        #expect(failure.phase == .sent)
        #expect(failure.reason == .connectionLost)
    }

    @Test(
        arguments: Way.allCases,
        [
            "hello\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 99 X\r\n\r\n", "HTTP/1.1 1000 X\r\n\r\n",
            "HTTP/1.1 200 OK\r\n: x\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\nxyz", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nxyz",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nxyz",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        ])
    func `an answer that is not HTTP is a failure and not a crash`(way: Way, bytes: String) async throws {
        let server = try ScriptedServer([.sendAndClose(bytes)])
        let failure = try await failure(way.transport(), HTTPRequest("GET", server.url), operation())
        #expect(failure.phase == .sent)
        #expect([.badResponse, .connectionLost].contains(failure.reason))
    }

    @Test(
        arguments: Way.allCases,
        [
            ("HTTP/1.1 200 OK\r\n\r\nabc", "abc"), ("HTTP/1.0 200 OK\r\n\r\nabc", "abc"),
            ("HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\n\r\n", "abc"),
        ])
    func `every framing of a body is understood`(way: Way, answer: (bytes: String, body: String)) async throws {
        let server = try ScriptedServer([.sendAndClose(answer.bytes)])
        let response = try await way.transport().send(HTTPRequest("GET", server.url), for: operation()).value
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self) == answer.body)
    }

    @Test(arguments: Way.allCases)
    func `trailers behind a body are read over`(way: Way) async throws {
        let server = try ScriptedServer([
            .send("HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nc\r\n0\r\nT: x\r\n\r\n")
        ])
        let response = try await way.transport().send(HTTPRequest("GET", server.url), for: operation()).value
        #expect(response.body == Data("c".utf8))
        #expect(response.headers["T"] == nil)
    }

    @Test(arguments: Way.allCases)
    func `an answer of plain text is a bad response`(way: Way) async throws {
        let server = try ScriptedServer([.sendAndClose("hello\r\n\r\n")])
        let failure = try await failure(way.transport(), HTTPRequest("GET", server.url), operation())
        #expect(failure.phase == .sent)
        #expect(failure.reason == .badResponse)
    }

    @Test(arguments: Way.allCases)
    func `a refused connection was not sent`(way: Way) async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let failure = try await failure(way.transport(), HTTPRequest("POST", url, body: Data()), operation(.once))
        #expect(failure.phase == .notSent)
        #expect(failure.reason == .cannotConnect)
    }

    @Test(
        arguments: Way.allCases,
        [
            "http://example.com/", "http://127.0.0.1.example.com/", "http://128.0.0.1/", "ftp://127.0.0.1/",
            "file:///etc",
            "https:///x", "http://localhost.example.com/",
        ])
    func `nothing but https leaves this machine`(way: Way, address: String) async throws {
        let url = try #require(URL(string: address))
        let failure = try await failure(way.transport(), HTTPRequest("GET", url), operation())
        #expect(failure.phase == .notSent)
        #expect(failure.reason == .cannotConnect)
        #expect(failure.detail.contains("https"))
    }

    @Test(arguments: Way.allCases)
    func `a redirect is an answer and is not followed`(way: Way) async throws {
        let server = try ScriptedServer([
            .send("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 2\r\n\r\nno")
        ])
        let answer = try await way.transport().send(HTTPRequest("GET", server.url), for: operation()).value
        #expect(answer.status == 302)
        #expect(answer.headers["Location"] == "http://127.0.0.1:1/")
        #expect(server.asked.count == 1)
    }

    @Test(
        arguments: Way.allCases,
        [
            "Basic realm=\"x\"", "Bearer realm=\"\", error=\"invalid_token\"", "Digest realm=\"x\", nonce=\"y\"",
        ])
    func `a 401 is an answer, whatever it asks for`(way: Way, challenge: String) async throws {
        let server = try ScriptedServer([
            .send("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 2\r\n\r\nno")
        ])
        let answer = try await way.transport().send(HTTPRequest("GET", server.url), for: operation()).value
        #expect(answer.status == 401)
        #expect(answer.headers["WWW-Authenticate"] == challenge)
        #expect(answer.body == Data("no".utf8))
        #expect(server.asked.count == 1)
    }

    @Test(
        arguments: Way.allCases,
        [
            "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n0\r\n\r\n",
        ])
    func `an answer larger than allowed is a failure that says so`(way: Way, bytes: String) async throws {
        let server = try ScriptedServer([.send(bytes)])
        let failure = try await failure(
            way.transport(maximumResponseSize: 10), HTTPRequest("GET", server.url), operation())
        #expect(failure.phase == .sent)
        #expect(failure.reason == .tooLarge)
        #expect(failure.detail.contains("10 bytes"))
    }

    @Test(arguments: Way.allCases)
    func `an answer of just the size allowed is whole`(way: Way) async throws {
        let server = try ScriptedServer([.send("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world")])
        let answer = try await way.transport(maximumResponseSize: 11).send(
            HTTPRequest("GET", server.url), for: operation()
        ).value
        #expect(answer.body.count == 11)
    }

    @Test(arguments: Way.allCases)
    func `what a HEAD request would be answered with may be larger than allowed`(way: Way) async throws {
        let server = try ScriptedServer([.send("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n")])
        let answer = try await way.transport(maximumResponseSize: 10).send(
            HTTPRequest("HEAD", server.url), for: operation()
        ).value
        #expect(answer.headers["Content-Length"] == "11")
    }

    /// A request on a kept connection is sent again if that connection closes without an answer.
    @Test(arguments: Way.allCases)
    func `a request that must not happen twice goes over the wire once, also after others`(way: Way) async throws {
        let ok = ScriptedServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let server = try ScriptedServer([ok, ok, .sendAndClose("")])
        let transport = way.transport()
        _ = try await transport.send(HTTPRequest("GET", server.url), for: operation()).value
        _ = try await transport.send(HTTPRequest("POST", server.url, body: Data()), for: operation(.once)).value
        let request = HTTPRequest("POST", server.url, body: Data("mail".utf8))
        let failure = try await failure(transport, request, operation(.once))
        #expect(failure.phase == .sent)
        #expect(failure.reason == .connectionLost)
        #expect(server.asked.map(\.message.method) == ["GET", "POST", "POST"])
        #expect(Set(server.asked.map(\.connection)).count == 3)
    }

    @Test(arguments: Way.allCases, [Idempotency.read, .idempotent])
    func `requests that may be repeated share a connection`(way: Way, effect: Idempotency) async throws {
        let ok = ScriptedServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let server = try ScriptedServer([ok, ok])
        let transport = way.transport()
        let (request, operation) = (HTTPRequest("PUT", server.url, body: Data("x".utf8)), operation(effect))
        // At once, as libcurl keeps no connection for long: on a busy machine a task may have to wait for minutes.
        _ = try await transport.send(request, for: operation).then(on: nil) { _ in
            transport.send(request, for: operation)
        }.value
        #expect(server.asked.map(\.connection) == [1, 1])
    }

    @Test(arguments: Way.allCases, [Idempotency.read, .idempotent])
    func `if a kept connection is closed, what may be repeated is sent on a new one`(
        way: Way, effect: Idempotency
    ) async throws {
        let ok = ScriptedServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let server = try ScriptedServer([ok, .sendAndClose(""), ok])
        let transport = way.transport()
        let body = Data((0..<200_000).map { UInt8($0 % 251) })
        let (request, operation) = (HTTPRequest("PUT", server.url, body: body), operation(effect))
        let answer = transport.send(request, for: operation).then(on: nil) { _ in
            transport.send(request, for: operation)
        }
        #expect(try await answer.value.status == 200)
        #expect(server.asked.map(\.connection) == [1, 1, 2])
        #expect(server.asked.allSatisfy { $0.message.body == body })
    }

    @Test(
        arguments: Way.allCases,
        [
            "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: Close\r\n\r\n",
        ])
    func `a connection is not kept against the server's will`(way: Way, bytes: String) async throws {
        let server = try ScriptedServer([.send(bytes), .send(bytes)])
        let transport = way.transport()
        let (request, operation) = (HTTPRequest("GET", server.url), operation())
        _ = try await transport.send(request, for: operation).value
        _ = try await transport.send(request, for: operation).value
        #expect(server.asked.map(\.connection) == [1, 2])
    }

    @Test func `a connection on which more arrives than the answer is not kept`() async throws {
        let bytes = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
        let server = try ScriptedServer([.send(bytes), .send(bytes)])
        let transport = Way.socket.transport()
        let (request, operation) = (HTTPRequest("GET", server.url), operation())
        #expect(try await transport.send(request, for: operation).value.status == 200)
        #expect(try await transport.send(request, for: operation).value.status == 200)
        #expect(server.asked.map(\.connection) == [1, 2])
    }

    @Test(arguments: Way.allCases)
    func `many requests at once get their own answers`(way: Way) async throws {
        let listener = try LoopbackListener(port: 0, bodyLimit: { _ in 0 }) { request in
            (HTTPResponse(status: 200, body: Data(request.url.path().utf8)), .whole)
        }
        listener.run()
        defer { listener.stop() }
        let transport = way.transport()
        let requests = try (0..<200).map { index in
            HTTPRequest("GET", try #require(URL(string: "http://127.0.0.1:\(listener.port)/\(index)")))
        }
        let answers = try await when(fulfilled: requests.map { transport.send($0, for: operation()) }).value
        #expect(answers.map { String(decoding: $0.body, as: UTF8.self) } == (0..<200).map { "/\($0)" })
    }

    @Test(arguments: Way.allCases)
    func `a response to HEAD has no body, and one with status 204 or 304 neither`(way: Way) async throws {
        let head = "Content-Length: 5\r\n\r\n"
        let server = try ScriptedServer(
            ["200 OK", "204 No Content", "304 Not Modified"].map { .sendAndClose("HTTP/1.1 \($0)\r\n\(head)") })
        let transport = way.transport()
        for (method, status) in [("HEAD", 200), ("GET", 204), ("GET", 304)] {
            let response = try await transport.send(HTTPRequest(method, server.url), for: operation()).value
            #expect(response.status == status)
            #expect(response.body.isEmpty)
        }
    }

    @Test(arguments: Way.allCases)
    func `a server that changes the protocol is refused`(way: Way) async throws {
        let server = try ScriptedServer([.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")])
        let failure = try await failure(way.transport(), HTTPRequest("GET", server.url), operation())
        #expect(failure.phase == .sent)
        #expect(failure.reason == .badResponse)
    }

    @Test(
        arguments: Way.allCases,
        [
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 300_000),
            "HTTP/1.1 200 OK\r\n" + String(repeating: "X: \(String(repeating: "x", count: 990))\r\n", count: 270),
            String(
                repeating: "HTTP/1.1 103 Early Hints\r\nX: \(String(repeating: "x", count: 990))\r\n\r\n", count: 300),
        ])
    func `a head without end is refused`(way: Way, bytes: String) async throws {
        let server = try ScriptedServer([.send(bytes)])
        let failure = try await failure(way.transport(), HTTPRequest("GET", server.url), operation())
        #expect(failure.phase == .sent)
        #expect(failure.reason == .tooLarge)
    }

    @Test(arguments: Way.allCases)
    func `fields are sent as they are, without a line break inside and without any that was not asked for`(
        way: Way
    ) async throws {
        let server = try ScriptedServer([.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")])
        let headers: HTTPHeaders = ["X-Empty": "", "X-Break": "a\r\nX-Other: b", "X-Comma": "a, b"]
        let body = Data(repeating: 120, count: 2_000_000)
        _ = try await way.transport().send(
            HTTPRequest("PATCH", server.url, headers: headers, body: body), for: operation(.once)
        ).value
        let asked = try #require(server.asked.first?.message)
        #expect(asked.method == "PATCH")
        #expect(asked.target == "/path")
        #expect(asked.body == body)
        #expect(asked.headers["X-Empty"]?.isEmpty == true)
        #expect(asked.headers["X-Break"]?.contains("X-Other") == true)
        #expect(asked.headers["X-Comma"] == "a, b")
        let own: Set = ["X-Empty", "X-Break", "X-Comma", "Host", "Content-Length", "Connection", "Accept-Encoding"]
        #expect(Set(asked.headers.fields.map(\.name)).isSubset(of: own))
    }

    @Test(arguments: Way.allCases)
    func `the deadline is kept by the clock that is given`(way: Way) async throws {
        let clock = HandClock()
        let server = try ScriptedServer([.keepSilent], onRequest: { clock.fire() })
        let failure = try await failure(
            way.transport(clock: clock), HTTPRequest("GET", server.url), operation(timeout: .milliseconds(1500)))
        #expect(failure.phase == .sent)
        #expect(failure.reason == .timedOut)
        #expect(clock.delays == [.milliseconds(1500)])
    }

    @Test(arguments: Way.allCases)
    func `what is cancelled before a byte was sent was not sent`(way: Way) async throws {
        let server = try ScriptedServer([])
        let promise = way.transport(clock: HandClock(firesAtOnce: true)).send(
            HTTPRequest("GET", server.url), for: operation())
        let failure = await #expect(throws: HTTPFailure.self) { try await promise.value }
        #expect(failure?.phase == .notSent)
        #expect(failure?.reason == .timedOut)
        #expect(server.asked.isEmpty)
    }

    @Test(arguments: Way.allCases)
    func `cancelling ends the request`(way: Way) async throws {
        let (asked, continuation) = AsyncStream<Void>.makeStream()
        let server = try ScriptedServer([.keepSilent], onRequest: { continuation.yield() })
        let promise = way.transport().send(HTTPRequest("GET", server.url), for: operation())
        for await _ in asked { break }
        promise.cancel()
        await #expect(throws: (any Error).self) { try await promise.value }
    }
}

/// A clock that ends its waits when a test says so.
private final class HandClock: PromiseClock {
    private struct State {
        var delays: [Duration] = []
        var work: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())
    private let firesAtOnce: Bool

    init(firesAtOnce: Bool = false) { self.firesAtOnce = firesAtOnce }

    var now: Duration { .zero }
    var delays: [Duration] { state.withLock { $0.delays } }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        state.withLock { state in
            state.delays.append(delay)
            state.work.append(work)
        }
        if firesAtOnce { work() }
        return ScheduledWork {}
    }

    func fire() { state.withLock { $0.work }.forEach { $0() } }
}
