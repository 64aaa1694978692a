import Essentials
import Promises

/// The bytes that a planned content stands for in a run: of a text, an answer, base64 or a file.
struct PlannedContent {
    fileprivate enum Source {
        case bytes(Data)
        /// Bytes that the run has, of which only the digest is known here.
        case digest(String)
        case file(FilePieces)
    }

    fileprivate let source: Source
    /// The media type; nil if nothing but the bytes says it.
    var type: String?
    /// The number of bytes; nil if it is not known.
    let size: Int?

    fileprivate init(_ source: Source, type: String?, size: Int?) {
        self.source = source
        self.type = type
        self.size = size
    }

    init(_ bytes: Data, type: String? = nil) {
        self.init(.bytes(bytes), type: type ?? ContentType.sniff(bytes), size: bytes.count)
    }

    /// All bytes; nil if they are not known here.
    var bytes: Data? {
        switch source {
        case .bytes(let bytes): bytes
        case .digest: nil
        case .file(let file): file.bytes(in: 0..<file.size)
        }
    }

    /// Whether these are all of its bytes.
    func isAll(_ data: Data) -> Bool {
        switch source {
        case .bytes(let bytes): bytes == data
        case .digest(let digest): digest == "sha256:\(SHA256.hex(of: data))"
        case .file(let file): file.digest == SHA256.hex(of: data)
        }
    }

    /// Whether the file has all of its bytes.
    func isAll(of file: FilePart) -> Bool {
        guard let digest = try? file.sha256() else { return false }
        return switch source {
        case .bytes(let bytes): SHA256.hex(of: bytes) == digest
        case .digest(let known): known == "sha256:\(digest)"
        case .file(let known): known.digest == digest
        }
    }

    /// Whether these are its bytes in a range.
    func has(_ data: Data, at range: ContentRange) -> Bool {
        guard range.bytes.count == data.count else { return false }
        switch source {
        case .bytes(let bytes):
            return range.total == bytes.count && bytes.dropFirst(range.bytes.lowerBound).prefix(data.count) == data
        case .digest: return range.bytes == 0..<range.total && isAll(data)
        case .file(let file): return range.total == file.size && file.bytes(in: range.bytes) == data
        }
    }
}

/// The header field `Content-Range` of a request: `bytes 0-9/20`.
struct ContentRange {
    let bytes: Range<Int>
    let total: Int

    init?(_ text: String?) {
        guard let match = text?.wholeMatch(of: #/bytes ([0-9]+)-([0-9]+)/([0-9]+)/#), let first = Int(match.1),
            let last = Int(match.2), let total = Int(match.3), first <= last, last < total
        else { return nil }
        bytes = first..<last + 1
        self.total = total
    }
}

/// A file whose digest was compared with the plan's, and is compared again for every piece that is read later.
struct FilePieces: Sendable {
    private static let length = 320 << 10
    let digest: String
    private let source: ByteSource
    private let digests: [[UInt8]]

    var size: Int { source.size }

    /// - Returns: nil if the file cannot be read, or is not the plan's.
    init?(_ url: URL, digest: String) {
        guard let source = try? ByteSource(fileAt: url) else { return nil }
        var (all, digests, offset) = (SHA256(), [[UInt8]](), 0)
        while offset < source.size {
            guard let piece = try? source.bytes(in: offset..<min(offset + Self.length, source.size)) else { return nil }
            all.update(piece)
            digests.append(SHA256.hash(of: piece))
            offset += piece.count
        }
        guard all.finalize().hex == digest else { return nil }
        (self.digest, self.source, self.digests) = (digest, source, digests)
    }

    /// The bytes in a range; nil if the file has changed.
    func bytes(in range: Range<Int>) -> Data? {
        guard range.upperBound <= size else { return nil }
        var bytes = Data()
        let first = range.lowerBound / Self.length
        for (number, digest) in digests.enumerated() where number >= first && number * Self.length < range.upperBound {
            let start = number * Self.length
            guard let piece = try? source.bytes(in: start..<min(start + Self.length, size)),
                SHA256.hash(of: piece) == digest
            else { return nil }
            bytes += piece
        }
        return Data(bytes.dropFirst(range.lowerBound - first * Self.length).prefix(range.count))
    }
}

extension PlanReading {
    /// What a derivation stands for that is no expression.
    mutating func found(_ derivation: Derivation, _ unknown: Unknown) throws(Unsettled) -> Value {
        switch derivation.expression {
        case Derivation.contentType: return try content(of: derivation.input).type.map(Value.string) ?? .null
        case Derivation.contentSize: return try content(of: derivation.input).size.map(Value.integer) ?? .null
        case Derivation.hasNoRoom:
            guard let message = derivation.input[0]?.object, let number = derivation.input[1]?.integer else { break }
            let fits = try PlannedMail(message, &self).fit()
            return .bool(!fits.indices.contains(number) || !fits[number])
        default: break
        }
        let input = try settled(derivation.input)
        switch derivation.expression {
        case Derivation.bodyType:
            guard input.object?.contains("blob") != true else { return input["contentType"] ?? .null }
            return input.isNull ? .null : input.string == nil ? "application/json" : "text/plain; charset=utf-8"
        case Derivation.fileContents:
            if let digest = approval.files[input.asText.normalisedPath] { return .string("sha256:\(digest)") }
        case Derivation.fileType: if let type = approval.fileTypes[input.asText.normalisedPath] { return .string(type) }
        default: break
        }
        throw notKnown(unknown)
    }

    /// What a planned content stands for: a text, a blob, `{ "file": "…" }` or `{ "base64": "…" }`.
    mutating func content(of planned: Value) throws(Unsettled) -> PlannedContent {
        if let unknown = planned.unknown, case .computed(let derivation) = unknown.origin {
            switch derivation.expression {
            case Derivation.fileContents: return try file(settled(derivation.input))
            case "@base64d": return try base64(settled(derivation.input))
            default: break
            }
        }
        let value = try settled(planned)
        if let text = value.string {
            guard text.hasPrefix("sha256:") else {
                return PlannedContent(Data(text.utf8), type: "text/plain; charset=utf-8")
            }
            return PlannedContent(.digest(text), type: nil, size: approval.sizes.withLock { $0[text] })
        }
        var content: PlannedContent
        switch (value["blob"]?.string, value["file"], value["base64"], value["content"]) {
        case (let digest?, nil, nil, nil):
            content = PlannedContent(.digest(digest), type: nil, size: value["size"]?.integer)
        case (nil, let path?, nil, nil): content = try file(path)
        case (nil, nil, let text?, nil): content = try base64(text)
        case (nil, nil, nil, let inner?): content = try self.content(of: inner)
        default: throw Unsettled(words: "this is no content: \(value.typeName)")
        }
        content.type = value["contentType"]?.string ?? content.type
        return content
    }

    private func base64(_ text: Value) throws(Unsettled) -> PlannedContent {
        guard let bytes = Data(base64Encoded: text.string?.filter { !$0.isWhitespace } ?? "-") else {
            throw Unsettled(words: "this is not base64")
        }
        return PlannedContent(bytes)
    }

    private func file(_ path: Value) throws(Unsettled) -> PlannedContent {
        guard let path = path.string?.normalisedPath, let file = approval.pieces(of: path) else {
            throw Unsettled(words: "the plan does not have this file")
        }
        return PlannedContent(.file(file), type: approval.fileTypes[path], size: file.size)
    }
}

extension String {
    /// The path without `.` and `..`, as the plan has it.
    fileprivate var normalisedPath: String {
        String(URL(filePath: "/\(self)").standardized.path(percentEncoded: false).dropFirst())
    }
}
