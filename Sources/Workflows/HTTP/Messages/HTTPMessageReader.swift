/// Reads the parts of HTTP/1.1 messages from bytes as they arrive (RFC 9112), without blocking.
///
/// Ambiguous messages are rejected.
struct HTTPMessageReader {
    enum Framing: Equatable {
        case length(Int)
        case chunked
        case untilClose
    }

    enum Problem: Error, Equatable {
        case malformed(String)
        case headTooLarge
        case bodyTooLarge
    }

    private enum Stage {
        case head
        case body(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd
        case trailer
        case untilClose
    }

    let headLimit: Int
    var bodyLimit: Int

    private var stage = Stage.head
    private var buffer: [UInt8] = []
    /// The offset up to which the buffer was searched for the end of the head.
    private var searched = 0
    private var body = Data()
    private var takenCount = 0
    private var trailerSize = 0

    init(headLimit: Int, bodyLimit: Int) {
        self.headLimit = headLimit
        self.bodyLimit = bodyLimit
    }

    var isBetweenMessages: Bool {
        if case .head = stage { buffer.isEmpty } else { false }
    }

    var hasUnread: Bool { !buffer.isEmpty }

    var bodyCount: Int { takenCount + body.count }

    /// The body so far, without what was taken.
    var partialBody: Data { body }

    mutating func append(_ bytes: some Sequence<UInt8>) { buffer.append(contentsOf: bytes) }

    /// The lines of a head, each with its CRLF, without the final empty one; nil until it is complete.
    mutating func nextHead() throws(Problem) -> [UInt8]? {
        // An empty line before a message is a remnant of the previous one (RFC 9112, section 2.2).
        while buffer.starts(with: [13, 10]) {
            buffer.removeSubrange(..<2)
            searched = 0
        }
        var index = max(searched, 3)
        while index < buffer.count {
            if buffer[index] == 10, buffer[index - 1] == 13, buffer[index - 2] == 10, buffer[index - 3] == 13 {
                guard index < headLimit else { throw .headTooLarge }
                let head = Array(buffer[..<(index - 1)])
                buffer.removeSubrange(...index)
                searched = 0
                return head
            }
            index += 1
        }
        searched = buffer.count
        guard buffer.count < headLimit else { throw .headTooLarge }
        return nil
    }

    mutating func beginBody(_ framing: Framing) throws(Problem) {
        trailerSize = 0
        takenCount = 0
        body = Data()
        switch framing {
        case .length(let length):
            guard length <= bodyLimit else { throw .bodyTooLarge }
            stage = .body(remaining: length)
        case .chunked: stage = .chunkSize
        case .untilClose: stage = .untilClose
        }
    }

    mutating func nextBody() throws(Problem) -> Data? {
        while true {
            switch stage {
            case .head: return nil
            case .body(let remaining):
                let count = take(atMost: remaining)
                stage = .body(remaining: remaining - count)
                return remaining == count ? finish() : nil
            case .chunkSize:
                guard let line = try nextLine(limit: 4096) else { return nil }
                let size = try Self.chunkSize(line)
                guard size <= bodyLimit - bodyCount else { throw .bodyTooLarge }
                stage = size == 0 ? .trailer : .chunk(remaining: size)
            case .chunk(let remaining):
                let count = take(atMost: remaining)
                stage = remaining == count ? .chunkEnd : .chunk(remaining: remaining - count)
                guard remaining == count else { return nil }
            case .chunkEnd:
                guard let line = try nextLine(limit: 2) else { return nil }
                guard line.isEmpty else { throw .malformed("a chunk is longer than announced") }
                stage = .chunkSize
            case .trailer:
                guard let line = try nextLine(limit: headLimit) else { return nil }
                trailerSize += line.count
                guard trailerSize <= headLimit else { throw .headTooLarge }
                if line.isEmpty { return finish() }
            case .untilClose:
                _ = take(atMost: buffer.count)
                guard bodyCount <= bodyLimit else { throw .bodyTooLarge }
                return nil
            }
        }
    }

    /// The later body lacks these bytes.
    mutating func takeBody() -> Data {
        defer { body = Data() }
        takenCount += body.count
        return body
    }

    /// The body if the connection's end completes it; nil if the message is cut off.
    mutating func bodyAtClose() -> Data? {
        guard case .untilClose = stage else { return nil }
        return finish()
    }

    private mutating func finish() -> Data {
        defer { body = Data() }
        stage = .head
        return body
    }

    private mutating func take(atMost limit: Int) -> Int {
        let count = min(limit, buffer.count)
        body.append(contentsOf: buffer[..<count])
        buffer.removeSubrange(..<count)
        return count
    }

    private mutating func nextLine(limit: Int) throws(Problem) -> [UInt8]? {
        guard let end = buffer.firstIndex(of: 10) else {
            guard buffer.count <= limit else { throw .malformed("a line is too long") }
            return nil
        }
        guard end > 0, buffer[end - 1] == 13 else { throw .malformed("a line does not end in CRLF") }
        let line = Array(buffer[..<(end - 1)])
        buffer.removeSubrange(...end)
        return line
    }

    private static func chunkSize(_ line: [UInt8]) throws(Problem) -> Int {
        let text = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            .trimmed
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy(Self.isHexDigit), let size = Int(text, radix: 16)
        else { throw .malformed("the size of a chunk is not a hexadecimal number") }
        return size
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...70, 97...102: true
        default: false
        }
    }
}
