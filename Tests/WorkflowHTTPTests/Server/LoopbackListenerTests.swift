import Foundation
import Promises
import Testing

@testable import WorkflowHTTP

struct LoopbackListenerTests {
    private static let get = Data("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)

    /// A listener whose requests may have bodies of 100,000 bytes.
    private func listening(
        limits: LoopbackListener.Limits = .init(),
        answer: @escaping LoopbackConnection.Answering = { _ in
            (HTTPResponse(status: 204), .whole)
        }
    ) throws -> LoopbackListener {
        let listener = try LoopbackListener(port: 0, bodyLimit: { _ in 100_000 }, limits: limits, answer: answer)
        listener.run()
        return listener
    }

    private func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }

    private func connected(_ listener: LoopbackListener) throws -> LoopbackSocket {
        try LoopbackSocket.connected(to: HostName("127.0.0.1"), port: listener.port)
    }

    @Test func `stopping twice ends no connection that has a number of the listener's`() throws {
        let listener = try listening()
        try StoppedListener.check { listener.stop() }
    }

    @Test(arguments: [204, 304])
    func `a response that has no body has no length either`(status: Int) {
        let phrase = status == 204 ? "No Content" : "Not Modified"
        let response = HTTPResponse(status: status, body: Data("body".utf8))
        #expect(response.wireBytes(isLast: false) == Data("HTTP/1.1 \(status) \(phrase)\r\n\r\n".utf8))
    }

    @Test func `a connection stays open from one answer to the next`() throws {
        let listener = try listening()
        defer { listener.stop() }
        let socket = try connected(listener)
        defer { socket.close() }
        for _ in 0..<3 {
            #expect(socket.send(Self.get, patience: .seconds(900)))
            #expect(socket.receive() == Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
        }
    }

    @Test(arguments: [(LoopbackConnection.Delivery.reset, ECONNRESET), (.dropped, 0)])
    func `a client can tell a connection that is reset from one that ends`(
        delivery: LoopbackConnection.Delivery, code: Int32
    ) throws {
        let listener = try listening { _ in (HTTPResponse(status: 204), delivery) }
        defer { listener.stop() }
        let socket = try connected(listener)
        defer { socket.close() }
        #expect(socket.send(Self.get, patience: .seconds(900)))
        var byte: UInt8 = 0
        errno = 0
        let count = unsafe recv(socket.descriptor, &byte, 1, 0)
        #expect((count < 0 ? errno : 0) == code)
    }

    @Test func `a client that is refused can read why, however much it has sent`() throws {
        let listener = try listening()
        defer { listener.stop() }
        let socket = try connected(listener)
        defer { socket.close() }
        let request = Data("PUT / HTTP/1.1\r\nHost: evil.example\r\n\r\n".utf8)
        // More than the listener reads at once.
        #expect(socket.send(request + Data(count: 128 << 10), patience: .seconds(900)))
        socket.finishSending()
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var count: Int
        repeat {
            count = unsafe recv(socket.descriptor, &buffer, buffer.count, 0)
            answer += buffer.prefix(max(0, count))
        } while count > 0
        // The connection has ended and was not reset.
        #expect(count == 0)
        #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 421 "))
    }

    @Test func `as many connections as there is room for all stay open`() throws {
        let listener = try listening()
        defer { listener.stop() }
        var sockets: [LoopbackSocket] = []
        defer { sockets.forEach { $0.close() } }
        for _ in 0..<128 {
            let socket = try connected(listener)
            sockets.append(socket)
            // An answer shows that the listener has accepted the connection.
            #expect(socket.send(Self.get, patience: .seconds(900)))
            #expect(socket.receive() != nil)
        }
        #expect(sockets[0].send(Self.get, patience: .seconds(900)))
        #expect(sockets[0].receive() == Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
    }

    @Test func `to make room an idle connection is closed, and never one that is being answered`() throws {
        let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let listener = try listening { _ in
            begun.signal()
            mayEnd.wait()
            return (HTTPResponse(status: 204), .whole)
        }
        defer { listener.stop() }
        let busy = try connected(listener)
        defer { busy.close() }
        #expect(busy.send(Self.get, patience: .seconds(900)))
        begun.wait()
        var idle: [LoopbackSocket] = []
        defer { idle.forEach { $0.close() } }
        // Two more than there is room for.
        for _ in 0..<129 { idle.append(try connected(listener)) }
        #expect(idle[0].waitToRead(for: .seconds(900)) == .ready)
        #expect(idle[0].receive() == nil)
        mayEnd.signal()
        #expect(text(busy.receive()).hasPrefix("HTTP/1.1 204 No Content\r\n"))
    }

    @Test func `while every connection is busy, the next client waits and is answered`() throws {
        let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var limits = LoopbackListener.Limits()
        limits.connections = 2
        let listener = try listening(limits: limits) { _ in
            begun.signal()
            mayEnd.wait()
            return (HTTPResponse(status: 204), .whole)
        }
        defer { listener.stop() }
        let sockets = try (0..<3).map { _ in try connected(listener) }
        defer { sockets.forEach { $0.close() } }
        for socket in sockets { #expect(socket.send(Self.get, patience: .seconds(900))) }
        begun.wait()
        begun.wait()
        while !listener.isCrowded { sched_yield() }
        for _ in sockets { mayEnd.signal() }
        let answers = sockets.map { text($0.receive()) }
        #expect(answers.allSatisfy { $0.hasPrefix("HTTP/1.1 204 ") })
        // The two that were answered while the third one waited have made room for it.
        #expect(answers[..<2].contains { $0.contains("Connection: close") })
    }

    @Test(arguments: ["Content-Length: 100001\r\n", "Content-Length: 100001\r\nExpect: 100-continue\r\n"])
    func `a body that is too large is refused before it is read`(fields: String) throws {
        let listener = try listening()
        defer { listener.stop() }
        let socket = try connected(listener)
        defer { socket.close() }
        #expect(
            socket.send(
                Data("PUT / HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n".utf8), patience: .seconds(900)))
        #expect(text(socket.receive()).hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
    }

    @Test func `a body in chunks is refused when it becomes too large`() throws {
        let listener = try listening()
        defer { listener.stop() }
        let socket = try connected(listener)
        defer { socket.close() }
        let head = Data("PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nf0000\r\n".utf8)
        #expect(socket.send(head + Data(count: 100_001), patience: .seconds(900)))
        #expect(text(socket.receive()).hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
    }

    @Test func `a body that is too large together with others is refused for a while`() throws {
        let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var limits = LoopbackListener.Limits()
        limits.bodies = 150_000
        let listener = try listening(limits: limits) { _ in
            begun.signal()
            mayEnd.wait()
            return (HTTPResponse(status: 204), .whole)
        }
        defer { listener.stop() }
        let (first, second) = (try connected(listener), try connected(listener))
        defer {
            first.close()
            second.close()
        }
        let put = Data("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n".utf8)
        let whole = put + Data(count: 100_000)
        #expect(first.send(whole, patience: .seconds(900)))
        begun.wait()
        #expect(second.send(put + Data(count: 99_999), patience: .seconds(900)))
        let refusal = text(second.receive())
        #expect(refusal.hasPrefix("HTTP/1.1 503 ") && refusal.contains("Retry-After: 1\r\n"))
        mayEnd.signal()
        mayEnd.signal()
        #expect(text(first.receive()).hasPrefix("HTTP/1.1 204 "))
        // What was answered is no longer counted.
        #expect(first.send(whole, patience: .seconds(900)))
        #expect(text(first.receive()).hasPrefix("HTTP/1.1 204 "))
    }

    @Test func `a listener that is stopped answers first what it is answering`() async throws {
        let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var limits = LoopbackListener.Limits()
        limits.lastAnswers = .seconds(900)
        let listener = try listening(limits: limits) { _ in
            begun.signal()
            mayEnd.wait()
            return (HTTPResponse(status: 202), .whole)
        }
        let (busy, idle) = (try connected(listener), try connected(listener))
        defer {
            busy.close()
            idle.close()
        }
        #expect(busy.send(Self.get, patience: .seconds(900)))
        begun.wait()
        let (stopped, resolver) = Promise<Void>.pending()
        SystemThread.start {
            listener.stop()
            resolver.fulfill(())
        }
        // The idle one is closed at once.
        #expect(idle.receive() == nil)
        mayEnd.signal()
        let answer = text(busy.receive())
        #expect(answer.hasPrefix("HTTP/1.1 202 Accepted\r\n") && answer.contains("Connection: close\r\n"))
        #expect(busy.receive() == nil)
        try await stopped.value
    }

    @Test(arguments: [LoopbackConnection.Delivery.whole, .silence])
    func `a listener that is stopped waits no longer for an answer than it may`(
        delivery: LoopbackConnection.Delivery
    ) throws {
        let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var limits = LoopbackListener.Limits()
        limits.lastAnswers = delivery == .whole ? .zero : .seconds(900)
        let listener = try listening(limits: limits) { _ in
            begun.signal()
            if delivery == .whole { mayEnd.wait() }
            return (HTTPResponse(status: 202), delivery)
        }
        let socket = try connected(listener)
        defer { socket.close() }
        #expect(socket.send(Self.get, patience: .seconds(900)))
        begun.wait()
        listener.stop()
        #expect(socket.receive() == nil)
        mayEnd.signal()
    }

    @Test(
        .timeLimit(.minutes(60)),
        arguments: ["", "GET / HT", "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\nabc"])
    func `hundreds of clients that send slowly keep the next one for a moment only`(part: String) throws {
        var limits = LoopbackListener.Limits()
        limits.patience = .seconds(7 * 86_400)
        let listener = try listening(limits: limits)
        defer { listener.stop() }
        var slow: [LoopbackSocket] = []
        defer { slow.forEach { $0.close() } }
        for _ in 0..<400 {
            slow.append(try connected(listener))
            _ = slow.last?.send(Data(part.utf8), patience: .seconds(900))
        }
        let next = try connected(listener)
        defer { next.close() }
        #expect(next.send(Self.get, patience: .seconds(900)))
        #expect(text(next.receive()).hasPrefix("HTTP/1.1 204 "))
        // Three rounds of 128 connections, of 50 ms each; it would be a week if none was closed to make room.
    }
}
