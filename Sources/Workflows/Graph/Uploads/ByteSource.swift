package import Essentials

/// Bytes in memory or in a file, which is read on demand.
package enum ByteSource: Sendable {
    /// Bytes in memory.
    case memory(Data)
    /// A file, with its size when it was first opened.
    case file(URL, size: Int)

    /// How much of a file is read at a time for its hash.
    private static let pieceSize = 1 << 20

    /// Finds a file's size; the file must be a regular one, since others may have no end.
    package init(fileAt url: URL) throws(GraphError) {
        let path = url.path(percentEncoded: false)
        let size: Int?
        do throws(SystemError) {
            size = try SystemCall.sizeOfFile(path)
        } catch {
            throw Self.unreadable(path, error.description)
        }
        guard let size else { throw Self.unreadable(path, "it is not a file") }
        self = .file(url, size: size)
    }

    /// The number of bytes.
    package var size: Int {
        switch self {
        case .memory(let data): data.count
        case .file(_, let size): size
        }
    }

    /// All bytes.
    package func all() throws(GraphError) -> Data { try bytes(in: 0..<size) }

    /// Some of the bytes, read now from a file; throws if the file has become shorter.
    package func bytes(in range: Range<Int>) throws(GraphError) -> Data {
        switch self {
        case .memory(let data):
            return range == 0..<data.count ? data : Data(data.dropFirst(range.lowerBound).prefix(range.count))
        case .file(let url, _):
            let path = url.path(percentEncoded: false)
            var bytes = Data(count: range.count)
            let count: Int
            do throws(SystemError) {
                let file = try SystemCall.open(reading: path)
                defer { SystemCall.close(file) }
                count = try SystemCall.read(file, at: range.lowerBound, into: &bytes)
            } catch {
                throw Self.unreadable(path, error.description)
            }
            guard count == range.count else { throw Self.unreadable(path, "it has become shorter") }
            return bytes
        }
    }

    /// The hash of all bytes in hexadecimal digits.
    package func sha256() throws(GraphError) -> String {
        if case .memory(let data) = self { return SHA256.hex(of: data) }
        var hash = SHA256()
        var offset = 0
        while offset < size {
            let piece = try bytes(in: offset..<min(offset + Self.pieceSize, size))
            hash.update(piece)
            offset += piece.count
        }
        return hash.finalize().hex
    }

    /// The media type, detected from the bytes or from a file's beginning.
    package func contentType() throws(GraphError) -> String {
        if case .memory(let data) = self { return ContentType.sniff(data) }
        guard size > Self.pieceSize else { return ContentType.sniff(try all()) }
        let head = try bytes(in: 0..<Self.pieceSize)
        // A character may be cut at the end of what was read.
        for dropped in 0..<4 {
            let type = ContentType.sniff(head.dropLast(dropped))
            if type != "application/octet-stream" { return type }
        }
        return "application/octet-stream"
    }

    private static func unreadable(_ path: String, _ why: String) -> GraphError {
        GraphError(
            .invalidInput,
            message: PlainText.sentence("The file '\(PlainText.line(path, limit: 200))' cannot be read: \(why)"))
    }
}
