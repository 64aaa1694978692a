/// Bytes with their media type, in memory or in a file: a picture, a document, a text.
public struct Blob: Sendable, Hashable {
    /// The bytes' SHA-256 as `sha256:` and 64 hexadecimal digits, which is also their name in the data.
    public let hash: String
    /// The media type, such as `image/png`.
    public let contentType: String
    package let source: ByteSource
    package private(set) var exampleSize: String?

    /// Creates a blob.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - contentType: The media type; nil to detect it from the bytes.
    public init(_ bytes: Data, contentType: String? = nil) {
        self.init(
            .memory(bytes), hash: "sha256:\(SHA256.hex(of: bytes))",
            contentType: contentType ?? ContentType.sniff(bytes))
    }

    /// Creates a blob of text in UTF-8.
    public init(text: String) { self.init(Data(text.utf8), contentType: "text/plain; charset=utf-8") }

    /// Creates a blob whose bytes stay in a file, which must not change while the blob is used.
    ///
    /// The file is read once for the hash, piece by piece.
    /// - Parameters:
    ///   - url: The file.
    ///   - contentType: The media type; nil to detect it from the beginning of the file.
    /// - Throws: ``GraphError`` if the file cannot be read.
    public init(fileAt url: URL, contentType: String? = nil) throws(GraphError) {
        try self.init(ByteSource(fileAt: url), contentType: contentType)
    }

    package init(_ source: ByteSource, contentType: String?) throws(GraphError) {
        let type: String
        if let contentType { type = contentType } else { type = try source.contentType() }
        self.init(source, hash: "sha256:\(try source.sha256())", contentType: type)
    }

    package init(_ source: ByteSource, hash: String, contentType: String) {
        self.hash = hash
        self.contentType = contentType
        self.source = source
    }

    /// A blob that is only known at run time: an example for a plan, with tokens for unknowns.
    package init(example: Data, hash: String, contentType: String, size: String) {
        self.init(.memory(example), hash: hash, contentType: contentType)
        exampleSize = size
    }

    package func with(exampleSize: String) -> Blob {
        Blob(example: (try? source.all()) ?? Data(), hash: hash, contentType: contentType, size: exampleSize)
    }

    /// All bytes; those of a file are read.
    ///
    /// - Throws: ``GraphError`` if the file can no longer be read.
    public var bytes: Data {
        get throws(GraphError) { try source.all() }
    }

    /// The number of bytes.
    public var size: Int { source.size }

    package func with(contentType: String) -> Blob {
        var blob = Blob(source, hash: hash, contentType: contentType)
        blob.exampleSize = exampleSize
        return blob
    }

    /// The blob in a workflow's data: `{ "blob": "sha256:…", "contentType": "image/png", "size": 5120 }`.
    public var value: Value {
        [
            "blob": .string(hash), "contentType": .string(contentType),
            "size": exampleSize.map(Value.string) ?? .integer(size),
        ]
    }

    /// The picture for users without a photo: a neutral person, head and shoulders, 240 by 240.
    public static let defaultPhoto = Blob(Data(PackageResources.default_photo_png))

    /// Whether both have the same bytes and type.
    public static func == (left: Blob, right: Blob) -> Bool {
        left.hash == right.hash && left.contentType == right.contentType
    }

    /// Feeds hash and type to the hasher; the hash represents the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
        hasher.combine(contentType)
    }
}

extension Blob: CustomStringConvertible {
    /// The type, the size and the hash.
    public var description: String { "\(contentType), \(size) bytes, \(hash)" }
}
