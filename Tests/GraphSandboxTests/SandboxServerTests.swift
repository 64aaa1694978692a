import Foundation
import Testing

@testable import GraphSandbox

/// The server with clients that speak HTTP badly, slowly or not at all.
@Suite struct SandboxServerTests {
    private static let get = "GET /v1.0/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n"

    private func withServer(_ body: (Sandbox, UInt16) async throws -> Void) async throws {
        let sandbox = Sandbox()
        let server = SandboxServer(sandbox)
        let port = try server.start()
        defer { server.stop() }
        try await body(sandbox, UInt16(port))
    }

    /// Everything that the server sends in answer to these bytes until it closes or an answer ends in the mark.
    private func talk(_ port: UInt16, _ text: String, until mark: String? = nil) throws -> String {
        let socket = try LoopbackSocket.connected(to: HostName("127.0.0.1"), port: port)
        defer { socket.close() }
        _ = socket.send(Data(text.utf8), patience: .seconds(900))
        var answer: [UInt8] = []
        while let bytes = socket.receive() {
            answer += bytes
            if let mark, String(decoding: answer, as: UTF8.self).contains(mark) { break }
        }
        return String(decoding: answer, as: UTF8.self)
    }

    @Test(arguments: [
        "HELLO\r\n\r\n", "\0\0\0\0\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2.0\r\nHost: localhost\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "get{} / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", "GET x HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n", "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n", "GET / HTTP/1.1\nHost: localhost\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: +1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
    ])
    func `a malformed request is 400 and ends the connection`(text: String) async throws {
        try await withServer { (sandbox, port) async throws in
            let answer = try talk(port, text)
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
            #expect(answer.contains("Connection: close"))
            #expect(sandbox.requests.isEmpty)
            #expect(try talk(port, Self.get + "Connection: close\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `more header fields than 64 KB are 431 and a body of more than 250 MB is 413`() async throws {
        try await withServer { (_, port) async throws in
            let long = try talk(port, Self.get + "X: \(String(repeating: "x", count: 70_000))\r\n\r\n")
            #expect(long.hasPrefix("HTTP/1.1 431 "))
            let endless = try talk(port, String(repeating: "x", count: 70_000))
            #expect(endless.hasPrefix("HTTP/1.1 431 "))
            let large = try talk(port, "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 262144001\r\n\r\n")
            #expect(large.hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test(arguments: [
        "example.com", "example.com:80", "127.0.0.1.example.com", "localhost.example.com", "localhost:80@example.com",
        "[::2]", "", "127.0.0.2", "localhost:x", "[::1]x",
    ])
    func `a request under another name is refused, as a page of the web may have led a browser here`(
        host: String
    ) async throws {
        try await withServer { (sandbox, port) async throws in
            let answer = try talk(port, "GET /sandbox/requests HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 421 "))
            #expect(sandbox.requests.isEmpty)
        }
    }

    @Test(arguments: ["localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8080"])
    func `this machine's names are served`(host: String) async throws {
        try await withServer { (_, port) async throws in
            let answer = try talk(
                port, "GET /v1.0/me HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test func `requests follow one another on a connection, also sent at once`() async throws {
        try await withServer { (sandbox, port) async throws in
            let text = Self.get + "\r\n" + Self.get + "\r\n\r\n" + Self.get + "Connection: close\r\n\r\n"
            let answer = try talk(port, text)
            #expect(answer.components(separatedBy: "HTTP/1.1 200 OK").count == 4)
            #expect(sandbox.requests.count == 3)
        }
    }

    @Test func `a client of HTTP 1.0 is answered and the connection ends`() async throws {
        try await withServer { (_, port) async throws in
            let answer = try talk(port, "GET /v1.0/me HTTP/1.0\r\nAuthorization: Bearer x\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
        }
    }

    @Test func `a body in chunks is put together`() async throws {
        try await withServer { (sandbox, port) async throws in
            let answer = try talk(
                port,
                "PUT /v1.0/me/drive/root:/x.txt:/content HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n"
                    + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                    + "5;name=value\r\nhello\r\nA\r\n, world!!!\r\n0\r\nTrailer: x\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 201 "))
            #expect(sandbox.drive.map(\.content) == [Data("hello, world!!!".utf8)])
        }
    }

    @Test func `a client that waits for a sign before its body gets one`() async throws {
        try await withServer { (sandbox, port) async throws in
            let socket = try LoopbackSocket.connected(to: HostName("127.0.0.1"), port: port)
            defer { socket.close() }
            let head =
                "PUT /v1.0/me/drive/root:/x.txt:/content HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n"
                + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n"
            _ = socket.send(Data(head.utf8), patience: .seconds(900))
            #expect(String(decoding: socket.receive() ?? [], as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
            _ = socket.send(Data("hello".utf8), patience: .seconds(900))
            #expect(String(decoding: socket.receive() ?? [], as: UTF8.self).hasPrefix("HTTP/1.1 201 "))
            #expect(sandbox.drive.map(\.size) == [5])
        }
    }

    @Test func `bytes may come one by one`() async throws {
        try await withServer { (_, port) async throws in
            let socket = try LoopbackSocket.connected(to: HostName("127.0.0.1"), port: port)
            defer { socket.close() }
            for byte in (Self.get + "\r\n").utf8 { _ = socket.send(Data([byte]), patience: .seconds(900)) }
            #expect(String(decoding: socket.receive() ?? [], as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `two hundred silent clients do not keep another one out`() async throws {
        try await withServer { (_, port) async throws in
            var silent: [LoopbackSocket] = []
            defer { silent.forEach { $0.close() } }
            for _ in 0..<200 {
                let socket = try LoopbackSocket.connected(to: HostName("127.0.0.1"), port: port)
                _ = socket.send(Data("GET / HT".utf8), patience: .seconds(900))
                silent.append(socket)
            }
            #expect(try talk(port, Self.get + "Connection: close\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            // The connection that was idle longest is closed.
            #expect(silent[0].waitToRead(for: .seconds(900)) == .ready)
            #expect(silent[0].receive() == nil)
        }
    }

    @Test func `clients that go away in the middle do no harm`() async throws {
        try await withServer { (sandbox, port) async throws in
            for _ in 0..<20 {
                let socket = try LoopbackSocket.connected(to: HostName("127.0.0.1"), port: port)
                _ = socket.send(
                    Data(
                        "PUT /v1.0/me/drive/root:/x:/content HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx"
                            .utf8),
                    patience: .seconds(900))
                socket.close()
            }
            #expect(try talk(port, Self.get + "Connection: close\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            #expect(sandbox.drive.isEmpty)
        }
    }

    @Test func `a HEAD of a page has its length and no body`() async throws {
        try await withServer { (_, port) async throws in
            let answer = try talk(port, "HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
            #expect(answer.hasSuffix("\r\n\r\n"))
            #expect(!answer.contains("Content-Length: 0"))
        }
    }

    @Test func `a truncated answer has half of its body and its whole length`() async throws {
        let sandbox = Sandbox(faults: [try Sandbox.Fault(parsing: "GET /me truncate")])
        let server = SandboxServer(sandbox)
        let port = UInt16(try server.start())
        defer { server.stop() }
        let parts = try talk(port, Self.get + "\r\n").components(separatedBy: "\r\n\r\n")
        #expect(parts.count == 2)
        let length = try #require(
            parts[0].components(separatedBy: "Content-Length: ").last.flatMap {
                Int($0.prefix { $0.isNumber })
            })
        #expect(parts[1].utf8.count == length / 2)
    }

    @Test func `a port that is taken or is none is an error in words`() throws {
        let first = SandboxServer(Sandbox())
        let port = try first.start()
        defer { first.stop() }
        let taken = #expect(throws: SandboxServer.StartError.self) { try SandboxServer(Sandbox()).start(port: port) }
        #expect(taken?.description == "port \(port) is in use")
        let twice = #expect(throws: SandboxServer.StartError.self) { try first.start() }
        #expect(twice?.description == "the server runs already")
        let wrong = #expect(throws: SandboxServer.StartError.self) { try SandboxServer(Sandbox()).start(port: 70_000) }
        #expect(wrong?.description.contains("70000 is not a port") == true)
    }

    @Test func `it listens at ::1 too and ends its connections when it stops`() throws {
        let server = SandboxServer(Sandbox())
        let port = UInt16(try server.start())
        let socket = try LoopbackSocket.connected(to: HostName("::1"), port: port)
        defer { socket.close() }
        _ = socket.send(Data((Self.get + "\r\n").utf8), patience: .seconds(900))
        #expect(socket.receive() != nil)
        server.stop()
        #expect(socket.receive() == nil)
    }
}
