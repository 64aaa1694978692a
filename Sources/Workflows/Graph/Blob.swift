public import Foundation

/// Bytes with the type that they have: a picture, a document, a text.
public struct Blob: Sendable, Hashable {
    /// The bytes' SHA-256 as `sha256:` and 64 hexadecimal digits, which is also their name in the data.
    public let hash: String
    /// The media type, such as `image/png`.
    public let contentType: String
    /// The bytes themselves.
    public let bytes: Data

    /// Creates a blob.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - contentType: The media type where it is known better than the bytes tell it; nil to find it by the bytes.
    public init(_ bytes: Data, contentType: String? = nil) {
        self.init(bytes, hash: "sha256:\(SHA256.hex(of: bytes))", contentType: contentType)
    }

    /// Creates a blob of a text in UTF-8.
    public init(text: String) { self.init(Data(text.utf8), contentType: "text/plain; charset=utf-8") }

    /// Creates a blob whose bytes were hashed before.
    init(_ bytes: Data, hash: String, contentType: String?) {
        self.hash = hash
        self.contentType = contentType ?? ContentType.sniff(bytes)
        self.bytes = bytes
    }

    /// The number of bytes.
    public var size: Int { bytes.count }

    /// The same bytes as something else.
    func with(contentType: String) -> Blob { Blob(bytes, hash: hash, contentType: contentType) }

    /// What stands for the bytes in the data: `{ "blob": "sha256:…", "contentType": "image/png", "size": 5120 }`.
    public var value: Value {
        ["blob": .string(hash), "contentType": .string(contentType), "size": .integer(size)]
    }

    /// The picture for whoever has none: a neutral person, head and shoulders, 240 by 240.
    public static let defaultPhoto = Blob(Data(PackageResources.default_photo_png))

    /// Whether both have the same bytes and type.
    public static func == (left: Blob, right: Blob) -> Bool {
        left.hash == right.hash && left.contentType == right.contentType
    }

    /// Feeds hash and type to the hasher; the bytes follow from the hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
        hasher.combine(contentType)
    }
}

extension Blob: CustomStringConvertible {
    /// The type, the size and the hash.
    public var description: String { "\(contentType), \(size) bytes, \(hash)" }
}
