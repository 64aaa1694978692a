import Foundation
import Testing

@testable import WorkflowHTTP

struct RPCReaderTests {
    typealias Piece = RPCReader.Piece

    private static let limit = 1_000

    private static func pieces(_ parts: some Sequence<Data>, _ framing: RPCFraming) -> [Piece] {
        var reader = RPCReader(framing, limit: limit)
        var pieces: [Piece] = []
        for part in parts {
            reader.append(part)
            while let piece = reader.next() {
                pieces.append(piece)
                if case .unreadable = piece { return pieces }
            }
        }
        return pieces
    }

    private static func message(_ count: Int) -> Data { Data(repeating: UInt8(ascii: "a"), count: count) }

    private static func framed(_ content: Data, _ framing: RPCFraming) -> Data {
        switch framing {
        case .lines: content + Data("\n".utf8)
        case .contentLength: Data("Content-Length: \(content.count)\r\n\r\n".utf8) + content
        }
    }

    /// A stream with messages of all sizes, and what is in it.
    private static func stream(_ framing: RPCFraming) -> (bytes: Data, pieces: [Piece]) {
        var bytes = Data()
        var pieces: [Piece] = []
        for count in [1, limit, 2, limit + 1, 3, 20 * limit, limit - 1, 4] {
            bytes += framed(message(count), framing)
            pieces.append(count > limit ? .tooLarge : .message(message(count)))
        }
        return (bytes, pieces)
    }

    @Test(arguments: [RPCFraming.lines, .contentLength])
    func `messages are found in a stream that arrives at once, byte by byte and in any pieces`(framing: RPCFraming) {
        let (bytes, pieces) = Self.stream(framing)
        #expect(Self.pieces([bytes], framing) == pieces)
        #expect(Self.pieces(bytes.map { Data([$0]) }, framing) == pieces)
        for seed in 1...200 {
            var parts: [Data] = []
            var rest = bytes
            var number = UInt64(seed)
            while !rest.isEmpty {
                number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let most = seed.isMultiple(of: 2) ? 40 : 5_000
                let count = min(rest.count, Int(number >> 33) % most)
                parts.append(Data(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(Self.pieces(parts, framing) == pieces, "seed \(seed)")
        }
    }

    @Test(arguments: [RPCFraming.lines, .contentLength])
    func `what is written is read`(framing: RPCFraming) throws {
        let messages = [
            RPCMessage.request(id: 1, method: "a\nb", params: ["text": "\r\n\u{2028}ä😀"]),
            .response(id: "x", .success(nil)), .notification(method: "", params: []),
        ]
        let bytes = messages.map { framing.bytes(of: $0) }
        let read = try Self.pieces(bytes, framing).map { piece in
            guard case .message(let content) = piece else { throw RPCError(.failure, "\(piece)") }
            return try RPCMessage(content)
        }
        #expect(read == messages)
    }

    @Test func `blank lines separate nothing, and lines can end as on Windows`() {
        let bytes = Data("\n \t\r\n{}\r\n\n[]\n".utf8)
        #expect(Self.pieces([bytes], .lines) == [.message(Data("{}\r".utf8)), .message(Data("[]".utf8))])
    }

    @Test func `a message that is not whole is not there`() {
        #expect(Self.pieces([Data("{}".utf8)], .lines).isEmpty)
        #expect(Self.pieces([Data("Content-Length: 3\r\n\r\n{}".utf8)], .contentLength).isEmpty)
    }

    @Test(arguments: [
        "content-length:2\r\n\r\n{}", "CONTENT-LENGTH:   2  \r\n\r\n{}",
        "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
    ])
    func `header fields have any case, blanks and order`(text: String) {
        #expect(Self.pieces([Data(text.utf8)], .contentLength) == [.message(Data("{}".utf8))])
    }

    @Test(arguments: [
        "\r\n\r\n{}", "Content-Type: x\r\n\r\n{}", "Content-Length: x\r\n\r\n{}", "Content-Length: -2\r\n\r\n{}",
        "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "Content-Length: 99999999999999999999\r\n\r\n{}",
        "Content-Length: 2.0\r\n\r\n{}", String(repeating: "a", count: 8 << 10) + "a",
    ])
    func `where a message begins is not known after header fields without a length`(text: String) {
        guard case .unreadable? = Self.pieces([Data(text.utf8)], .contentLength).first else {
            Issue.record("\(Self.pieces([Data(text.utf8)], .contentLength))")
            return
        }
    }

    @Test(arguments: [RPCFraming.lines, .contentLength])
    func `a message that is too large and does not end is found once`(framing: RPCFraming) {
        var reader = RPCReader(framing, limit: Self.limit)
        reader.append(framing == .lines ? Data() : Data("Content-Length: 100000000\r\n\r\n".utf8))
        var found: [Piece] = []
        for _ in 0..<1_000 {
            reader.append(Self.message(10_000))
            while let piece = reader.next() { found.append(piece) }
        }
        #expect(found == [.tooLarge])
    }
}
