/// How messages follow each other in a stream.
package enum RPCFraming: Sendable {
    /// Each message is a line.
    case lines
    /// Each message follows header fields with its length in bytes.
    case contentLength

    /// The bytes of a message in a stream.
    package func bytes(of message: RPCMessage) -> Data {
        let content = message.json
        return switch self {
        case .lines: content + [UInt8(ascii: "\n")]
        case .contentLength: Data("Content-Length: \(content.count)\r\n\r\n".utf8) + content
        }
    }
}

/// Finds the messages in the bytes of a stream.
package struct RPCReader: Sendable {
    /// What the stream has next.
    package enum Piece: Equatable {
        case message(Data)
        /// A message that is larger than the limit, whose bytes are skipped.
        case tooLarge
        /// Header fields that cannot be read: where the next message begins is not known.
        case unreadable(String)
    }

    /// The header fields of a message take less.
    private static let headLimit = 8 << 10

    private let framing: RPCFraming
    private let limit: Int
    private var buffer = Data()
    /// Where the search for the end of a line continues.
    private var searched = 0
    private var rest = Rest.none

    /// What is left of a message that is skipped.
    private enum Rest: Equatable {
        case none
        case bytes(Int)
        case line
    }

    /// - Parameter limit: The largest message in bytes.
    package init(_ framing: RPCFraming, limit: Int) { (self.framing, self.limit) = (framing, limit) }

    package mutating func append(_ bytes: Data) {
        // A slice keeps the bytes before it in memory: all that were ever read.
        if buffer.startIndex > 0 { buffer = Data(buffer) }
        buffer += bytes
    }

    /// The next piece; nil if more bytes are needed.
    package mutating func next() -> Piece? {
        switch framing {
        case .lines: nextLine()
        case .contentLength: nextCounted()
        }
    }

    private mutating func nextLine() -> Piece? {
        while true {
            guard let end = buffer[(buffer.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n")) else {
                searched = buffer.count
                guard rest == .line || buffer.count > limit else { return nil }
                let isKnown = rest == .line
                (buffer, searched, rest) = (Data(), 0, .line)
                return isKnown ? nil : .tooLarge
            }
            let line = buffer[buffer.startIndex..<end]
            buffer = buffer[(end + 1)...]
            searched = 0
            if rest == .line {
                rest = .none
                continue
            }
            guard line.count <= limit else { return .tooLarge }
            // Blank lines separate nothing.
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            return .message(Data(line))
        }
    }

    private mutating func nextCounted() -> Piece? {
        if case .bytes(let count) = rest {
            let gone = min(count, buffer.count)
            buffer = buffer[(buffer.startIndex + gone)...]
            rest = gone == count ? .none : .bytes(count - gone)
            guard rest == .none else { return nil }
        }
        guard let end = buffer.firstRange(of: Data("\r\n\r\n".utf8)) else {
            return buffer.count > Self.headLimit ? .unreadable("the header fields are too large") : nil
        }
        let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
        let lengths = head.split(separator: "\r\n").compactMap { line -> String? in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { return nil }
            return String(parts[1]).trimmed
        }
        guard lengths.count == 1, lengths[0].utf8.count < 12, let length = Int(lengths[0]), length >= 0 else {
            return .unreadable("the header fields have no length")
        }
        guard length <= limit else {
            buffer = buffer[end.upperBound...]
            rest = .bytes(length)
            return .tooLarge
        }
        guard buffer.endIndex - end.upperBound >= length else { return nil }
        let content = buffer[end.upperBound..<(end.upperBound + length)]
        buffer = buffer[(end.upperBound + length)...]
        return .message(Data(content))
    }
}
