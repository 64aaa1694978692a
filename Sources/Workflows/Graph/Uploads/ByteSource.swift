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
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Self.unreadable(path, SystemError(code: errno).description) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Self.unreadable(path, "it is not a file") }
        self = .file(url, size: Int(status.st_size))
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
            let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard file >= 0 else { throw Self.unreadable(path, SystemError(code: errno).description) }
            defer { SystemCall.close(file) }
            var bytes = Data(count: range.count)
            var done = 0
            while done < range.count {
                let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                    unsafe pread(
                        file, buffer.baseAddress?.advanced(by: done), range.count - done, off_t(range.lowerBound + done)
                    )
                }
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else { throw Self.unreadable(path, SystemError(code: errno).description) }
                guard got > 0 else { throw Self.unreadable(path, "it has become shorter") }
                done += got
            }
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
