import Foundation
import Promises
import TestSupport
import Testing

@testable import WorkflowHTTP

/// Bodies that are read from files while they are sent, and written to files while they come.
@Suite struct FileBodyTests {
    typealias Way = NetworkTransportTests.Way

    private static let megabyte = 1 << 20

    private func operation(_ effect: Idempotency = .idempotent, storage: HTTPOperation.Storage? = nil) -> HTTPOperation
    {
        var operation = HTTPOperation(
            name: "test", effect: effect, timeout: .seconds(900), example: HTTPResponse(status: 200))
        operation.storage = storage
        return operation
    }

    private func failure(_ promise: Promise<HTTPResponse>) async -> HTTPFailure? {
        do {
            _ = try await promise.value
            return nil
        } catch {
            return error as? HTTPFailure
        }
    }

    /// Bytes of which no two parts are alike.
    private static func bytes(_ count: Int) -> Data {
        var generator = CountingRandom()
        return Data((0..<count / 8).flatMap { _ in unsafe withUnsafeBytes(of: generator.next()) { unsafe Array($0) } })
    }

    /// Writes a file, and returns its path.
    @discardableResult private static func write(
        _ bytes: Data, to name: String, in folder: TemporaryFolder
    ) throws -> String {
        try folder.write(name, bytes)
        return folder.url.appending(path: name).path(percentEncoded: false)
    }

    private func request(_ url: URL, _ file: FilePart) -> HTTPRequest {
        var request = HTTPRequest("PUT", url)
        request.file = file
        return request
    }

    @Test(arguments: Way.allCases)
    func `a part of a file is sent as it is`(way: Way) async throws {
        let folder = try TemporaryFolder()
        let bytes = Self.bytes(3 * Self.megabyte)
        let path = try Self.write(bytes, to: "large.bin", in: folder)
        let server = try ScriptedServer([.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")])
        let part = try FilePart(path: path).part(1_000_001..<3_000_000)
        let answer = try await way.transport().send(request(server.url, part), for: operation()).value
        #expect(answer.status == 200)
        let message = try #require(server.asked.first?.message)
        #expect(message.headers["Content-Length"] == "1999999")
        #expect(message.body == bytes[1_000_001..<3_000_000])
    }

    @Test(arguments: Way.allCases)
    func `a file is read anew if a kept connection was closed`(way: Way) async throws {
        let folder = try TemporaryFolder()
        let bytes = Self.bytes(Self.megabyte)
        let file = try FilePart(path: try Self.write(bytes, to: "large.bin", in: folder))
        let ok = ScriptedServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let server = try ScriptedServer([ok, .sendAndClose(""), ok])
        let transport = way.transport()
        let (request, operation) = (request(server.url, file), operation())
        let answer = transport.send(request, for: operation).then(on: nil) { _ in
            transport.send(request, for: operation)
        }
        #expect(try await answer.value.status == 200)
        #expect(server.asked.map(\.connection) == [1, 1, 2])
        #expect(server.asked.allSatisfy { $0.message.body == bytes })
    }

    @Test(arguments: Way.allCases, ["longer", "shorter", "other", "gone"])
    func `a file that has changed before it is sent is not sent`(way: Way, change: String) async throws {
        let folder = try TemporaryFolder()
        let path = try Self.write(Self.bytes(Self.megabyte), to: "large.bin", in: folder)
        let file = try FilePart(path: path)
        switch change {
        case "longer": try Self.write(Self.bytes(2 * Self.megabyte), to: "large.bin", in: folder)
        case "shorter": try #require(unsafe truncate(path, 100) == 0)
        case "other":
            try Self.write(Self.bytes(Self.megabyte), to: "other.bin", in: folder)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(
                atPath: folder.url.appending(path: "other.bin").path(percentEncoded: false), toPath: path)
        default: try FileManager.default.removeItem(atPath: path)
        }
        let server = try ScriptedServer([.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")])
        let failure = await failure(way.transport().send(request(server.url, file), for: operation()))
        #expect(failure?.reason == .fileUnusable)
        #expect(failure?.phase == .notSent)
        #expect(failure?.detail.contains("large.bin") == true)
        #expect(server.asked.isEmpty)
    }

    @Test(arguments: Way.allCases)
    func `a file that changes while it is sent never arrives whole`(way: Way) async throws {
        let folder = try TemporaryFolder()
        // Larger than what the system and the transport buffer.
        let path = try Self.write(Data(count: 64 * Self.megabyte), to: "large.bin", in: folder)
        let server = try StalledServer()
        let file = try FilePart(path: path)
        let sending = way.transport().send(request(server.url, file), for: operation())
        await server.begun.value
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("x".utf8))
        try handle.close()
        server.readOn()
        let failure = await failure(sending)
        #expect(failure?.reason == .fileUnusable)
        #expect(failure?.phase == .sent)
    }

    @Test(arguments: Way.allCases)
    func `cancelling ends a request at once whose server reads no further`(way: Way) async throws {
        let folder = try TemporaryFolder()
        let path = try Self.write(Data(), to: "large.bin", in: folder)
        // It takes no room on the disk.
        try #require(unsafe truncate(path, 1 << 40) == 0)
        let server = try StalledServer()
        let sending = way.transport().send(request(server.url, try FilePart(path: path)), for: operation())
        await server.begun.value
        sending.cancel()
        await #expect(throws: (any Error).self) { try await sending.value }
    }

    private func response(
        _ way: Way, _ response: HTTPResponse, memory: Int = 1_000_000, _ storage: HTTPOperation.Storage
    ) async throws -> HTTPResponse {
        let listener = try LoopbackListener(port: 0, bodyLimit: { _ in 0 }) { _ in (response, .whole) }
        listener.run()
        defer { listener.stop() }
        let url = try #require(URL(string: "http://127.0.0.1:\(listener.port)/"))
        return try await way.transport(maximumResponseSize: memory).send(
            HTTPRequest("GET", url), for: operation(.read, storage: storage)
        ).value
    }

    @Test(arguments: Way.allCases)
    func `an answer that is too large for memory goes to a file`(way: Way) async throws {
        let bytes = Self.bytes(20 * Self.megabyte)
        let folder = try TemporaryFolder()
        let answer = try await response(
            way, HTTPResponse(status: 200, body: bytes), HTTPOperation.Storage(in: folder.url.path()))
        #expect(answer.body.isEmpty)
        #expect(answer.bodySize == bytes.count)
        #expect(try answer.file?.bytes() == bytes)
        #expect(try answer.file?.sha256() == SHA256.hex(of: bytes))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).isEmpty)
    }

    @Test(arguments: Way.allCases)
    func `an answer of the size that memory has goes to no file`(way: Way) async throws {
        let bytes = Self.bytes(1_000_000)
        let answer = try await response(
            way, HTTPResponse(status: 200, body: bytes), HTTPOperation.Storage(in: "/none"))
        #expect(answer.body == bytes)
        #expect(answer.file == nil)
    }

    @Test(arguments: Way.allCases)
    func `only a successful answer that the operation accepts goes to a file, up to its limit`(way: Way) async throws {
        let large = Data(count: 3_000_000)
        for (status, limit, accepts) in [(500, 9_000_000, true), (200, 9_000_000, false), (200, 2_000_000, true)] {
            let failure = await #expect(throws: HTTPFailure.self) {
                try await response(
                    way, HTTPResponse(status: status, body: large),
                    HTTPOperation.Storage(upTo: limit) { _ in accepts })
            }
            #expect(failure?.reason == .tooLarge)
            #expect(failure?.detail.contains(limit == 2_000_000 ? "2000000" : "1000000") == true)
        }
    }

    @Test(arguments: Way.allCases)
    func `an answer that cannot be written is a failure that says so`(way: Way) async throws {
        let failure = await #expect(throws: HTTPFailure.self) {
            try await response(
                way, HTTPResponse(status: 200, body: Data(count: 3_000_000)), HTTPOperation.Storage(in: "/none"))
        }
        #expect(failure?.reason == .fileUnusable)
        #expect(failure?.phase == .sent)
    }

    #if !canImport(Darwin)
        /// "hello world" as gzip writes it.
        private static let compressed = Data([
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0x28, 0xcf, 0x2f, 0xca, 0x49, 1, 0,
            0x85, 0x11, 0x4a, 0x0d, 11, 0, 0, 0,
        ])

        private func decompressed(_ body: Data, _ coding: String = "gzip") async throws -> Data {
            try await response(
                .library, HTTPResponse(status: 200, headers: ["Content-Encoding": coding], body: body),
                HTTPOperation.Storage()
            ).body
        }

        @Test(arguments: 1..<31)
        func `a compressed body whose end is missing is a lost connection`(count: Int) async throws {
            try #require(Self.compressed.count == 31)
            let failure = await #expect(throws: HTTPFailure.self) {
                try await decompressed(Self.compressed.prefix(count))
            }
            #expect(failure?.reason == .connectionLost)
            #expect(failure?.phase == .sent)
        }

        @Test func `a whole compressed body is decompressed, and several one after the other`() async throws {
            #expect(try await decompressed(Self.compressed) == Data("hello world".utf8))
            #expect(try await decompressed(Self.compressed + Self.compressed) == Data("hello worldhello world".utf8))
            #expect(try await decompressed(Data()) == Data())
            #expect(try await decompressed(Data("x".utf8), "identity") == Data("x".utf8))
            // deflate without the head of zlib, as some servers send it
            #expect(try await decompressed(Self.compressed[10..<23], "deflate") == Data("hello world".utf8))
        }

        @Test(arguments: [("gzip", 12), ("gzip", 25), ("br", 0), ("gzip, x", 0)])
        func `a body that is not what its coding says is a bad answer`(coding: String, at place: Int) async throws {
            var body = Self.compressed
            body[place] ^= 0xff
            let failure = await #expect(throws: HTTPFailure.self) { try await decompressed(body, coding) }
            #expect(failure?.reason == .badResponse)
        }
    #endif
}

/// A server that reads the beginning of a request, and the rest when it is asked to.
private final class StalledServer: Sendable {
    let url: URL
    /// Fulfilled when the request has begun.
    let begun: Guarantee<Void>
    private let socket: LoopbackSocket
    private let more = DispatchSemaphore(value: 0)

    init() throws {
        let socket = try LoopbackSocket.listening(.ipv4, port: 0)
        let more = more
        let (begun, fulfill) = Guarantee<Void>.pending()
        (self.socket, self.begun) = (socket, begun)
        url = URL(string: "http://127.0.0.1:\(socket.port)/") ?? URL(filePath: "/")
        Thread.detachNewThread {
            guard socket.waitToRead(for: .seconds(900)) == .ready, let connection = try? socket.accept() else { return }
            _ = connection.waitToRead(for: .seconds(900))
            _ = connection.receive()
            fulfill(())
            more.wait()
            while connection.waitToRead(for: .seconds(900)) == .ready, connection.receive() != nil {}
            connection.close()
        }
    }

    func readOn() { more.signal() }

    deinit {
        more.signal()
        socket.shutDown()
        socket.close()
    }
}
