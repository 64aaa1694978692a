package enum ByteSource: Sendable {
    case memory(Data)
    case file(FilePart)

    /// How much of a file is read for its type; also the size from which content is sent from its file.
    private static let pieceSize = 1 << 20

    /// A file in its current state; only regular files are accepted, because others may be endless.
    package init(fileAt url: URL) throws(GraphError) {
        let path = url.path(percentEncoded: false)
        do throws(SystemError) {
            self = .file(try FilePart(path: path))
        } catch {
            throw Self.unreadable(path, error)
        }
    }

    package var size: Int {
        switch self {
        case .memory(let data): data.count
        case .file(let part): part.size
        }
    }

    /// Throws if the file has changed.
    package func all() throws(GraphError) -> Data {
        switch self {
        case .memory(let data): return data
        case .file(let part): return try Self.reading(part) { part throws(SystemError) in try part.bytes() }
        }
    }

    /// A part of the bytes; nothing is read.
    package func part(_ range: Range<Int>) -> ByteSource {
        switch self {
        case .memory(let data):
            range == 0..<data.count ? self : .memory(Data(data.dropFirst(range.lowerBound).prefix(range.count)))
        case .file(let part): .file(part.part(range))
        }
    }

    /// Throws if the file has changed.
    package func bytes(in range: Range<Int>) throws(GraphError) -> Data { try part(range).all() }

    /// The form for a request: few bytes in memory, many in their file.
    package func inRequest() throws(GraphError) -> ByteSource {
        size <= Self.pieceSize ? .memory(try all()) : self
    }

    package func sha256() throws(GraphError) -> String {
        switch self {
        case .memory(let data): return SHA256.hex(of: data)
        case .file(let part): return try Self.reading(part) { part throws(SystemError) in try part.sha256() }
        }
    }

    package func contentType() throws(GraphError) -> String {
        if case .memory(let data) = self { return ContentType.sniff(data) }
        guard size > Self.pieceSize else { return ContentType.sniff(try all()) }
        let head = try bytes(in: 0..<Self.pieceSize)
        // The last character may be cut.
        for dropped in 0..<4 {
            let type = ContentType.sniff(head.dropLast(dropped))
            if type != "application/octet-stream" { return type }
        }
        return "application/octet-stream"
    }

    private static func reading<Result>(
        _ part: FilePart, _ read: (FilePart) throws(SystemError) -> Result
    ) throws(GraphError) -> Result {
        do throws(SystemError) {
            return try read(part)
        } catch {
            throw unreadable(part.path ?? "", error)
        }
    }

    private static func unreadable(_ path: String, _ why: SystemError) -> GraphError {
        GraphError(
            .invalidInput,
            message: PlainText.sentence("The file '\(PlainText.exact(path, limit: 200))' cannot be read: \(why)"))
    }
}

extension HTTPRequest {
    package mutating func setBody(_ content: ByteSource?) {
        (body, file) = (nil, nil)
        switch content {
        case nil: break
        case .memory(let data): body = data
        case .file(let part): file = part
        }
    }
}
