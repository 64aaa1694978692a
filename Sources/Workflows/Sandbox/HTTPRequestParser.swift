import Foundation

/// Reads HTTP/1.1 requests from bytes as they arrive (RFC 9112), strictly: what could be read in two ways is refused.
struct HTTPRequestParser {
    /// A request as it came over the wire.
    struct Message: Equatable {
        var method: String
        var target: String
        var headers: HTTPHeaders
        var body: Data?
        var isKeptAlive: Bool
    }

    /// Why the connection cannot go on.
    struct Refusal: Error, Equatable {
        var status: Int
        var reason: String
    }

    enum Progress: Equatable {
        case needsMore
        /// The client waits for a sign before it sends the body.
        case expectsContinue
        case message(Message)
    }

    static let headLimit = 64 * 1024
    static let bodyLimit = 250 * 1024 * 1024 + 1024

    private enum Stage {
        case head
        case body(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd
        case trailer
    }

    private var stage = Stage.head
    private var buffer: [UInt8] = []
    /// Up to where the buffer was searched for the end of a line or of the head.
    private var searched = 0
    private var message = Message(method: "", target: "", headers: [:], body: nil, isKeptAlive: true)
    private var body = Data()
    private var trailerSize = 0

    /// Whether no byte of a next request has come.
    var isBetweenRequests: Bool {
        if case .head = stage { buffer.isEmpty } else { false }
    }

    mutating func append(_ bytes: some Sequence<UInt8>) { buffer.append(contentsOf: bytes) }

    /// Goes as far as the bytes that came allow.
    mutating func next() throws(Refusal) -> Progress {
        while true {
            switch stage {
            case .head:
                guard let head = try takeHead() else { return .needsMore }
                if try begin(head) { return .expectsContinue }
            case .body(let remaining):
                let count = min(remaining, buffer.count)
                take(count)
                stage = .body(remaining: remaining - count)
                guard remaining == count else { return .needsMore }
                return finish()
            case .chunkSize:
                guard let line = try takeLine(limit: 4096) else { return .needsMore }
                let size = try Self.chunkSize(line)
                guard body.count + size <= Self.bodyLimit else { throw Self.tooLarge }
                stage = size == 0 ? .trailer : .chunk(remaining: size)
            case .chunk(let remaining):
                let count = min(remaining, buffer.count)
                take(count)
                stage = remaining == count ? .chunkEnd : .chunk(remaining: remaining - count)
                guard remaining == count else { return .needsMore }
            case .chunkEnd:
                guard let line = try takeLine(limit: 2) else { return .needsMore }
                guard line.isEmpty else { throw Refusal(status: 400, reason: "a chunk is longer than it says") }
                stage = .chunkSize
            case .trailer:
                guard let line = try takeLine(limit: Self.headLimit) else { return .needsMore }
                trailerSize += line.count
                guard trailerSize <= Self.headLimit else { throw Self.headTooLarge }
                if line.isEmpty { return finish() }
            }
        }
    }

    private mutating func take(_ count: Int) {
        body.append(contentsOf: buffer[..<count])
        buffer.removeSubrange(..<count)
        searched = 0
    }

    private mutating func finish() -> Progress {
        message.body = body
        body = Data()
        stage = .head
        return .message(message)
    }

    private mutating func takeHead() throws(Refusal) -> [UInt8]? {
        // An empty line before a request line is left over from the request before (RFC 9112, section 2.2).
        while buffer.starts(with: [13, 10]) { buffer.removeSubrange(..<2) }
        var index = max(searched, 3)
        while index < buffer.count {
            if buffer[index] == 10, buffer[index - 1] == 13, buffer[index - 2] == 10, buffer[index - 3] == 13 {
                guard index < Self.headLimit else { throw Self.headTooLarge }
                let head = Array(buffer[..<(index - 1)])
                buffer.removeSubrange(...index)
                searched = 0
                return head
            }
            index += 1
        }
        searched = buffer.count
        guard buffer.count < Self.headLimit else { throw Self.headTooLarge }
        return nil
    }

    private mutating func takeLine(limit: Int) throws(Refusal) -> [UInt8]? {
        guard let end = buffer.firstIndex(of: 10) else {
            guard buffer.count <= limit else { throw Refusal(status: 400, reason: "a line is too long") }
            return nil
        }
        guard end > 0, buffer[end - 1] == 13 else { throw Refusal(status: 400, reason: "a line does not end in CRLF") }
        let line = Array(buffer[..<(end - 1)])
        buffer.removeSubrange(...end)
        searched = 0
        return line
    }

    /// Takes the head apart; true where the client waits for a sign.
    private mutating func begin(_ head: [UInt8]) throws(Refusal) -> Bool {
        let parsed = try HTTPRequestHead(head)
        message = Message(
            method: parsed.method, target: parsed.target, headers: parsed.headers, body: nil,
            isKeptAlive: parsed.isKeptAlive)
        trailerSize = 0
        switch parsed.framing {
        case .chunked: stage = .chunkSize
        case .length(let length):
            guard length <= Self.bodyLimit else { throw Self.tooLarge }
            stage = .body(remaining: length)
            if length == 0 { return false }
        }
        return parsed.expectsContinue && buffer.isEmpty
    }

    private static func chunkSize(_ line: [UInt8]) throws(Refusal) -> Int {
        let text = String(decoding: line, as: UTF8.self).prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        guard (1...15).contains(text.utf8.count), text.allSatisfy(\.isHexDigit), let size = Int(text, radix: 16) else {
            throw Refusal(status: 400, reason: "the size of a chunk is not a hexadecimal number")
        }
        return size
    }

    private static let tooLarge = Refusal(status: 413, reason: "the body has more than 250 MB")
    private static let headTooLarge = Refusal(status: 431, reason: "the header fields have more than 64 KB")
}
