import Foundation
import Testing

@testable import WorkflowHTTP

struct LoopbackSocketTests {
    @Test func `sending succeeds if the peer takes everything, and fails if it does not in time`() throws {
        let listener = try LoopbackSocket.listening(.ipv4, port: 0)
        defer { listener.close() }
        let client = try LoopbackSocket.connected(to: HostName("127.0.0.1"), port: listener.port)
        defer { client.close() }
        #expect(listener.waitToRead(for: .seconds(900)) == .ready)
        let peer = try #require(try listener.accept())
        defer { peer.close() }
        #expect(client.send(Data("hello".utf8), patience: .seconds(900)))
        #expect(peer.receive() == Array("hello".utf8))
        // More than the system keeps for a peer that does not read.
        #expect(!client.send(Data(count: 64 << 20), patience: .zero))
    }
    @Test func `a single byte is sent once`() throws {
        let listener = try LoopbackSocket.listening(.ipv4, port: 0)
        defer { listener.close() }
        let client = try LoopbackSocket.connected(to: HostName("127.0.0.1"), port: listener.port)
        #expect(listener.waitToRead(for: .seconds(900)) == .ready)
        let peer = try #require(try listener.accept())
        defer { peer.close() }
        // An earlier call may have left any error behind.
        errno = EPIPE
        let isSent = client.send(Data("a".utf8), patience: .seconds(900))
        #expect(isSent)
        client.close()
        var received: [UInt8] = []
        while let bytes = peer.receive() { received += bytes }
        #expect(received == Array("a".utf8))
    }
}
