import Foundation
import Testing

@testable import WorkflowHTTP

struct LoopbackListenerTests {
    private static let get = Data("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)

    private func connected(_ listener: LoopbackListener) throws -> LoopbackSocket {
        try LoopbackSocket.connected(to: HostName("127.0.0.1"), port: listener.port)
    }

    @Test(arguments: [204, 304])
    func `a response that has no body has no length either`(status: Int) {
        let phrase = status == 204 ? "No Content" : "Not Modified"
        let response = HTTPResponse(status: status, body: Data("body".utf8))
        #expect(response.wireBytes(isLast: false) == Data("HTTP/1.1 \(status) \(phrase)\r\n\r\n".utf8))
    }

    @Test func `a connection stays open from one answer to the next`() throws {
        let listener = try LoopbackListener(port: 0) { _ in (HTTPResponse(status: 204), .whole) }
        listener.run()
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
        let listener = try LoopbackListener(port: 0) { _ in (HTTPResponse(status: 204), delivery) }
        listener.run()
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
        let listener = try LoopbackListener(port: 0) { _ in (HTTPResponse(status: 204), .whole) }
        listener.run()
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
        let listener = try LoopbackListener(port: 0) { _ in (HTTPResponse(status: 204), .whole) }
        listener.run()
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
        let listener = try LoopbackListener(port: 0) { _ in
            begun.signal()
            mayEnd.wait()
            return (HTTPResponse(status: 204), .whole)
        }
        listener.run()
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
        #expect(busy.receive() == Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
    }
}
