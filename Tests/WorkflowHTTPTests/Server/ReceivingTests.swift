import Essentials
import Foundation
import Testing

@testable import WorkflowHTTP

/// Who may use a service, and how much of it one client can take from others.
struct ReceivingTests {
    private static let token = "0123456789abcdef0123456789abcdef"

    private func file(_ text: String, mode: Int = 0o600) throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID().uuidString)").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private func answer(of listener: LoopbackListener, to text: String) throws -> String {
        let socket = try LoopbackSocket.connected(to: HostName("127.0.0.1"), port: listener.port)
        defer { socket.close() }
        #expect(socket.send(Data(text.utf8), patience: .seconds(900)))
        return String(decoding: socket.receive() ?? [], as: UTF8.self)
    }

    @Test(arguments: [
        ("127.0.0.1:8080", true), ("8080", true), ("localhost:8080", true), ("[::1]:8080", true),
        ("127.1.2.3:80", true),
        ("0.0.0.0:80", false), ("[::]:80", false), ("10.0.0.1:0", false),
    ])
    func `an address says whether only this machine reaches it`(text: String, isLoopback: Bool) {
        #expect(ListeningAddress(text)?.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "", ":80", "example.com:80", "::1:80", "127.0.0.1:", "127.0.0.1:65536", "10.0.0:1", "[::1]", "[x]:1",
    ])
    func `what is no address is refused`(text: String) { #expect(ListeningAddress(text) == nil) }

    @Test func `a request is admitted by one of the tokens, whole`() throws {
        let path = try file("\(Self.token)\n\n  second-token-of-the-file \r\n")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let tokens = try BearerTokens(file: path)
        let url = try #require(URL(string: "http://localhost/"))
        func admits(_ field: String?) -> Bool {
            tokens.admit(HTTPRequest("GET", url, headers: field.map { ["Authorization": $0] } ?? [:]))
        }
        #expect(admits("Bearer \(Self.token)") && admits("bearer second-token-of-the-file"))
        for field in [
            nil, "", "Bearer", "Bearer ", "Bearer \(Self.token)x", "Bearer \(Self.token.dropLast())",
            "Basic \(Self.token)", "Bearer a \(Self.token)",
        ] {
            #expect(!admits(field), "\(field ?? "no field")")
        }
    }

    @Test(arguments: [
        ("", 0o600), ("\n \n", 0o600), ("short", 0o600), ("0123456789abcdef\u{1}", 0o600), (token, 0o644),
        (token, 0o620),
    ])
    func `a file without tokens, with one that can be guessed, or that others may read is refused`(
        text: String, mode: Int
    ) throws {
        let path = try file(text, mode: mode)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: SystemError.self) { try BearerTokens(file: path) }
    }

    @Test(arguments: ["\r\n", "Content-Length: 5\r\n\r\n", "Content-Length: 5\r\n\r\nhello"])
    func `a request is refused by its head, whether or not its body has come`(rest: String) throws {
        let listener = try LoopbackListener(
            at: .loopback(port: 0), refusal: { _ in HTTPResponse(status: 401) }, bodyLimit: { _ in 100 }
        ) { _ in (HTTPResponse(status: 204), .whole) }
        listener.run()
        defer { listener.stop() }
        #expect(
            try answer(of: listener, to: "PUT / HTTP/1.1\r\nHost: localhost\r\n\(rest)").hasPrefix("HTTP/1.1 401 "))
    }

    @Test func `a service with tokens answers whatever host a proxy names`() throws {
        let listener = try LoopbackListener(
            at: #require(ListeningAddress("127.0.0.2:0")), servesAnyHost: true, bodyLimit: { _ in 0 }
        ) { _ in (HTTPResponse(status: 204), .whole) }
        listener.run()
        defer { listener.stop() }
        let socket = try LoopbackSocket.connected(to: HostName("127.0.0.2"), port: listener.port)
        defer { socket.close() }
        let request = Data("GET / HTTP/1.1\r\nHost: flows.example.com\r\n\r\n".utf8)
        #expect(socket.send(request, patience: .seconds(900)))
        #expect(String(decoding: socket.receive() ?? [], as: UTF8.self).hasPrefix("HTTP/1.1 204 "))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: lo", "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1234",
    ])
    func `a request that arrives too slowly is cut off`(part: String) throws {
        var limits = LoopbackListener.Limits()
        limits.patience = .zero
        let listener = try LoopbackListener(port: 0, bodyLimit: { _ in 100 }, limits: limits) { _ in
            (HTTPResponse(status: 204), .whole)
        }
        listener.run()
        defer { listener.stop() }
        #expect(try answer(of: listener, to: part).hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
    }

    @Test func `a client for whom a service has no connection is told so, and the others stay`() throws {
        let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var limits = LoopbackListener.Limits.service
        limits.connections = 1
        let listener = try LoopbackListener(port: 0, bodyLimit: { _ in 100 }, limits: limits) { _ in
            begun.signal()
            mayEnd.wait()
            return (HTTPResponse(status: 204), .whole)
        }
        listener.run()
        defer { listener.stop() }
        let get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let first = try LoopbackSocket.connected(to: HostName("127.0.0.1"), port: listener.port)
        defer { first.close() }
        #expect(first.send(Data(get.utf8), patience: .seconds(900)))
        begun.wait()
        let refusal = try answer(of: listener, to: get)
        #expect(refusal.hasPrefix("HTTP/1.1 503 ") && refusal.contains("Retry-After: 1\r\n"))
        mayEnd.signal()
        #expect(String(decoding: first.receive() ?? [], as: UTF8.self).hasPrefix("HTTP/1.1 204 "))
    }
}
